"""What the ground is made of: planes and slabs (height fields have their own module).

A solid is seen from above: it has a top, whose height is linear in world x and y. `bottom` is
for models that also look from the side. A patch is paint: a surface without a height.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

from grouser.description.heightfield import HeightField
from grouser.description.rectangle import Rectangle


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """Ground without end, through (0, 0, z)."""

    name: str = "plane"
    """What it is called in drawings."""
    z: float = 0.0
    """Height at the origin of the world [m]."""
    slope: float = 0.0
    """Angle at which it rises along world x [rad]."""
    cross_slope: float = 0.0
    """Angle at which it rises along world y [rad]."""
    surface: str = "ground"
    """Name of its surface."""

    @property
    def top(self) -> tuple[float, float, float]:
        """Coefficients (a, b, c) of the height z = a x + b y + c."""
        return math.tan(self.slope), math.tan(self.cross_slope), self.z

    @property
    def is_level(self) -> bool:
        """Whether its height is the same everywhere."""
        return self.slope == 0.0 and self.cross_slope == 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slab:
    """A block with vertical sides, whose top rises or falls evenly along its length."""

    name: str = "slab"
    """What it is called in drawings."""
    footprint: Rectangle
    """What it covers, seen from above."""
    top_start: float
    """Height of its top where its length starts [m]."""
    top_end: float
    """Height of its top where its length ends [m]."""
    bottom: float = 0.0
    """Height of its underside [m]."""
    surface: str = "ground"
    """Name of its surface."""

    @property
    def is_level(self) -> bool:
        """Whether its top is the same height everywhere."""
        return self.top_start == self.top_end

    @property
    def top(self) -> tuple[float, float, float]:
        """Coefficients (a, b, c) of the height z = a x + b y + c."""
        rise = (self.top_end - self.top_start) / self.footprint.length
        a, b, c = self.footprint.along
        return rise * a, rise * b, 0.5 * (self.top_start + self.top_end) + rise * c


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A rectangle in which whatever lies on top has another surface."""

    name: str = "patch"
    """What it is called in drawings."""
    footprint: Rectangle
    """What it covers, seen from above."""
    surface: str
    """Name of its surface."""


Solid: TypeAlias = Plane | Slab | HeightField
"""Anything to stand on."""
