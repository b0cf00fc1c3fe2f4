"""Flippers: tracks on a hinge, also called sub-tracks."""

import math
from typing import Self

from pydantic import Field, model_validator

from grouser.description.schema import (
    Degrees,
    Mistakes,
    NotNegative,
    PartName,
    Positive,
    PositiveDegrees,
    Side,
    Table,
    Vector,
)
from grouser.description.track import Belt


class Flipper(Table):
    """A belt on an arm that turns about y.

    The flipper's frame has its origin in the hinge and is parallel to the body frame at angle 0.
    Positive angles are about y: they lower what is ahead of the hinge and raise what is behind.
    """

    name: PartName
    """What it is called; unique in the robot."""
    side: Side
    """On which side of the hull it is; its belt runs with the drives of that side."""
    hinge: Vector = Field(alias="hinge_m")
    """The hinge in the body frame, y in the middle of the belt [m]."""
    limits: tuple[Degrees, Degrees] = Field(alias="limits_deg")
    """Smallest and largest angle [rad]."""
    rest_angle: Degrees = Field(default=0.0, alias="rest_deg")
    """Angle at which it is kept when nothing else is asked for [rad]."""
    speed_limit: PositiveDegrees = Field(alias="speed_limit_deg_s")
    """Largest angular speed [rad/s]."""
    torque_limit: Positive | None = Field(default=None, alias="torque_limit_N_m")
    """Largest torque of the hinge; None if not known [N m]."""
    mass: NotNegative = Field(default=0.0, alias="mass_kg")
    """Mass that is not counted in the body's [kg]."""
    track: Belt
    """The belt; its loop is in the flipper's frame."""

    @model_validator(mode="after")
    def _angles_are_ordered(self) -> Self:
        low, high = (math.degrees(angle) for angle in self.limits)
        rest = math.degrees(self.rest_angle)
        mistakes = []
        if low >= high:
            mistakes.append(f"limits_deg must rise, not go from {low:g} to {high:g}")
        elif not low - 1e-9 <= rest <= high + 1e-9:
            mistakes.append(
                f"rest_deg must be within limits_deg, {low:g} to {high:g}, not {rest:g}"
            )
        if mistakes:
            raise Mistakes(mistakes)
        return self

    @property
    def raising_sign(self) -> float:
        """Sign of the angle that raises its tip: -1 if it points ahead of the hinge, else 1 [1]."""
        rear, front, _, _ = self.track.loop.bounds
        return -1.0 if front + rear >= 0.0 else 1.0

    def centre_at(self, angle: float) -> tuple[float, float, float]:
        """Return the middle of its loop's box when turned by `angle`, in the body frame [m]."""
        rear, front, low, high = self.track.loop.bounds
        x, z = 0.5 * (rear + front), 0.5 * (low + high)
        cos, sin = math.cos(angle), math.sin(angle)
        return self.hinge[0] + x * cos + z * sin, self.hinge[1], self.hinge[2] - x * sin + z * cos
