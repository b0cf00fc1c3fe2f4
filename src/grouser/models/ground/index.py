"""Which boxes lie in which cell of a square grid."""

import numpy as np

from grouser.geometry import Array
from grouser.models.ground.facets import Indices, face_corners

MARGIN = 0.05
"""Features this much farther than `reach` still find room in buffers [m]."""
MOST_CELLS, MOST_ITEMS = 4_000_000, 16_000_000
"""Cells of the index, and numbers listed in them, at most; the latter may hinder only speed."""


def face_boxes(faces: Array) -> Array:
    """Return least x, y and greatest x, y of faces."""
    corners = face_corners(faces)[..., :2]
    return np.hstack((corners.min(axis=1), corners.max(axis=1)))


def edge_boxes(edges: Array) -> Array:
    """Return least x, y and greatest x, y of edges."""
    start, end = edges[:, :2], edges[:, :2] + edges[:, 3:5] * edges[:, 6:7]
    return np.hstack((np.minimum(start, end), np.maximum(start, end)))


def make_index(
    faces: Array, edges: Array, reach: float
) -> tuple[Array, Indices, Indices, Indices, Indices, int, int]:
    """Return cells, starts and items of faces and edges, and the most of each within reach."""
    every = np.concatenate((faces, edges))
    if not len(every):
        every = np.zeros((1, 4))
    low, size = every[:, :2].min(axis=0), 0.5 * reach
    extent = every[:, 2:].max(axis=0) - low
    size = max(size, float(np.sqrt(extent.prod() / MOST_CELLS)), float(extent.max()) / MOST_CELLS)
    while True:
        shape = (extent / size).astype(np.int64) + 1
        spans = [box_spans(boxes, low, size, shape) for boxes in (faces, edges)]
        listed = sum(int(_sizes(span).prod(axis=1).sum()) for span in spans)
        if shape.prod() <= MOST_CELLS and listed <= max(MOST_ITEMS, 4 * len(every)):
            break
        size *= 1.25
    window = int(2.0 * (reach + MARGIN) / size) + 2
    (face_starts, face_items), (edge_starts, edge_items) = (
        list_boxes(span, shape) for span in spans
    )
    most = [max(1, _most_in_window(span, shape, window)) for span in spans]
    cells = np.array([*low, 1.0 / size, *shape], np.float64)
    return cells, face_starts, face_items, edge_starts, edge_items, most[0], most[1]


def box_spans(boxes: Array, low: Array, size: float, shape: Indices) -> Indices:
    """Return the first and last cell of each box along x and y (n, 4)."""
    cells = np.floor((boxes - np.tile(low, 2)) / size).astype(np.int64)
    return np.clip(cells, 0, np.tile(shape - 1, 2))


def _sizes(spans: Indices) -> Indices:
    return spans[:, 2:] - spans[:, :2] + 1


def list_boxes(spans: Indices, shape: Indices) -> tuple[Indices, Indices]:
    """Return where the list of each cell begins, and the boxes in the cells."""
    sizes = _sizes(spans)
    which, k = expand(sizes.prod(axis=1))
    wide = sizes[which, 0]
    cell = (spans[which, 1] + k // wide) * shape[0] + spans[which, 0] + k % wide
    order = np.argsort(cell, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(cell, minlength=int(shape.prod())))))
    return starts.astype(np.int64), which[order]


def expand(counts: Indices) -> tuple[Indices, Indices]:
    """Return for each of counts[i] repetitions the number i, and which repetition it is."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)


def _most_in_window(spans: Indices, shape: Indices, window: int) -> int:
    """Return how many boxes a square of window x window cells meets at most.

    A box meets the square in a rectangle of cells, which has one cell more than it has pairs of
    neighbours, fours counted back: so cells - pairs + fours counts every box once.
    """
    if not len(spans):
        return 0
    total = 0
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        x0, y0, x1, y1 = (spans + [0, 0, 1 - dx, 1 - dy]).T
        some = (x1 > x0) & (y1 > y0)
        grid = np.zeros((shape[1] + 1, shape[0] + 1), np.int64)
        for x, y, sign in ((x0, y0, 1), (x1, y0, -1), (x0, y1, -1), (x1, y1, 1)):
            np.add.at(grid, (y[some], x[some]), sign)
        sums = grid.cumsum(axis=0).cumsum(axis=1).cumsum(axis=0).cumsum(axis=1)
        sums = np.pad(sums[:-1, :-1], ((1, 0), (1, 0)))
        # Squares begin at every cell; what would reach over the end is cut there.
        ends = [np.minimum(np.arange(n) + window, n) for n in (shape[1], shape[0])]
        lasts = [np.maximum(e - d, np.arange(len(e))) for e, d in zip(ends, (dy, dx), strict=True)]
        rows = sums[lasts[0]] - sums[:-1]
        part = rows[:, lasts[1]] - rows[:, :-1]
        total = total + (part if dx == dy else -part)
    return int(np.max(total))
