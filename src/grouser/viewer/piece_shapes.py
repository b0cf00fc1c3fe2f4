"""Where the pieces of a course are: which one a ray meets, how large it is, what it looks like."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from trimesh import Trimesh

from grouser.description import Course
from grouser.description.file_pieces import FilePiece
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.piece import Piece, PlacedPiece
from grouser.description.solids import Plane, Slab, Solid
from grouser.drawing import ground_mesh
from grouser.drawing.mesh import box, join, moved
from grouser.geometry import rotate
from grouser.viewer.building import Placing
from grouser.viewer.pointer import Point, Ray

INTO = 0.002
"""How far behind the point where a ray meets a piece the piece is looked for [m]."""
SHEET = 0.008
"""Thickness of the mark of a patch [m]."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest box around a piece, in the piece's own frame."""

    low: tuple[float, float, float]
    """Least coordinates along its length, across it to the left, and upwards [m]."""
    high: tuple[float, float, float]
    """Greatest coordinates [m]."""


class Shapes:
    """The pieces of a course as shapes."""

    def __init__(self, course: Course) -> None:
        self.course = course

    def pick(self, ray: Ray, place: Point) -> int | None:
        """Return the piece that a ray meets at a place on the ground; None for the plain ground."""
        x, y, z = (p + INTO * d for p, d in zip(place, ray.direction, strict=True))
        best, found = -math.inf, None
        for number, (piece, solids) in enumerate(
            zip(self.course.pieces, self._solids, strict=True)
        ):
            tops = [_top(solid, x, y) for solid in solids]
            top = max((top for top in tops if not math.isnan(top)), default=-math.inf)
            if top >= z - INTO and top > best:
                best, found = top, number
            for patch in piece.patches():  # lies on what is there, so it is met first
                if bool(patch.footprint.contains(x, y)) and best <= z + INTO:
                    found = number
        return found

    def bounds(self, number: int) -> Bounds:
        """Return the box around a piece in its own frame."""
        piece = self.course.pieces[number]
        corners = list(_corners(piece, self._solids[number]))
        points = np.concatenate(corners) if corners else np.zeros((1, 3))
        if isinstance(piece, PlacedPiece):
            u, v = rotate(points[:, 0] - piece.x, points[:, 1] - piece.y, -piece.yaw)
            points = np.column_stack((u, v, points[:, 2] - piece.base))
        return Bounds(_triple(points.min(axis=0)), _triple(points.max(axis=0)))

    def mark(self, number: int) -> Trimesh:
        """Return a mesh that marks a piece, in its own frame; for a file the box around it."""
        piece = self.course.pieces[number]
        if isinstance(piece, FilePiece) and piece.file is not None:
            bounds = self.bounds(number)
            size = [high - low for low, high in zip(bounds.low, bounds.high, strict=True)]
            middle = [0.5 * (a + b) for a, b in zip(bounds.low, bounds.high, strict=True)]
            block = box((max(size[0], SHEET), max(size[1], SHEET), max(size[2], SHEET)))
            return moved(block, (middle[0], middle[1], middle[2]))
        return mark_piece(piece)

    @cached_property
    def _solids(self) -> tuple[tuple[Solid, ...], ...]:
        """What each piece is made of; files are not read again."""
        of_files = iter(s for s in self.course.terrain.solids if isinstance(s, HeightField | Mesh))
        found = []
        for piece in self.course.pieces:
            if isinstance(piece, FilePiece):
                found.append((next(of_files),))
            else:
                solids = piece.solids()
                for solid in solids:
                    if isinstance(solid, HeightField | Mesh):
                        next(of_files)
                found.append(solids)
        return tuple(found)


def mark_piece(piece: Piece) -> Trimesh:
    """Return a mesh of a piece without a file, in the piece's own frame."""
    home = {"x": 0.0, "y": 0.0, "yaw": 0.0, "base": 0.0}
    local = piece.model_copy(update=home) if isinstance(piece, PlacedPiece) else piece
    parts: list[Trimesh] = []
    for solid in local.solids():
        match solid:
            case Slab():
                parts.append(ground_mesh.slab_mesh(solid))
            case HeightField():
                parts.append(ground_mesh.field_mesh(solid))
            case Mesh():
                parts.append(ground_mesh.solid_mesh(solid))
    for patch in local.patches():
        where = patch.footprint
        sheet = box((where.length, where.width, SHEET))
        parts.append(moved(sheet, (where.x, where.y, 0.5 * SHEET)))
    return join(parts)


def placing_of(course: Course, number: int) -> Placing:
    """Return where a piece of a course stands."""
    piece = course.pieces[number]
    if not isinstance(piece, PlacedPiece):
        return Placing(0.0, 0.0)
    return Placing(piece.x, piece.y, piece.yaw, piece.base)


def _top(solid: Solid, x: float, y: float) -> float:
    """Return the height of a solid at a place; NaN beside it, and for planes [m]."""
    match solid:
        case Slab():
            a, b, c = solid.top
            return a * x + b * y + c if solid.footprint.contains(x, y) else math.nan
        case HeightField() | Mesh():
            return float(solid.height(x, y))
        case Plane():
            return math.nan


def _corners(piece: Piece, solids: tuple[Solid, ...]) -> Iterator[NDArray[np.float64]]:
    """Yield points (n, 3) around all that a piece is made of [m]."""
    for solid in solids:
        if isinstance(solid, Slab):
            for height in (solid.bottom, solid.top_start, solid.top_end):
                yield _at(solid.footprint.corners, height)
        elif isinstance(solid, HeightField):
            for height in (np.nanmin(solid.heights), np.nanmax(solid.heights)):
                yield _at(solid.footprint.corners, float(height))
        elif isinstance(solid, Mesh):
            yield np.asarray(solid.vertices, np.float64)
    for patch in piece.patches():
        yield _at(patch.footprint.corners, 0.0)


def _triple(values: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _at(corners: NDArray[np.float64], height: float) -> NDArray[np.float64]:
    return np.column_stack((corners, np.full(len(corners), height)))
