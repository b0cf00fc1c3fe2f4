"""A floor with a rectangular hole, as four rectangles around it."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.description.solids import Plane
from grouser.description.surface import Rectangle


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorPiece:
    """A rectangle of a floor."""

    centre: tuple[float, float, float]
    """Its middle in the world frame [m]."""
    rotation: Rotation
    """Its own frame in the world frame: z is the normal of the floor."""
    size: tuple[float, float]
    """Its sides along its own x and y [m]."""


def cut_floor(
    plane: Plane, middle: tuple[float, float], radius: float, hole: Rectangle | None, grid: float
) -> list[FloorPiece]:
    """Return a floor around a point, with a hole that seen from above is a rectangle.

    Lines that each piece draws from its own middle, at a spacing of `grid`, meet those of the other
    pieces: all middles lie on one grid.

    Args:
        plane: The floor.
        middle: World x and y of its middle [m].
        radius: Distance from there to its edges, at least [m].
        hole: What is left out, along the axes of the world; nothing if None.
        grid: Spacing of the lines [m].
    """
    a, b, _ = plane.top
    rotation = Rotation.align_vectors([(-a, -b, 1.0)], [(0.0, 0.0, 1.0)])[0]
    x, y = middle
    origin = np.array([x, y, a * x + b * y + plane.z])
    if hole is None:
        size = 2.0 * radius, 2.0 * radius
        return [FloorPiece(centre=_triple(origin), rotation=rotation, size=size)]
    corners = np.column_stack((hole.corners, hole.corners @ (a, b) + plane.z))
    u, v = np.sort(rotation.inv().apply(corners - origin)[:, :2].T, axis=1)
    # A plane that is tilted about both axes has a skew hole; the largest rectangle in it is cut.
    u0, u1, v0, v1 = u[1], u[2], v[1], v[2]
    # A pinwheel: each piece has one side at the hole and a free one, along u and along v.
    spans = (
        (_before(u1, radius, grid), _after(v1, radius, grid)),
        (_after(u1, radius, grid), _after(v0, radius, grid)),
        (_after(u0, radius, grid), _before(v0, radius, grid)),
        (_before(u0, radius, grid), _before(v1, radius, grid)),
    )
    return [
        FloorPiece(
            centre=_triple(origin + rotation.apply((along[0], across[0], 0.0))),
            rotation=rotation,
            size=(along[1], across[1]),
        )
        for along, across in spans
    ]


def _after(edge: float, radius: float, grid: float) -> tuple[float, float]:
    """Return the middle, a multiple of `grid`, and the length of a span that begins at an edge.

    It ends beyond `radius`, wherever it begins.
    """
    middle = grid * math.ceil((0.5 * (edge + max(radius, edge)) + grid) / grid)
    return middle, 2.0 * (middle - edge)


def _before(edge: float, radius: float, grid: float) -> tuple[float, float]:
    """Return the same of a span that ends at an edge."""
    middle, length = _after(-edge, radius, grid)
    return -middle, length


def _triple(place: np.ndarray) -> tuple[float, float, float]:
    x, y, z = place.tolist()
    return x, y, z
