"""Height fields as ground: where they lie on a map, and gaps between their nodes.

Maps have elevations above the sea and coordinates of their own. A course has its origin near the
robot, so a datum says where this origin lies on the map.
"""

import math
from dataclasses import replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator, model_validator

from grouser import limits
from grouser.description.file_pieces import HeightFieldPiece
from grouser.description.heightfield import HeightField
from grouser.description.piece import Piece
from grouser.description.schema import Mistakes, Number, Table
from grouser.description.solids import Plane, Solid
from grouser.geometry import Scalar
from grouser.notices import LOGGER

GAP = 10
"""Spacings of the widest gap that is filled where a height field is the ground [1]."""


class Datum(Table):
    """Where the origin of a course lies on a map: x is east, y north, z the elevation."""

    east: Number | None = Field(alias="east_m", default=None)
    """Easting of the course's origin; None if it is not known [m]."""
    north: Number | None = Field(alias="north_m", default=None)
    """Northing of the course's origin; None if it is not known [m]."""
    elevation: Number | None = Field(alias="elevation_m", default=None)
    """Elevation that has the height 0 in the course; None to choose that at the start [m]."""

    @field_validator("*", mode="before")
    @classmethod
    def _is_within_range(cls, value: Any, info: ValidationInfo) -> Any:
        most = limits.LENGTH if info.field_name == "elevation" else limits.COORDINATE
        if isinstance(value, int | float) and not abs(value) <= most:
            raise Mistakes([f" must be from {-most:g} to {most:g} m, not {value:g}"])
        return value

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.east is None) != (self.north is None):
            raise ValueError("needs east_m and north_m, or neither")
        return self

    def to_map(self, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return easting, northing and elevation of a place in the course [m].

        Easting and northing are counted from the course's origin if the map has none.
        """
        return x + (self.east or 0.0), y + (self.north or 0.0), z + (self.elevation or 0.0)


def fill_gaps(
    heights: NDArray[np.float64], spacings: tuple[float, float], widest: float
) -> NDArray[np.float64]:
    """Return heights whose narrow gaps are filled; what is wider, or open at a border, stays NaN.

    A node is filled where two known nodes lie on both sides of it, in its row or its column, and
    at most `widest` apart: linearly between them, the narrower way counting more if both are there.

    Args:
        heights: Heights of the nodes (rows, columns), NaN in gaps [m].
        spacings: Distances of columns and of rows [m].
        widest: Widest gap, from known node to known node [m].
    """
    filled = heights.copy()
    total, weights = np.zeros(heights.shape), np.zeros(heights.shape)
    ways = (heights, total, weights), (heights.T, total.T, weights.T)
    for (known, sums, shares), spacing in zip(ways, spacings, strict=True):
        nodes, values, gaps = _between(known, int(widest / spacing + 1e-9))
        rows, columns = np.divmod(nodes, known.shape[1])
        share = (gaps * spacing) ** -2.0
        sums[rows, columns] += share * values
        shares[rows, columns] += share
    found = weights > 0.0
    filled[found] = total[found] / weights[found]
    return filled


def _between(
    heights: NDArray[np.float64], widest: int
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Return the nodes in gaps of rows, by rows, the heights there, and the gaps' widths."""
    flat = np.ravel(heights)
    known = np.flatnonzero(~np.isnan(flat))
    first, last = known[:-1], known[1:]
    width = last - first
    is_gap = (width > 1) & (width <= widest)
    is_gap &= first // heights.shape[1] == last // heights.shape[1]
    first, last, width = first[is_gap], last[is_gap], width[is_gap]
    inside = width - 1
    begins = np.repeat(np.cumsum(inside) - inside, inside)
    steps = np.arange(len(begins)) - begins + 1
    share = steps / np.repeat(width, inside)
    low, high = np.repeat(flat[first], inside), np.repeat(flat[last], inside)
    nodes = np.repeat(first, inside) + steps
    return nodes, low + (high - low) * share, np.repeat(width, inside).astype(np.float64)


Part: TypeAlias = tuple[Piece, Solid]
"""A solid, and the piece that it is made of."""


def level_fields(
    parts: list[Part], start: tuple[float, float], given: Datum | None
) -> tuple[tuple[Solid, ...], Datum | None]:
    """Return the solids, height fields of maps and arrays filled and levelled, and the datum.

    Not those whose heights the course states itself, in numbers or as black and white. Without a
    plane, such fields are the ground: narrow gaps are filled, and the height at the start (x, y) is
    0 unless the datum states an elevation [m].
    """
    is_ground = not any(isinstance(solid, Plane) for _, solid in parts)
    maps = {
        number: _fill(piece, solid, is_ground=is_ground)
        for number, (piece, solid) in enumerate(parts)
        if isinstance(piece, HeightFieldPiece)
        and isinstance(solid, HeightField)
        and piece.file is not None
        and piece.height_range is None
    }
    if not maps:
        return tuple(solid for _, solid in parts), given
    elevation = 0.0 if given is None else given.elevation
    if is_ground and (given is None or given.elevation is None):
        there = [float(field.height(*start)) for field in maps.values()]
        elevation = max((height for height in there if not math.isnan(height)), default=0.0)
    origin = next((m.origin_on_map for m in maps.values() if m.origin_on_map), (None, None))
    if given is not None and given.east is not None:
        origin = given.east, given.north
    datum = Datum(east_m=origin[0], north_m=origin[1], elevation_m=elevation or 0.0)
    for number, field in maps.items():
        maps[number] = replace(field, heights=field.heights - (elevation or 0.0))
    solids = (maps.get(number, solid) for number, (_, solid) in enumerate(parts))
    is_known = elevation or origin[0] is not None or given is not None
    return tuple(solids), datum if is_known else None


def _fill(piece: HeightFieldPiece, field: HeightField, *, is_ground: bool) -> HeightField:
    """Return a field of a file without its narrow gaps, and say what was filled."""
    spacings = field.spacing_along, field.spacing_across
    widest = piece.fill if piece.fill is not None else GAP * max(spacings) if is_ground else 0.0
    unknown = int(np.isnan(field.heights).sum())
    if not (unknown and widest):
        return field
    filled = fill_gaps(field.heights, spacings, widest)
    left = int(np.isnan(filled).sum())
    LOGGER.warning(
        "%s: %s of %s nodes have no height: %s in gaps of up to %.3g m were filled, and %s stay "
        "holes (fill_m is the widest gap that is filled).",
        piece.file, f"{unknown:,}", f"{filled.size:,}", f"{unknown - left:,}", widest, f"{left:,}",
    )  # fmt: skip
    return replace(field, heights=filled)
