"""Pieces that are placed on height fields stand on their lowest place: nothing hangs in the air."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from grouser.description import Course
from grouser.description.pieces import AnyPiece
from grouser.description.terrain import Terrain
from grouser.geometry import rotate
from grouser.viewer.building import Placing, Table
from grouser.viewer.piece_shapes import mark_piece

SAMPLES = 15
"""Places along and across a piece at which the ground below it is found [1]."""
ON_IT = 0.02
"""How near to a height field a piece counts as placed on it [m]."""
SHEETS = ("patch", "heightfield", "mesh", "plane")
"""Kinds of pieces that lie on the ground by themselves, or bring their own."""
_PIECE: TypeAdapter[Any] = TypeAdapter(AnyPiece)


def sink(table: Table, course: Course) -> Table:
    """Return a piece that is placed on a height field, with its base where that is lowest below it.

    Pieces on planes and on other pieces stay as they are.
    """
    placing = Placing.of(table)
    bed = _bed(table, course)
    if bed is None or abs(_height(bed, placing) - placing.base) > ON_IT:
        return table
    low, high = mark_piece(_PIECE.validate_python(dict(table))).bounds[:, :2]
    along, across = np.meshgrid(*np.linspace(low, high, SAMPLES).T)
    x, y = rotate(along.ravel(), across.ravel(), placing.yaw)
    heights = np.asarray(bed.height(x + placing.x, y + placing.y))
    base = float(np.nanmin(np.append(heights, placing.base)))
    return {**table, "base_m": replace(placing, base=base).values()["base_m"]}


def carry(before: Table, moved: Table, course: Course) -> Table:
    """Return a piece that was moved: one that stood on a height field follows the ground."""
    bed, old = _bed(moved, course), Placing.of(before)
    if bed is None or old.base - _height(bed, old) > ON_IT:
        return moved
    base = _height(bed, Placing.of(moved))
    return moved if math.isnan(base) else sink({**moved, "base_m": base}, course)


def _bed(table: Table, course: Course) -> Terrain | None:
    """Return the planes and height fields that a piece may stand on; None if it stays as it is."""
    terrain = course.terrain
    if table["kind"] in SHEETS or "file" in table or not terrain.fields:
        return None
    return replace(terrain, solids=(*terrain.planes, *terrain.fields))


def _height(bed: Terrain, placing: Placing) -> float:
    return float(bed.height(placing.x, placing.y))
