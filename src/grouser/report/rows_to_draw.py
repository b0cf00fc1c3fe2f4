"""Fewer rows for the same picture."""

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 2000
"""Rows that a line on a screen can use."""


def rows_to_draw(values: NDArray[np.float64], most: int = MOST_ROWS) -> NDArray[np.intp]:
    """Return which rows to draw so that peaks and gaps stay: all, or about `most` of them.

    Long logs are cut into stretches; the lowest, the highest and the first missing value of
    each stay, and both ends.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    kept = {0, count - 1}
    edges = np.linspace(0, count, most // 2 + 1).astype(int)
    for first, last in zip(edges[:-1], edges[1:], strict=True):
        stretch = values[first:last]
        known = np.flatnonzero(np.isfinite(stretch))
        if known.size:
            kept.add(first + int(known[np.argmin(stretch[known])]))
            kept.add(first + int(known[np.argmax(stretch[known])]))
        if known.size < stretch.size:
            kept.add(first + int(np.argmin(np.isfinite(stretch))))
    return np.array(sorted(kept))
