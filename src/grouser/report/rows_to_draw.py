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
    length = -(-count // (most // 2))
    rows = np.arange(0, count, length)
    # The last stretch is filled up with its own last value.
    stretches = np.pad(values, (0, len(rows) * length - count), mode="edge").reshape(-1, length)
    known = np.isfinite(stretches)
    kept = (
        [0, count - 1],
        rows + np.where(known, stretches, np.inf).argmin(axis=1),
        rows + np.where(known, stretches, -np.inf).argmax(axis=1),
        (rows + known.argmin(axis=1))[~known.all(axis=1)],
    )
    return np.unique(np.minimum(np.concatenate(kept), count - 1))
