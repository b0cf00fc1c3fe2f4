"""Meshes that are dropped on a page: checked, thinned to what a page can show, kept anew.

Corners in the same cell of a grid become one. As each triangle keeps its three corners or loses
its area, a closed surface stays closed.
"""

from pathlib import Path
from typing import Any

import numpy as np

from grouser import limits
from grouser.description.mesh_file import Points, Triangles, read_mesh
from grouser.description.mesh_formats import write_stl
from grouser.errors import InvalidDescription

MILLIMETRES = 20.0
"""Size of a mesh above which its unit is taken as the millimetre [1]."""
_COARSER = 1.2  # by which cells grow until a mesh is thin enough


def keep_mesh(file: Path, kept: str) -> dict[str, Any]:
    """Read a mesh and write it anew as binary STL, thinned if it is too large.

    Returns:
        `triangles` of the file; `kept`, those that were written; `low` and `high`, least and
        greatest coordinates in the unit of the file [1]; `scale`, the length of that unit: a metre,
        or a millimetre if the mesh is large [m].

    Raises:
        InvalidDescription: The file is no closed mesh; see `read_mesh`.
    """
    vertices, triangles = read_mesh(file, 1.0)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    count = len(triangles)
    if count > limits.PAGE_TRIANGLES:
        vertices, triangles = thin(vertices, triangles, limits.PAGE_TRIANGLES)
    write_stl(Path(kept), vertices, triangles)
    try:
        read_mesh(Path(kept), 1.0)
    except InvalidDescription as error:
        problem = f"cannot be thinned to {limits.PAGE_TRIANGLES:,} triangles or kept as STL"
        raise InvalidDescription(
            file, [f"{problem}: it {each}" for each in error.mistakes]
        ) from None
    return {
        "triangles": count,
        "kept": len(triangles),
        "low": low.tolist(),
        "high": high.tolist(),
        "scale": 0.001 if (high - low).max() > MILLIMETRES else 1.0,
    }


def thin(vertices: Points, triangles: Triangles, most: int) -> tuple[Points, Triangles]:
    """Return a closed mesh of at most so many triangles, as fine as that allows."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    cell = float(np.sqrt(2.0 * area / most))
    while True:
        corners, faces = _cluster(vertices, triangles, cell)
        if len(faces) <= most:
            return corners, faces
        cell *= _COARSER


def _cluster(vertices: Points, triangles: Triangles, cell: float) -> tuple[Points, Triangles]:
    cells = np.floor((vertices - vertices.min(axis=0)) / cell).astype(np.int64)
    spans = cells.max(axis=0) + 1
    keys = (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]
    _, number = np.unique(keys, return_inverse=True)
    count = np.bincount(number)
    means = [np.bincount(number, weights=vertices[:, axis]) / count for axis in range(3)]
    faces = number[triangles]
    x, y, z = faces.T
    return np.column_stack(means), faces[(x != y) & (y != z) & (z != x)].astype(np.intp)
