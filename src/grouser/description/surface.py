"""Surfaces and the rectangles that they cover."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from grouser import limits
from grouser.description.schema import Factor, Friction, Number, Table
from grouser.description.soil import Soil, complete_soil
from grouser.geometry import Scalar

GROUND = "ground"
"""Name of the surface of everything that names no other."""


FRICTION = 0.8
"""Coefficient of friction of a surface that states none and has no soil [1]."""


def _own_friction(data: dict[str, Any]) -> float:
    soil: Soil | None = data["soil"]
    return FRICTION if soil is None else math.tan(soil.friction_angle)


class Surface(Table):
    """A surface, as a table `[surfaces.NAME]`."""

    soil: Annotated[Soil | None, BeforeValidator(complete_soil)] = None
    """What lies under the surface; None for firm ground."""
    friction: Friction = Field(default_factory=_own_friction)
    """Coefficient of friction between track and ground, along the track; 0.8 when not given, and
    the tangent of the soil's angle where there is one [1]."""
    friction_across: Friction = Field(default_factory=lambda data: data["friction"])
    """Coefficient of friction across the track; as along it when not given [1]."""
    slip_factor: Factor = 1.0
    """Slip here as a multiple of that on the surface where the robot's slip was measured [1]."""
    law: dict[str, Number] = Field(default={}, max_length=limits.TRACKS)
    """Numbers for friction laws other than Coulomb's, by the law's own keys [its units]."""

    @model_serializer(mode="wrap")
    def _leave_out_what_is_absent(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # The hash of a course must not change because surfaces may have a law or a soil.
        return {key: value for key, value in write(self).items() if value not in ({}, None)}


EDGE_TOLERANCE = 1e-9
"""A point this far outside still counts as inside, so that neighbours leave no slit [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangle:
    """A rectangle in world coordinates: u along its length, v across it to the left."""

    x: float
    """Centre along world x [m]."""
    y: float
    """Centre along world y [m]."""
    yaw: float = 0.0
    """Direction of its length, counter-clockwise from world x [rad]."""
    length: float
    """Size along `yaw` [m]."""
    width: float
    """Size across `yaw` [m]."""

    @property
    def along(self) -> tuple[float, float, float]:
        """Coefficients (a, b, c) of the distance u = a x + b y + c from the centre along length."""
        a, b = math.cos(self.yaw), math.sin(self.yaw)
        return a, b, -(a * self.x + b * self.y)

    @property
    def across(self) -> tuple[float, float, float]:
        """Coefficients (a, b, c) of the distance v = a x + b y + c from the centre to the left."""
        a, b = -math.sin(self.yaw), math.cos(self.yaw)
        return a, b, -(a * self.x + b * self.y)

    @property
    def corners(self) -> NDArray[np.float64]:
        """Corners (4, 2) counter-clockwise, from the right end of the start edge [m]."""
        u = 0.5 * self.length * np.array([-1.0, 1.0, 1.0, -1.0])
        v = 0.5 * self.width * np.array([-1.0, -1.0, 1.0, 1.0])
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return np.stack((self.x + u * cos - v * sin, self.y + u * sin + v * cos), axis=-1)

    @property
    def half_sizes(self) -> tuple[float, float]:
        """Half of length and width, each with the tolerance at the edge [m]."""
        return 0.5 * self.length + EDGE_TOLERANCE, 0.5 * self.width + EDGE_TOLERANCE

    def contains(self, x: Scalar, y: Scalar) -> bool | NDArray[np.bool_]:
        """Return whether points lie inside or on the edge."""
        (a, b, c), (d, e, f) = self.along, self.across
        half_length, half_width = self.half_sizes
        return (abs(a * x + b * y + c) <= half_length) & (abs(d * x + e * y + f) <= half_width)
