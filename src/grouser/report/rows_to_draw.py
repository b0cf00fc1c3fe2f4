"""Fewer rows for the same picture."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from grouser.log import Column, Log

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


def thin_run(blocks: Iterable[Log], rows: int, most: int = MOST_ROWS) -> Log:
    """Return those rows of a long log in which any column has a peak or a gap, and both ends.

    Args:
        blocks: The log in blocks of rows, of which only one need be in memory at a time; at least
            one.
        rows: How many rows they have altogether.
        most: About how many rows are kept for the sake of each column.
    """
    kept: list[Log] = []
    for block in blocks:
        few = max(-(-len(block) * most // max(rows, 1)), 2)
        found = np.unique(np.concatenate([rows_to_draw(block[name], few) for name in block]))
        columns = {name: Column(c.values[found], c.unit) for name, c in block.columns.items()}
        kept.append(Log(columns, block.provenance))
    joined = {
        name: Column(np.concatenate([part[name] for part in kept]), column.unit)
        for name, column in kept[0].columns.items()
    }
    return Log(joined, kept[0].provenance)
