"""Measured slip, centres of rotation, smooth terms, traction curves and turning of a robot."""

from typing import Annotated, Self, TypeAlias

from annotated_types import Gt, Interval, Le
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.schema import (
    Degrees,
    Factor,
    Friction,
    Mistakes,
    NotNegative,
    Number,
    PerDegree,
    Positive,
    Table,
)

Ratio = Annotated[Number, Interval(ge=-1.0, lt=1.0)]
"""A slip ratio 1 - ground speed / belt speed: below 1, at which the robot stands."""


class Wheelbase(Table):
    """What the equivalent wheelbase follows from, P0 eq 7."""

    length: Positive = Field(alias="length_m")
    """Distance a between front and rear wheel centres [m]."""
    width: Positive = Field(alias="width_m")
    """Distance b between left and right wheel centres [m]."""
    offset_x: Number = Field(default=0.0, alias="offset_x_m")
    """Offset along x between centre of mass and geometric centre, as it enters the equation [m]."""
    offset_y: Number = Field(default=0.0, alias="offset_y_m")
    """Offset along y between centre of mass and geometric centre, as it enters the equation [m]."""
    gamma: Annotated[Number, Interval(ge=-limits.FACTOR, le=limits.FACTOR)] = 1.0
    """Factor of the offset along y, found by experiment [1]."""


class Icr(Table):
    """Instantaneous centres of rotation of the two sides, in the body frame."""

    left_y: Positive = Field(alias="left_y_m")
    """Where the left side's centre is along y [m]."""
    right_y: Annotated[Number, Interval(lt=0.0)] = Field(alias="right_y_m")
    """Where the right side's centre is along y; negative [m]."""
    x: Number = Field(default=0.0, alias="x_m")
    """Where both centres are along x [m]."""
    left_y_per_speed: Number = Field(default=0.0, alias="left_y_per_speed_s")
    """How the left centre moves along y with the mean speed of the belts [s]."""
    right_y_per_speed: Number = Field(default=0.0, alias="right_y_per_speed_s")
    """How the right centre moves along y with the mean speed of the belts [s]."""
    left_y_per_contrast: Number = Field(default=0.0, alias="left_y_per_contrast_m")
    """How far the left centre moves along y from driving straight to turning on the spot [m]."""
    right_y_per_contrast: Number = Field(default=0.0, alias="right_y_per_contrast_m")
    """How far the right centre moves along y from driving straight to turning on the spot [m]."""
    x_per_speed: Number = Field(default=0.0, alias="x_per_speed_s")
    """How both centres move along x with the mean speed of the belts [s]."""
    drift: Number = Field(default=0.0, alias="drift_s")
    """Angle of sideslip per yaw rate, outward positive: vy is less by drift vx yaw_rate [s]."""

    @property
    def stays(self) -> bool:
        """Whether the centres do not move."""
        return not any(value for name, value in self if "_per_" in name)

    def mirrored(self) -> "Icr":
        """Return the centres seen in a mirror that exchanges left and right."""
        kinds = ("y", "y_per_speed", "y_per_contrast")
        swapped = {f"left_{kind}": -getattr(self, f"right_{kind}") for kind in kinds}
        swapped |= {f"right_{kind}": -getattr(self, f"left_{kind}") for kind in kinds}
        return self.model_copy(update=swapped)


Coefficients5: TypeAlias = tuple[Number, Number, Number, Number, Number]
"""Five coefficients."""
Coefficients6: TypeAlias = tuple[Number, Number, Number, Number, Number, Number]
"""Six coefficients."""
Share = Annotated[Number, Interval(ge=0.0, le=1.0)]
"""A number from 0 to 1."""


Contrast = Annotated[Number, Interval(ge=-1.0, le=1.0)]
"""Half the difference of the belts over the faster one: -1 to the right, 1 to the left."""


class DrivenWay(Table):
    """How a robot was driven ahead, back or on the spot when its smooth terms were measured."""

    fastest: NotNegative = Field(alias="fastest_m_s")
    """Speed of the faster belt, at most; 0 if it was not driven [m/s]."""
    right: Contrast = -1.0
    """Contrast of the belts, at least: negative in turns to the right [1]."""
    left: Contrast = 1.0
    """Contrast of the belts, at most: positive in turns to the left [1]."""

    @model_validator(mode="after")
    def _range_rises(self) -> Self:
        if self.left < self.right:
            raise Mistakes([f"left must not be below right, {self.right:g}, not {self.left:g}"])
        return self

    def mirrored(self) -> "DrivenWay":
        """Return the same seen in a mirror that exchanges left and right."""
        return self.model_copy(update={"right": -self.left, "left": -self.right})


class Smooth(Table):
    """Motion as a smooth function of speed and contrast of the belts, and where it was measured.

    The terms are those of `laws.smooth_slip`: forward is a, yaw is b, leftward is e there.
    """

    forward: Coefficients6
    """Coefficients a0 to a5 of the forward speed [1]."""
    yaw: Coefficients6
    """Coefficients b0 to b5 of the yaw rate [1]."""
    leftward: Coefficients5
    """Coefficients e0 to e4 of the leftward speed [1]."""
    fastest: Positive = Field(alias="fastest_m_s")
    """Speed S of the faster belt, at most, when they were measured [m/s]."""
    contrast_low: Share = 0.0
    """Size of the belts' contrast, at least, when they were measured [1]."""
    contrast_high: Share = 1.0
    """Size of the belts' contrast, at most, when they were measured [1]."""
    ahead: DrivenWay | None = None
    """Range ahead; all of the above if None."""
    back: DrivenWay | None = None
    """Range in reverse; all of the above if None."""
    spot: DrivenWay | None = None
    """Range on the spot, above a contrast of 0.75; all of the above if None."""

    @model_validator(mode="after")
    def _range_rises(self) -> Self:
        low, high = self.contrast_low, self.contrast_high
        if not low < high:
            raise Mistakes([f"contrast_high must be above contrast_low, {low:g}, not {high:g}"])
        return self

    def mirrored(self) -> "Smooth":
        """Return the terms seen in a mirror: a5 and b5, the difference of the sides, turn sign."""
        update = {k: (*getattr(self, k)[:5], -getattr(self, k)[5]) for k in ("forward", "yaw")}
        ways = {k: getattr(self, k) for k in ("ahead", "back", "spot")}
        turned = {k: way.mirrored() for k, way in ways.items() if way is not None}
        return self.model_copy(update=update | turned)


class Slip(Table):
    """Slip of the two sides; a robot without numbers here does not slip."""

    left: Ratio = 0.0
    """Slip ratio of the left side when driving straight on level ground [1]."""
    right: Ratio = 0.0
    """Slip ratio of the right side when driving straight on level ground [1]."""
    slip_angle: Degrees = Field(default=0.0, alias="slip_angle_deg")
    """Angle from forward to the direction of motion when driving straight, positive left [rad]."""
    turning_left: Ratio = Field(default_factory=lambda data: data["left"])
    """Slip ratio of the left side in turns; without it, as when driving straight [1]."""
    turning_right: Ratio = Field(default_factory=lambda data: data["right"])
    """Slip ratio of the right side in turns; without it, as when driving straight [1]."""
    turning_slip_angle: Degrees = Field(default=0.0, alias="turning_slip_angle_deg")
    """Angle from forward to the direction of motion in turns, positive left [rad]."""
    slope_coefficient: PerDegree = Field(default=0.0, alias="slope_per_deg")
    """Rise of the slip ratios per angle of the slope climbed [1/rad]."""
    wheelbase: Wheelbase | None = None
    """What the equivalent wheelbase follows from; None if not measured."""
    icr: Icr | None = None
    """Instantaneous centres of rotation; None if not measured."""
    smooth: Smooth | None = None
    """Motion as a smooth function of the belt speeds; None if not measured."""

    @model_validator(mode="after")
    def _angles_are_small(self) -> Self:
        if max(abs(self.slip_angle), abs(self.turning_slip_angle)) >= 1.57:
            raise ValueError("slip angles must be between -90 and 90 deg")
        return self

    def mirrored(self) -> "Slip":
        """Return the slip seen in a mirror that exchanges left and right.

        The equivalent wheelbase stays: it describes the effective width, which no mirror
        changes, and its offset along y is a correction of that width (P0 eq 7), not a place.
        """
        turned = {"slip_angle": -self.slip_angle, "turning_slip_angle": -self.turning_slip_angle}
        return super().mirrored().model_copy(update=turned)


class ForceCurve(Table):
    """A magic formula: F = D sin(C atan(B s - E (B s - atan(B s)))) over a slip s."""

    stiffness_factor: Positive
    """B, for slips in radians or as a ratio [1]."""
    shape_factor: Positive
    """C [1]."""
    largest_force: Positive = Field(alias="largest_force_N")
    """D [N]."""
    curvature_factor: Annotated[Number, Le(1.0)] = 0.0
    """E [1]."""


class Traction(Table):
    """Forces of the whole robot across, and of each track along, on one surface."""

    friction: Annotated[Friction, Gt(0.0)]
    """Coefficient of friction of the surface on which they were measured [1]."""
    lateral: ForceCurve
    """Force of the whole robot across, over its sideslip angle."""
    track: ForceCurve
    """Force of one track along, over its slip ratio."""
    shift: Number = 0.0
    """Horizontal shift of that slip ratio, which models rolling resistance [1]."""


class Turning(Table):
    """What P2's geometric turning model takes from experiments."""

    offset_ahead: Number = Field(alias="offset_ahead_m")
    """Distance D of the point that does not slide sideways, ahead of the centre of gravity [m]."""
    speed_difference_slope: Factor = 1.0
    """True speed difference of the two sides per difference of the wheels' speeds, eq 19 [1]."""
    speed_difference_intercept: Number = Field(default=0.0, alias="speed_difference_intercept_m_s")
    """True speed difference that eq 19 adds in a turn [m/s]."""
    smallest_speed_difference: NotNegative = Field(
        default=0.0, alias="smallest_speed_difference_m_s"
    )
    """Difference of the wheels' speeds below which no turn was measured [m/s]."""
