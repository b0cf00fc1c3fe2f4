"""Lines of equal height on height fields: without them low bumps look like a flat carpet."""

import math

import numpy as np
from numpy.typing import NDArray
from trimesh import Trimesh

from grouser.description.heightfield import HeightField
from grouser.drawing.ground_mesh import LIFT, field_mesh

LINES = 4
"""About how many lines a field has from its lowest to its highest place [1]."""
FLAT = 1e-3
"""Relief below which a field has no lines [m]."""
MOST = 20_000
"""Most pieces of lines of a field: what is rougher than that is seen without them [1]."""


def contour_lines(field: HeightField) -> NDArray[np.float64]:
    """Return the lines of equal height of a field, a little above it, as pieces (n, 2, 3) [m]."""
    mesh = field_mesh(field)
    count = len(mesh.vertices) // 2
    top = np.asarray(mesh.vertices)
    faces = np.asarray(mesh.faces)
    faces = faces[(faces < count).all(axis=1)]
    heights = top[np.unique(faces), 2] if len(faces) else np.zeros(1)
    low, high = float(heights.min()), float(heights.max())
    if high - low < FLAT:
        return np.empty((0, 2, 3))
    step = round_step((high - low) / LINES)
    levels = step * np.arange(math.floor(low / step) + 1, math.ceil(high / step))
    found = [_cut(top[faces], level) for level in levels]
    lines = np.concatenate(found) if found else np.empty((0, 2, 3))
    return lines + (0.0, 0.0, LIFT) if len(lines) <= MOST else np.empty((0, 2, 3))


def round_step(size: float) -> float:
    """Return the nearest of 1, 2 and 5 times a power of ten that is not above a size [m]."""
    power = 10.0 ** math.floor(math.log10(size))
    return max(factor for factor in (1.0, 2.0, 5.0) if factor * power <= size * (1 + 1e-9)) * power


def bands(lines: NDArray[np.float64], width: float) -> Trimesh:
    """Return pieces of lines (n, 2, 3) as flat bands of a width [m]."""
    start, end = lines[:, 0], lines[:, 1]
    along = end - start
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    side = 0.5 * width * np.column_stack((-along[:, 1], along[:, 0], np.zeros(len(along)))) / length
    corners = np.stack((start - side, end - side, end + side, start + side), axis=1)
    first = 4 * np.arange(len(lines))[:, None]
    faces = np.concatenate((first + (0, 1, 2), first + (0, 2, 3)))
    return Trimesh(vertices=corners.reshape(-1, 3), faces=faces, process=False)


def _cut(triangles: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return where triangles (n, 3, 3) meet a height: a piece of line each (m, 2, 3) [m]."""
    above = triangles[:, :, 2] > level
    parted = triangles[(above.sum(axis=1) % 3) != 0]
    above = parted[:, :, 2] > level
    # The corner that is alone on its side comes first: both of its edges meet the height.
    alone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), above.argmin(axis=1))
    order = (alone[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(parted, order[:, :, None], axis=1).transpose(1, 0, 2)
    ends = []
    for other in (b, c):
        share = (level - a[:, 2]) / (other[:, 2] - a[:, 2])
        ends.append(a + share[:, None] * (other - a))
    return np.stack(ends, axis=1)
