"""Windows of a record, fitted with independent start poses so that their errors are independent.

Also: which part of a record is held out of a fit, and the prediction errors there.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grouser.identify.record import Record

MIN_WINDOW_LENGTH, MAX_WINDOW_LENGTH = 1.0, 5.0
"""Limits of the length of a window [s]."""
TARGET_WINDOWS = 40
"""Number of windows that the window length is chosen for."""
MIN_WINDOWS = 4
MAX_BELT_GAP = 0.5
"""Longest time between two belt speeds within a window [s]."""
MAX_CLOCK_OFFSET = 0.5
"""Largest clock offset between belt speeds and observations, either way [s]."""
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


def window_length(records: tuple[Record, ...]) -> float:
    """Return the window length for these records, long enough for a slow camera [s]."""
    duration = sum(record.duration for record in records)
    length = float(np.clip(duration / TARGET_WINDOWS, MIN_WINDOW_LENGTH, MAX_WINDOW_LENGTH))
    length = min(length, duration / MIN_WINDOWS)
    if any(record.steady for record in records):
        return length
    periods = [np.diff(r.observation.time) for r in records if r.observation.time.size > 1]
    period = max((float(np.median(steps)) for steps in periods), default=0.0)
    return max(length, MIN_OBSERVATIONS * period * (1.0 + 1e-9))


def cut_windows(
    record: Record, length: float, used: NDArray[np.bool_], margin: float = MAX_CLOCK_OFFSET
) -> Windows:
    """Return the windows, of a length [s], of the used observations; none spans a gap.

    `margin` is the time without observations at both ends of the belt speeds [s].
    """
    times = record.observation.time
    finite = np.isfinite(record.observation.values)
    # A position needs both coordinates; of a pose or a velocity, each channel can be used alone.
    known = finite.all(axis=0) if record.observation.kind == "position" else finite.any(axis=0)
    if record.steady:
        rows = np.flatnonzero(used & known)
        return Windows(rows=rows, starts=np.arange(rows.size), number=np.arange(rows.size))
    # Belt speeds must be known for every clock offset within the margin.
    first, last = record.time[0] + margin - 1e-9, record.time[-1] - margin + 1e-9
    inside = (times >= first) & (times <= last)
    rows = np.flatnonzero(used & known & inside)
    late = record.time[np.flatnonzero(record.steps > MAX_BELT_GAP)]
    # A window ends after its length, at a gap of the belt speeds, and at an unused observation.
    piece = np.searchsorted(late, times, side="right") + np.cumsum(~used)
    label = np.floor((times - record.time[0]) / length).astype(np.int64) + 10**6 * piece
    labels, number, counts = np.unique(label[rows], return_inverse=True, return_counts=True)
    enough = counts >= MIN_OBSERVATIONS
    rows, number = rows[enough[number]], (np.cumsum(enough) - 1)[number[enough[number]]]
    starts = np.searchsorted(number, np.arange(int(enough.sum())))
    return Windows(rows=rows, starts=starts, number=number)


PREDICTION_HORIZONS = (1.0, 5.0, 10.0)
"""Times after which prediction errors are taken [s]."""
HOLD_OUT_SHARE = 1.0 / 3.0
"""Held-out share of the data [1]."""
MIN_HOLD_OUT_LENGTH = 12.0
"""Shortest held-out part, longer than the longest horizon [s]."""


def training_mask(record: Record) -> NDArray[np.bool_]:
    """Return for each observation whether it is used for the fit; the others are held out.

    Of a long drive every third part is held out, of a short one the last third; of a table of
    steady states a random third of the rows.
    """
    times = record.observation.time
    if record.steady:
        order = np.random.default_rng(0).permutation(times.size)
        training = np.ones(times.size, dtype=bool)
        training[order[: round(HOLD_OUT_SHARE * times.size)]] = False
        return training
    begin, end = float(record.time[0]), float(record.time[-1])
    parts = max(3 * int((end - begin) / (3.0 * MIN_HOLD_OUT_LENGTH)), 3)
    edges = np.linspace(begin, end, parts + 1)
    number = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, parts - 1)
    return number % 3 != 2


def true_ranges(used: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first row and end (exclusive) of each range of rows that are True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], used, [False]))))
    return [(int(a), int(b)) for a, b in list(pairwise(edges))[::2]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOut:
    """Errors of predictions from many starts in held-out data."""

    position: dict[float, float]
    """Root mean square position error, by horizon [m]."""
    heading: dict[float, float]
    """Root mean square heading error, by horizon [rad]."""
    per_metre: float
    """Position error after the longest horizon over distance driven; NaN without positions [1]."""
    starts: int
    """Number of predictions."""
    errors: tuple[float, ...]
    """Squared errors for the comparison of families, one for each start [m^2 or rad^2]."""
    horizon: float
    """Horizon of `errors` [s]."""
    quantity: str
    """Quantity of `errors`: `position` or `heading`."""

    @property
    def score(self) -> float:
        """Root mean square of `errors`; NaN if there are none [m or rad]."""
        finite = [error for error in self.errors if np.isfinite(error)]
        return float(np.sqrt(np.mean(finite))) if finite else float("nan")


NO_HOLD_OUT = HoldOut(
    position={}, heading={}, per_metre=float("nan"), starts=0, errors=(), horizon=0.0,
    quantity="position",
)  # fmt: skip
"""For fits without held-out data."""
