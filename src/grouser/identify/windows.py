"""Windows of a record, fitted with independent start poses so that their errors are independent."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.identify.pieces import piece_of_observations
from grouser.identify.record import Record

MIN_WINDOW_LENGTH, MAX_WINDOW_LENGTH = 1.0, 5.0
"""Limits of the length of a window [s]."""
TARGET_WINDOWS = 40
"""Number of windows that the window length is chosen for."""
MIN_WINDOWS = 4
MIN_DURATION = 2.5
"""Shortest drive that is fitted [s]."""
HELD_BELTS = 0.15
"""How long before and behind a piece its first and last belt speeds are taken to hold [s] [A]."""
MIN_OBSERVATIONS = 3
"""Fewest observations in a window; its alignment takes up one pose."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Windows:
    """Observations of a record that are fitted, and the window of each."""

    rows: NDArray[np.intp]
    """Rows of the observation, in order [1]."""
    starts: NDArray[np.intp]
    """Index into `rows` of the first observation of each window [1]."""
    number: NDArray[np.intp]
    """Index of the window of each of `rows` [1]."""

    def __len__(self) -> int:
        return self.starts.size


def window_length(record: Record) -> float:
    """Return the window length for a record, long enough for a slow camera [s]."""
    length = float(np.clip(record.duration / TARGET_WINDOWS, MIN_WINDOW_LENGTH, MAX_WINDOW_LENGTH))
    length = min(length, record.duration / MIN_WINDOWS)
    if record.steady or record.observation.time.size < 2:
        return length
    period = float(np.median(np.diff(record.observation.time)))
    return max(length, MIN_OBSERVATIONS * period * (1.0 + 1e-9))


def cut_windows(
    record: Record,
    length: float,
    used: NDArray[np.bool_] | None = None,
    time_offset: float | None = None,
) -> Windows:
    """Return the windows, of about a length [s], of the used observations; none spans a gap.

    With a `time_offset` of the observations' clock [s], only those at times with belt speeds.
    """
    times = record.observation.time
    finite = np.isfinite(record.observation.values)
    # A position needs both coordinates; of a pose or a velocity, each channel can be used alone.
    known = finite.all(axis=0) if record.observation.kind == "position" else finite.any(axis=0)
    chosen = np.asarray(known if used is None else used & known)
    if record.steady:
        rows = np.flatnonzero(chosen)
        return Windows(rows=rows, starts=np.arange(rows.size), number=np.arange(rows.size))
    piece = piece_of_observations(record)
    first = record.time[record.first][piece]
    duration = np.maximum(record.durations[piece], 1e-9)
    inside = piece >= 0
    if time_offset is not None:
        slack = max(record.period, HELD_BELTS) + 1e-9
        at = times - time_offset - first
        inside &= (at >= -slack) & (at <= duration + slack)
    count = np.maximum(np.round(duration / length), 1.0)
    label = np.clip(np.floor((times - first) / duration * count), 0, count - 1) + 1e6 * piece
    rows = np.flatnonzero(chosen & inside)
    _, number, counts = np.unique(label[rows], return_inverse=True, return_counts=True)
    enough = counts >= MIN_OBSERVATIONS
    rows, number = rows[enough[number]], (np.cumsum(enough) - 1)[number[enough[number]]]
    starts = np.searchsorted(number, np.arange(int(enough.sum())))
    return Windows(rows=rows, starts=starts, number=number)
