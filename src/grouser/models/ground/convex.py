"""Sides and corners of convex shapes."""

from itertools import combinations

import numpy as np

from grouser.geometry import Array

FEW = 12
"""Points of which all triples are tried; for more, scipy is imported, which takes longer [1]."""
SAME = 1e-9
"""Distance of points from a side that they lie on, over the size of the shape [1]."""
DIGITS = 9
"""Digits after the point to which sides are the same."""


def convex_hull(points: Array) -> tuple[Array, Array]:
    """Return the sides (k, 4) of points' convex hull, and the points that are its corners.

    A side is its outward unit normal n and d, where n x + d <= 0 inside.
    """
    if len(points) <= FEW:
        return _try_triples(points)
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    return np.unique(np.round(hull.equations, DIGITS), axis=0), points[hull.vertices]


def _try_triples(points: Array) -> tuple[Array, Array]:
    """Find the sides among the planes through three points each."""
    size = float(np.ptp(points, axis=0).max())
    a, b, c = points[np.array(list(combinations(range(len(points)), 3)))].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    good = lengths > SAME * size * size
    normals, a = normals[good] / lengths[good, None], a[good]
    normals, a = np.concatenate([normals, -normals]), np.concatenate([a, a])
    distances = points @ normals.T - (normals * a).sum(axis=1)
    outer = (distances < SAME * size).all(axis=0)
    planes = np.concatenate([normals, -(normals * a).sum(axis=1, keepdims=True)], axis=1)[outer]
    planes = np.unique(np.round(planes.astype(np.float64), DIGITS) + 0.0, axis=0)
    on = np.abs(points @ planes[:, :3].T + planes[:, 3]) < 10.0**-DIGITS + SAME * size
    return planes, points[on.sum(axis=1) >= 3]
