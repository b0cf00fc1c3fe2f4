"""Belts, tracks, grousers and flippers."""

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from pydantic import Field, SerializerFunctionWrapHandler, Strict, model_serializer, model_validator

from grouser import limits
from grouser.description.loop import Loop
from grouser.description.loop_shape import LoopShape
from grouser.description.schema import (
    Degrees,
    Mistakes,
    NotNegative,
    NotNegativeDegrees,
    Number,
    PartName,
    Positive,
    PositiveDegrees,
    Side,
    Table,
    Vector,
)


class Grousers(Table):
    """The ribs across a belt, all alike and evenly spaced."""

    count: Annotated[int, Strict(), Ge(1), Le(limits.PIECES)]
    """How many the belt carries."""
    shape: Literal["cuboid", "trapezoid", "triangle", "polygon"]
    """Cross-section in the plane of the track."""
    length: Positive = Field(alias="length_m")
    """Length along the belt at the base [m]."""
    top_length: NotNegative | None = Field(default=None, alias="top_length_m")
    """Length along the belt at the top, of a trapezoid [m]."""
    height: Positive = Field(alias="height_m")
    """How far they stand out of the belt [m]."""
    corners: tuple[tuple[Number, Number], ...] = Field(
        default=(), alias="corners_m", max_length=limits.TRACKS
    )
    """Corners of a polygon beyond its base, (along the belt's travel, out of the belt), from the
    end ahead to the end behind [m]."""
    width: Positive | None = Field(default=None, alias="width_m")
    """Width across the belt; without it, that of the belt [m]."""

    @model_validator(mode="after")
    def _top_fits_shape(self) -> Self:
        if self.shape == "trapezoid" and self.top_length is None:
            raise ValueError("top_length_m is missing, which a trapezoid needs")
        if self.shape != "trapezoid" and self.top_length is not None:
            raise ValueError(f"top_length_m is for a trapezoid, and the shape is {self.shape}")
        return self

    @model_validator(mode="after")
    def _corners_fit_shape(self) -> Self:
        if (self.shape == "polygon") != bool(self.corners):
            raise ValueError("give corners_m for a polygon, and only for a polygon")
        if self.corners:
            reach = max(out for _, out in self.corners)
            if not math.isclose(reach, self.height):
                raise ValueError(
                    f"height_m must be that of corners_m, {reach:g}, not {self.height:g}"
                )
            if not _is_convex(self.profile):
                raise ValueError(
                    "corners_m must make a convex shape with the base, ordered from ahead to behind"
                )
        return self

    @model_serializer(mode="wrap")
    def _leave_out_no_corners(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # The hash of a robot must not change because others may have corners.
        return {key: value for key, value in write(self).items() if value not in ((), [])}

    @property
    def profile(self) -> tuple[tuple[float, float], ...]:
        """Corners of the cross-section, (along the belt's travel, out of the belt) [m]."""
        base = 0.5 * self.length
        if self.corners:
            return ((-base, 0.0), (base, 0.0), *self.corners)
        top = {"cuboid": base, "triangle": 0.0}.get(self.shape, 0.5 * (self.top_length or 0.0))
        tip = ((top, self.height), (-top, self.height)) if top else ((0.0, self.height),)
        return ((-base, 0.0), (base, 0.0), *tip)


def _is_convex(corners: tuple[tuple[float, float], ...]) -> bool:
    """Return whether a polygon turns to the same side, counter-clockwise, at each corner."""
    around = zip(corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True)
    return all((b[0] - a[0]) * (c[1] - b[1]) > (b[1] - a[1]) * (c[0] - b[0]) for a, b, c in around)


class SoilContact(Table):
    """How a belt's own material grips soil, where no grousers make soil shear on soil."""

    adhesion: NotNegative = Field(alias="adhesion_Pa")
    """Shear stress that it holds without pressure [Pa]."""
    friction_angle: NotNegativeDegrees = Field(alias="friction_angle_deg")
    """Angle whose tangent is shear stress per pressure [rad]."""

    @model_validator(mode="after")
    def _angle_is_possible(self) -> Self:
        degrees = math.degrees(self.friction_angle)
        if degrees > limits.SOIL_ANGLE:
            allowed = f"0 to {limits.SOIL_ANGLE:g}"
            raise Mistakes([f"friction_angle_deg must be from {allowed}, not {degrees:g}"])
        return self


class Belt(Table):
    """A belt that runs around a loop."""

    width: Positive = Field(alias="width_m")
    """Width of the belt, along y [m]."""
    shape: LoopShape = Field(alias="loop")
    """Its loop as the file gives it; see `loop`."""
    grousers: Grousers | None = None
    """Its ribs; None for a smooth belt."""
    soil_contact: SoilContact | None = None
    """Its own grip on soil; None where that is assumed to be the soil's cohesion and friction."""

    @model_serializer(mode="wrap")
    def _leave_out_no_soil_contact(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # The hash of a robot must not change because others may state it.
        content = write(self).items()
        return {key: value for key, value in content if key != "soil_contact" or value is not None}

    @property
    def loop(self) -> Loop:
        """The path of the belt's outer side, grousers not counted."""
        return self.shape.loop

    @property
    def pitch(self) -> float | None:
        """Distance from one grouser to the next along the belt; None without grousers [m]."""
        return self.loop.length / self.grousers.count if self.grousers else None

    @property
    def grouser_places(self) -> NDArray[np.float64]:
        """Distances along the belt of the grousers' middles; the first is half a pitch in [m]."""
        count = self.grousers.count if self.grousers else 0
        return (np.arange(count, dtype=np.float64) + 0.5) * (self.pitch or 0.0)

    @model_validator(mode="after")
    def _grousers_fit(self) -> Self:
        if self.grousers and self.pitch and self.grousers.length >= self.pitch:
            raise ValueError(
                f"grousers.length_m must be less than the pitch, which is the belt's length "
                f"{self.loop.length:.6g} m / {self.grousers.count} = {self.pitch:.6g} m, "
                f"not {self.grousers.length:.6g}"
            )
        return self


class Track(Belt):
    """A belt on the hull. Its loop is in the body frame, with the ground at z = 0."""

    name: PartName
    """Name, unique in the robot."""
    side: Side
    """On which side of the hull it is."""
    y: Number = Field(alias="y_m")
    """Where its centre line is, positive to the left [m]."""
    mass: NotNegative = Field(default=0.0, alias="mass_kg")
    """Mass that is not counted in the body's [kg]."""

    @property
    def centre(self) -> tuple[float, float, float]:
        """Middle of the box around its loop, in the body frame [m]."""
        rear, front, low, high = self.loop.bounds
        return 0.5 * (rear + front), self.y, 0.5 * (low + high)


class Flipper(Table):
    """A belt on an arm that turns about y.

    The flipper's frame has its origin in the hinge and is parallel to the body frame at angle 0.
    Positive angles are about y: they lower what is ahead of the hinge and raise what is behind.
    """

    name: PartName
    """Name, unique in the robot."""
    side: Side
    """On which side of the hull it is; its belt runs with the drives of that side."""
    hinge: Vector = Field(alias="hinge_m")
    """The hinge in the body frame, y in the middle of the belt [m]."""
    limits: tuple[Degrees, Degrees] = Field(alias="limits_deg")
    """Smallest and largest angle [rad]."""
    rest_angle: Degrees = Field(default=0.0, alias="rest_deg")
    """Angle at which it is held without a command [rad]."""
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
        if low >= high:
            raise Mistakes([f"limits_deg must rise, not go from {low:g} to {high:g}"])
        if not low - 1e-9 <= rest <= high + 1e-9:
            allowed = f"{low:g} to {high:g}"
            raise Mistakes([f"rest_deg must be within limits_deg, {allowed}, not {rest:g}"])
        return self

    @property
    def is_front(self) -> bool:
        """Whether its hinge is ahead of the origin."""
        return self.hinge[0] > 0.0

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
