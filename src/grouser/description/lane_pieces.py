"""Pieces of terrain that test lanes are made of: stepfields, fields of ramps, waves, gaps."""

import math
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.heightfield import HeightField
from grouser.description.piece import PlacedPiece
from grouser.description.pieces import Incline, register_piece
from grouser.description.schema import NotNegative, Positive
from grouser.description.solids import Slab

Heights = NDArray[np.int64]


class FieldPiece(PlacedPiece):
    """A rectangle of square cells of one size, as many as fit best; placed by its middle."""

    length: Positive = Field(alias="length_m")
    """Size along its direction, rounded to whole cells [m]."""
    width: Positive = Field(alias="width_m")
    """Size across, rounded to whole cells [m]."""

    @property
    def cell(self) -> float:
        """Size of a cell [m]."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, int]:
        """Cells along and across."""
        along, across = (max(1, round(size / self.cell)) for size in (self.length, self.width))
        return along, across

    @model_validator(mode="after")
    def _has_few_cells(self) -> Self:
        along, across = (size / self.cell for size in (self.length, self.width))
        if along * across > limits.TERRAIN_PIECES:
            most = f"{limits.TERRAIN_PIECES:,}"
            raise ValueError(f"must have at most {most} cells, not {along:.4g} by {across:.4g}")
        return self

    def _cell_at(self, i: int, j: int, turn: float, start: float, end: float) -> Slab:
        """Return the block of cell i along, j across; heights of its top where it rises from."""
        along, across = self.shape
        u, v = (i + 0.5 - 0.5 * along) * self.cell, (j + 0.5 - 0.5 * across) * self.cell
        footprint = self.rectangle(u, v, self.cell, self.cell)
        turned = replace(footprint, yaw=footprint.yaw + turn) if turn else footprint
        return self.slab(turned, start, end, 0.0)


@register_piece
class StepfieldPiece(FieldPiece):
    """Square posts side by side, their heights whole numbers of units; placed by its middle.

    Each post is `pattern`, and by chance 0 to `levels` units more. `flat` starts at 0; `hill` rises
    by a unit for each post from both ends to the middle; `diagonal` does so from two corners.
    """

    kind: Literal["stepfield"] = "stepfield"
    """Kind of the piece."""
    post: Positive = Field(alias="post_m", default=0.1)
    """Width of a post [m]."""
    unit: Positive = Field(alias="unit_m", default_factory=lambda data: data["post"])
    """Height of a unit; as wide as a post when not given [m]."""
    pattern: Literal["flat", "hill", "diagonal"] = "flat"
    """Shape on the whole."""
    levels: Annotated[int, Ge(0), Le(20)] = 1
    """Units that chance adds at most [1]."""
    rise: NotNegative = 0.5
    """Units by which a hill or diagonal rises from post to post [1]."""
    seed: Annotated[int, Ge(0), Le(2**31 - 1)] = 0
    """Seed of chance: the same seed makes the same field on every machine [1]."""
    symmetric: bool = True
    """Whether it is the same from both ends: turned by half a turn, it is itself."""

    @property
    def cell(self) -> float:
        """Width of a post [m]."""
        return self.post

    @property
    def features(self) -> frozenset[str]:
        """Steps on steps, which only models in three dimensions describe."""
        return frozenset({"steps", "stairs"})

    def units(self) -> Heights:
        """Return the height of each post in units, (along, across)."""
        along, across = self.shape
        # Raw numbers of this generator never change; distributions of numpy may.
        raw = np.random.PCG64(self.seed).random_raw(along * across).reshape(along, across)
        chance = (raw >> np.uint64(33)).astype(np.int64) % (self.levels + 1)
        if self.symmetric:
            flat = chance.ravel()
            half = flat.size // 2
            flat[flat.size - half :] = flat[:half][::-1]
        i, j = np.meshgrid(np.arange(along), np.arange(across), indexing="ij")
        if self.pattern == "flat":
            return chance
        # Distance from the ends, or from two corners, in posts.
        ends = np.minimum(i, along - 1 - i)
        corners = np.minimum(i + j, along + across - 2 - i - j)
        away = ends if self.pattern == "hill" else corners
        return chance + np.floor(self.rise * away).astype(np.int64)

    def solids(self) -> tuple[Slab, ...]:
        """Return its posts; those without height are left out."""
        units = self.units()
        return tuple(
            self._cell_at(i, j, 0.0, count * self.unit, count * self.unit)
            for (i, j), count in np.ndenumerate(units)
            if count
        )


@register_piece
class RampsPiece(FieldPiece):
    """A field of small ramps, all with one angle; placed by its middle.

    `continuous`: ridges and valleys run diagonally and join without a step, also with the base at
    both ends, where ramps are less steep. `crossing`: each ramp is turned by a quarter against its
    neighbours, so that they meet in steps.
    """

    kind: Literal["ramps"] = "ramps"
    """Kind of the piece."""
    cell_size: Positive = Field(alias="cell_m", default=0.6)
    """Side of the square of one ramp [m]."""
    angle: Incline = Field(alias="angle_deg", default=15.0, validate_default=True)
    """Angle of the ramps [rad]."""
    pattern: Literal["continuous", "crossing"] = "continuous"
    """How the ramps join."""

    @property
    def cell(self) -> float:
        """Side of the square of one ramp [m]."""
        return self.cell_size

    @property
    def height(self) -> float:
        """Height of the highest edges above its base [m]."""
        across = math.sqrt(0.5) if self.pattern == "continuous" else 1.0
        return across * self.cell_size * math.tan(self.angle)

    @property
    def features(self) -> frozenset[str]:
        """Rough ground, or slopes that end in vertical faces."""
        return frozenset({"rough"} if self.pattern == "continuous" else {"slopes", "drops"})

    def solids(self) -> tuple[HeightField | Slab, ...]:
        """Return one field without steps, or a block for each ramp."""
        along, across = self.shape
        if self.pattern == "crossing":
            return tuple(
                self._cell_at(i, j, 0.5 * math.pi * ((i + j) % 4), 0.0, self.height)
                for i in range(along)
                for j in range(across)
            )
        i, j = np.meshgrid(np.arange(along + 1), np.arange(across + 1))
        ridge = ((i + j) % 2 == 1) & (i > 0) & (i < along)
        field = HeightField(
            name=self.label,
            x=self.x,
            y=self.y,
            yaw=self.yaw,
            spacing_along=self.cell_size,
            spacing_across=self.cell_size,
            heights=self.base + np.where(ridge, self.height, 0.0),
            surface=self.surface,
        )
        # Ridges run from the left end of a row to the right end of the next: the other diagonal.
        return (field.turned,)


NODES_PER_WAVE = 24
"""Nodes along one wave; straight lines between them lie within 0.5 % of its height [1]."""


@register_piece
class WavesPiece(PlacedPiece):
    """Waves one behind the other, from trough to trough; placed by its middle."""

    kind: Literal["waves"] = "waves"
    """Kind of the piece."""
    count: Annotated[int, Ge(1), Le(limits.PIECES)] = 3
    """Number of waves [1]."""
    wave_length: Positive = Field(alias="wave_length_m")
    """Distance from crest to crest [m]."""
    height: Positive = Field(alias="height_m")
    """Height of crests above troughs [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""

    @property
    def features(self) -> frozenset[str]:
        """Rough ground."""
        return frozenset({"rough"})

    def solids(self) -> tuple[HeightField, ...]:
        """Return its height field."""
        phase = np.arange(self.count * NODES_PER_WAVE + 1) / NODES_PER_WAVE
        profile = 0.5 * self.height * (1.0 - np.cos(2.0 * np.pi * phase))
        return (
            HeightField(
                name=self.label,
                x=self.x,
                y=self.y,
                yaw=self.yaw,
                spacing_along=self.wave_length / NODES_PER_WAVE,
                spacing_across=self.width,
                heights=self.base + np.stack((profile, profile)),
                surface=self.surface,
            ),
        )


@register_piece
class GapPiece(PlacedPiece):
    """Two platforms with a gap between them; placed by the middle of the gap."""

    kind: Literal["gap"] = "gap"
    """Kind of the piece."""
    gap: Positive = Field(alias="gap_m")
    """Width of the gap, along its direction [m]."""
    length: Positive = Field(alias="length_m")
    """Length of each platform [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""
    height: Positive = Field(alias="height_m")
    """Height of the platforms, and so depth of the gap [m]."""

    @property
    def features(self) -> frozenset[str]:
        """A gap to bridge, and steps at both ends."""
        return frozenset({"steps", "gaps"})

    def solids(self) -> tuple[Slab, ...]:
        """Return the two platforms."""
        place = 0.5 * (self.gap + self.length)
        return tuple(
            self.slab(
                self.rectangle(u, 0.0, self.length, self.width), self.height, self.height, 0.0
            )
            for u in (-place, place)
        )
