"""Vertices and triangles of boxes, cylinders and cones, and how they are set on the ground."""

import numpy as np
from numpy.typing import NDArray

from grouser.description.mesh import Mesh
from grouser.description.piece import PlacedPiece

Points = NDArray[np.float64]
Triangles = NDArray[np.intp]


def box_shape(length: float, width: float, height: float) -> tuple[Points, Triangles]:
    """Return a box around the origin, its edges along x, y, z."""
    x, y = 0.5 * length, 0.5 * width
    ring = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
    return prism_shape(ring, ring, height)


def round_shape(
    radius: float, top_radius: float, height: float, facets: int
) -> tuple[Points, Triangles]:
    """Return a cylinder or cone around the origin, its axis along z, as a prism or pyramid.

    Its corners lie on the circles, one of them ahead, and so one behind, left and right if
    `facets` is a multiple of four. Left and right are equal to the last bit.
    """
    turns = np.arange(facets) / facets
    half = np.cos(2.0 * np.pi * turns), np.sin(2.0 * np.pi * turns)
    circle = np.column_stack(half)
    # A corner and its mirror image differ in the sign of y only.
    circle[facets // 2 + 1 :] = circle[1 : (facets + 1) // 2][::-1] * [1.0, -1.0]
    circle[0], tip = (1.0, 0.0), top_radius == 0.0
    if facets % 2 == 0:
        circle[facets // 2] = (-1.0, 0.0)
    top = np.zeros((1, 2)) if tip else top_radius * circle
    return prism_shape(radius * circle, top, height)


def prism_shape(bottom: Points, top: Points, height: float) -> tuple[Points, Triangles]:
    """Return the solid between a polygon below and one of as many corners, or a tip, above.

    Polygons (n, 2) are convex and counter-clockwise seen from above; the middle of the height is 0.
    """
    n, m = len(bottom), len(top)
    low, high = np.full(n, -0.5 * height), np.full(m, 0.5 * height)
    points = np.concatenate((np.column_stack((bottom, low)), np.column_stack((top, high))))
    here = np.arange(n)
    after = np.roll(here, -1)
    if m == 1:
        sides = np.column_stack((here, after, np.full(n, n)))
        return points, np.concatenate((_fan(n)[:, ::-1], sides))
    first = np.column_stack((here, after, after + n))
    second = np.column_stack((here, after + n, here + n))
    return points, np.concatenate((_fan(n)[:, ::-1], _fan(n) + n, first, second))


def _fan(count: int) -> Triangles:
    """Return the triangles of a convex polygon, all with its first corner."""
    rest = np.arange(1, count - 1)
    return np.column_stack((np.zeros_like(rest), rest, rest + 1))


def place_shape(
    piece: PlacedPiece,
    shape: tuple[Points, Triangles],
    roll: float = 0.0,
    pitch: float = 0.0,
) -> Mesh:
    """Return a shape as the solid of a piece: rolled, pitched, turned, and set on its base.

    The origin of the shape comes to lie above the place of the piece; its lowest corner touches
    the base. Roll is about x, positive to the right side down, pitch about y, positive to the
    front down, both [rad].
    """
    points, triangles = shape
    x, y, z = points.T
    (cr, sr), (cp, sp), (cy, sy) = (
        (np.cos(angle), np.sin(angle)) for angle in (roll, pitch, piece.yaw)
    )
    y, z = cr * y - sr * z, sr * y + cr * z
    x, z = cp * x + sp * z, cp * z - sp * x
    x, y = cy * x - sy * y, sy * x + cy * y
    placed = np.column_stack((piece.x + x, piece.y + y, piece.base + (z - z.min())))
    return Mesh(
        name=piece.label,
        vertices=placed,
        triangles=triangles,
        surface=piece.surface,
        is_convex=True,
    )
