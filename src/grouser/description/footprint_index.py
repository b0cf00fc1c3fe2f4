"""Index of footprints: which of many rectangles, parallel to x and y, are at a point or in a box.

A grid for each size of footprint: level by level its cells are four times as large, and a footprint
is listed in the cells of the first level in which it is at most two cells long, so in nine of them
at most. A search looks into one cell of each level, so its cost does not grow with the number of
footprints, also when small ones lie beside large ones.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

GROWTH = 4.0
"""Size of the cells of a level over that of the level below [1]."""
CELLS = 2.0
"""Length of a footprint up to which it belongs to a level, in its cells [1]."""
FINEST = 2.0**-20
"""Smallest size of a cell over the extent of everything [1]."""


class FootprintIndex:
    """Footprints by number, from their lowest and highest x and y (n, 2) [m].

    A point on the border is inside. Numbers come in ascending order.
    """

    def __init__(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        self._low, self._high = low, high
        self._origin = low.min(axis=0)
        sizes = (high - low).max(axis=1)
        span = float((high.max(axis=0) - self._origin).max())
        finest = max(float(sizes.min()), FINEST * span, 1e-9)
        cells = np.maximum(sizes / finest / CELLS, 1.0)
        level = np.ceil(np.log(cells) / np.log(GROWTH)).astype(np.intp)
        self._levels = [
            _Level(
                np.flatnonzero(level == number), low, high, self._origin, finest * GROWTH**number
            )
            for number in np.unique(level)
        ]

    def at(self, x: float, y: float) -> Sequence[int]:
        """Return the numbers of footprints that may be at one point; none is left out."""
        from_x, from_y = x - float(self._origin[0]), y - float(self._origin[1])
        found: list[int] = []
        for level in self._levels:
            found += level.at(from_x, from_y)
        return sorted(found) if len(self._levels) > 1 else found

    def pairs(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs of points and footprints that may be there, both by number."""
        from_x, from_y = x - self._origin[0], y - self._origin[1]
        points, items = zip(*(level.pairs(from_x, from_y) for level in self._levels), strict=True)
        return np.concatenate(points), np.concatenate(items)

    def overlapping(
        self, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs of boxes (k, 2), (k, 2) [m] and footprints that have a point in common.

        In ascending order: all of the first box, all of the second, and so on.
        """
        boxes, items = zip(
            *(level.overlapping(low - self._origin, high - self._origin) for level in self._levels),
            strict=True,
        )
        pairs = np.unique(np.concatenate(boxes) * len(self._low) + np.concatenate(items))
        box, item = np.divmod(pairs, len(self._low))
        overlap = (self._low[item] <= high[box]) & (self._high[item] >= low[box])
        both = overlap.all(axis=1)
        return box[both], item[both]

    def neighbours(self, distance: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs of footprints not farther apart than a distance along x and y [m].

        In ascending order; each is a neighbour of itself.
        """
        return self.overlapping(self._low - distance, self._high + distance)


class _Level:
    """The cells of one size that hold something, in the order of their keys."""

    def __init__(
        self,
        items: NDArray[np.intp],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        origin: NDArray[np.float64],
        cell: float,
    ) -> None:
        self._cell = cell
        first = np.floor((low[items] - origin) / cell).astype(np.int64)
        last = np.floor((high[items] - origin) / cell).astype(np.int64)
        self._columns, self._rows = (int(count) for count in last.max(axis=0) + 1)
        keys, listed = [], []
        reach = (last - first).max(axis=0)
        for step in np.ndindex(*(int(count) + 1 for count in reach)):
            place = first + step
            covered = (place <= last).all(axis=1)
            keys.append(place[covered, 0] * self._rows + place[covered, 1])
            listed.append(items[covered])
        key, item = np.concatenate(keys), np.concatenate(listed)
        order = np.lexsort((item, key))
        self._items = item[order]
        self._keys, starts = np.unique(key[order], return_index=True)
        self._starts = np.append(starts, len(order))
        self._used_columns = np.unique(self._keys // self._rows)
        self._known: dict[int, list[int]] = {}

    def at(self, x: float, y: float) -> list[int]:
        column, row = x / self._cell, y / self._cell
        if not (0.0 <= column < self._columns and 0.0 <= row < self._rows):  # also NaN
            return []
        key = int(column) * self._rows + int(row)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._of_cell(key)
        return found

    def _of_cell(self, key: int) -> list[int]:
        place = int(np.searchsorted(self._keys, key))
        if place == len(self._keys) or self._keys[place] != key:
            return []
        return self._items[self._starts[place] : self._starts[place + 1]].tolist()

    def pairs(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        column, row = np.floor(x / self._cell), np.floor(y / self._cell)
        within = (column >= 0.0) & (column < self._columns) & (row >= 0.0) & (row < self._rows)
        points = np.flatnonzero(within)
        key = column[points].astype(np.int64) * self._rows + row[points].astype(np.int64)
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        is_kept = self._keys[place] == key
        points, place = points[is_kept], place[is_kept]
        return _listed(points, self._items, self._starts[place], self._starts[place + 1])

    def overlapping(
        self, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        most = self._columns - 1, self._rows - 1
        first = np.clip(np.floor(low / self._cell), 0, most).astype(np.int64)
        last = np.clip(np.floor(high / self._cell), 0, most).astype(np.int64)
        start = np.searchsorted(self._used_columns, first[:, 0])
        end = np.searchsorted(self._used_columns, last[:, 0], side="right")
        boxes, columns = _listed(np.arange(len(low)), self._used_columns, start, end)
        lowest, highest = (
            columns * self._rows + first[boxes, 1],
            columns * self._rows + last[boxes, 1],
        )
        starts = self._starts[np.searchsorted(self._keys, lowest)]
        ends = self._starts[np.searchsorted(self._keys, highest, side="right")]
        return _listed(boxes, self._items, starts, ends)


def _listed(
    owners: NDArray[np.intp],
    items: NDArray[np.intp],
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return each owner beside each of its items, which are `items[start:end]`."""
    counts = ends - starts
    before = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum())) - np.repeat(before - starts, counts)
    return np.repeat(owners, counts), items[places]
