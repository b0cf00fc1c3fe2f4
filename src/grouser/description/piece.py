"""Base of all tables `[[terrain]]` of a course file."""

import math
from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from grouser.description.schema import Degrees, Name, Number, Table
from grouser.description.solids import Patch, Slab, Solid
from grouser.description.surface import GROUND, Rectangle

FEATURES = ("slopes", "steps", "stairs", "gaps", "rough", "drops", "treadmill", "mesh", "soil")
"""Features that a course may need: slopes, single steps, stairs, gaps to bridge, rough ground,
slopes that end in a vertical face, ground that runs like the belt of a treadmill, shapes of any
kind, which may overhang, and soft ground."""


class Piece(Table):
    """A part of the terrain: solids, or a patch."""

    name: Name | Literal[""] = ""
    """Name in drawings; its kind when not given."""
    surface: Name = GROUND
    """Name of its surface, one of the tables `[surfaces.NAME]`."""

    @property
    def label(self) -> str:
        """Name for messages and drawings."""
        return self.name or str(type(self).model_fields["kind"].default)

    @property
    def features(self) -> frozenset[str]:
        """Features that a model needs for it, of `FEATURES`."""
        return frozenset()

    def solids(self) -> tuple[Solid, ...]:
        """Return what it is made of."""
        return ()

    def patches(self) -> tuple[Patch, ...]:
        """Return what it paints."""
        return ()


class PlacedPiece(Piece):
    """A part of the terrain that has a place. Its tops do not tilt with the ground below."""

    x: Number = Field(alias="x_m", default=0.0)
    """Position along world x, of a point that depends on the kind [m]."""
    y: Number = Field(alias="y_m", default=0.0)
    """Its place along world y [m]."""
    yaw: Degrees = Field(alias="yaw_deg", default=0.0)
    """Direction of its length, counter-clockwise from world x [rad]."""
    base: Number = Field(alias="base_m", default=0.0)
    """Height that it stands on [m]."""

    def rectangle(self, u: float, v: float, length: float, width: float) -> Rectangle:
        """Return a rectangle by its middle, u along the length of the piece, v to its left."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return Rectangle(
            x=self.x + u * cos - v * sin,
            y=self.y + u * sin + v * cos,
            yaw=self.yaw,
            length=length,
            width=width,
        )

    def slab(self, footprint: Rectangle, top_start: float, top_end: float, bottom: float) -> Slab:
        """Return a slab of this piece; heights are above its base."""
        return Slab(
            name=self.label,
            footprint=footprint,
            top_start=self.base + top_start,
            top_end=self.base + top_end,
            bottom=self.base + bottom,
            surface=self.surface,
        )

    def row(
        self, start: float, width: float, stretches: Iterable[tuple[float, float, float]]
    ) -> tuple[Slab, ...]:
        """Return slabs one behind the other, the first from `start` along the length on [m].

        Each stretch is a length and the heights at its start and end; without length, left out [m].
        """
        slabs: list[Slab] = []
        for length, top_start, top_end in stretches:
            if length > 0.0:
                footprint = self.rectangle(start + 0.5 * length, 0.0, length, width)
                slabs.append(self.slab(footprint, top_start, top_end, 0.0))
            start += length
        return tuple(slabs)
