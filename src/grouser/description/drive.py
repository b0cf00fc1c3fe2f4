"""Motors and drive trains: limits of speed and torque."""

from typing import Annotated, Self

from annotated_types import Interval, Len
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.schema import NotNegative, Number, Positive, Side, Table

Duty = Annotated[Number, Interval(gt=0.0, le=1.0)]


class SpeedMap(Table):
    """Speeds of free belts at some duties, for each side and direction."""

    duty: Annotated[tuple[Duty, ...], Len(2, limits.PIECES)]
    """Duties at which speeds were measured, rising [1]."""
    left: tuple[NotNegative, ...] = Field(alias="left_m_s")
    """Speed of the left belt forward, at each duty [m/s]."""
    right: tuple[NotNegative, ...] = Field(alias="right_m_s")
    """Speed of the right belt forward, at each duty [m/s]."""
    left_backward: tuple[NotNegative, ...] = Field(alias="left_backward_m_s")
    """Speed of the left belt backward, at each duty [m/s]."""
    right_backward: tuple[NotNegative, ...] = Field(alias="right_backward_m_s")
    """Speed of the right belt backward, at each duty [m/s]."""

    def speeds(self, side: Side, *, forward: bool) -> tuple[float, ...]:
        """Return the speeds of a belt at each duty [m/s]."""
        return getattr(self, side if forward else f"{side}_backward")

    def top_speed(self, side: Side, *, forward: bool) -> float:
        """Return the fastest that a belt was measured to run [m/s]."""
        return max(self.speeds(side, forward=forward))

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(later <= earlier for earlier, later in zip(self.duty, self.duty[1:], strict=False)):
            raise ValueError(f"duty must rise, not be {list(self.duty)}")
        for key in ("left", "right", "left_backward", "right_backward"):
            if len(getattr(self, key)) != len(self.duty):
                raise ValueError(
                    f"{key}_m_s must have one speed for each of {len(self.duty)} duties"
                )
        return self


class TorqueMap(Table):
    """Torque of a motor over the size of its voltage.

    T = 0 for |V| <= dead zone, else sign(V) min(jump + gain (|V| - dead zone), torque limit).
    """

    dead_zone: NotNegative = Field(alias="dead_zone_V")
    """Largest voltage without torque [V]."""
    jump: NotNegative = Field(alias="jump_N_m")
    """Torque at the edge of the dead zone [N m]."""
    gain: Positive = Field(alias="gain_N_m_V")
    """Torque per volt beyond the dead zone [N m/V]."""
    torque_limit: Positive = Field(alias="torque_limit_N_m")
    """Largest torque [N m]."""


class Motor(TorqueMap):
    """A motor with its drive train, as seen at the sprocket; the same map for all by default."""

    voltage_limit: Positive = Field(alias="voltage_limit_V")
    """Largest voltage of the amplifier's command [V]."""
    inertia: Positive = Field(alias="inertia_kg_m2")
    """Inertia of the drive train about the sprocket's axle [kg m^2]."""
    damping: Positive = Field(alias="damping_N_m_s")
    """Torque lost per angular speed of the sprocket [N m s/rad]."""
    left_forward: TorqueMap | None = None
    """The map of the left side for voltages above zero, where it differs."""
    left_backward: TorqueMap | None = None
    """The map of the left side for voltages below zero, where it differs."""
    right_forward: TorqueMap | None = None
    """The map of the right side for voltages above zero, where it differs."""
    right_backward: TorqueMap | None = None
    """The map of the right side for voltages below zero, where it differs."""

    def torque_map(self, side: Side, *, forward: bool) -> TorqueMap:
        """Return the map of one side for one sign of the voltage."""
        return getattr(self, f"{side}_{'forward' if forward else 'backward'}") or self


class Drive(Table):
    """Limits of the drive train, the same for every track and wheel, and its motor if known."""

    speed_limit: Positive = Field(alias="speed_limit_m_s")
    """Largest speed of a belt or a wheel's rim [m/s]."""
    acceleration_limit: Positive = Field(alias="acceleration_limit_m_s2")
    """Largest change of that speed per second [m/s^2]."""
    torque_limit: Positive | None = Field(default=None, alias="torque_limit_N_m")
    """Largest torque at the sprocket; None if not known [N m]."""
    sprocket_radius: Positive | None = Field(default=None, alias="sprocket_radius_m")
    """Belt speed per angular speed of the sprocket; see `Robot.sprocket_radius` [m]."""
    speed_map: SpeedMap | None = None
    """Speeds of the free belts by duty, for robots with a board; None if not measured."""
    motor: Motor | None = None
    """The motor, for models that have motors."""
