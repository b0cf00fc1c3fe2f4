"""One increasing time axis for drives in pieces, whose own times may restart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog
from grouser.geometry import Array

PIECE_GAP = 10.0
"""Time between two pieces that were joined [s]."""
MAX_BELT_GAP = 0.5
"""Longest time between two belt speeds within a piece; longer ones separate pieces [s]."""
MAX_GAP_PERIODS = 3.5
"""The same for slow logs, over the median time between two belt speeds [1]."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeAxis:
    """Shift of the times of each named piece onto one increasing axis."""

    shifts: dict[float, float]
    """What is added to times, by the number of the piece [s]."""

    @classmethod
    def of(cls, time: Array, piece: Array, name: str) -> "TimeAxis":
        """Return the axis of these rows; InvalidLog if a piece comes twice or time goes back."""
        if not np.isfinite(piece).all():
            raise InvalidLog(name, "column piece has rows without a number; name every row's piece")
        begin = np.flatnonzero(np.diff(piece, prepend=np.nan))
        numbers, end = piece[begin], np.append(begin[1:], piece.size)
        if np.unique(numbers).size < numbers.size:
            found = numbers[np.flatnonzero(np.diff(np.sort(numbers)) == 0)[0]]
            raise InvalidLog(name, f"column piece has {found:g} in rows apart; sort rows by piece")
        first = np.array([np.nanmin(time[a:b]) for a, b in zip(begin, end, strict=True)])
        last = np.array([np.nanmax(time[a:b]) for a, b in zip(begin, end, strict=True)])
        if np.all(first[1:] > last[:-1]):
            return cls(dict.fromkeys(numbers.tolist(), 0.0))
        starts = np.cumsum(np.append(0.0, (last - first)[:-1] + PIECE_GAP))
        return cls(dict(zip(numbers.tolist(), (starts - first).tolist(), strict=True)))

    def place(self, time: Array, piece: Array | None) -> Array:
        """Return times on the axis; without pieces, those of the first [s]."""
        if piece is None:
            return time + next(iter(self.shifts.values()))
        numbers, back = np.unique(piece, return_inverse=True)
        shifts = [self.shifts.get(float(number), np.nan) for number in numbers]
        return time + np.array(shifts)[back]


def first_of_pieces(time: Array, piece: Array) -> NDArray[np.intp]:
    """Return the index of the first belt speed of each piece; a gap in time begins a new one."""
    steps = np.diff(time)
    inside = steps[np.diff(piece) == 0.0]
    period = float(np.median(inside)) if inside.size else 0.0
    longest = max(MAX_BELT_GAP, MAX_GAP_PERIODS * period)
    return np.concatenate([[0], np.flatnonzero((steps > longest) | (np.diff(piece) != 0.0)) + 1])
