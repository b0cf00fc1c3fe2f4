"""Windows of records, and which are held out."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grouser.identify.record import Record

SHORTEST, LONGEST = 1.0, 5.0
"""Limits of the length of a window [s]."""
WANTED = 40
"""How many windows a fit likes to have at least."""
FEWEST_WINDOWS = 4
"""Windows that a fit needs."""
GAP = 0.5
"""Time without belt speeds after which what happened in between is not known [s]."""
LARGEST_OFFSET = 0.5
"""Offset of clocks that is looked for, to both sides [s]."""
FEWEST = 3
"""Observations that a window needs: one place and turn is taken from each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Windows:
    """Which observations of a record count, and in which window each is."""

    rows: NDArray[np.intp]
    """Rows of the observation, in order [1]."""
    starts: NDArray[np.intp]
    """Where in `rows` each window begins [1]."""
    number: NDArray[np.intp]
    """For each of `rows`, its window [1]."""

    def __len__(self) -> int:
        return self.starts.size


def window_length(records: tuple[Record, ...]) -> float:
    """Return a length of windows that suits records: none too short for a slow camera [s]."""
    duration = sum(record.duration for record in records)
    length = min(float(np.clip(duration / WANTED, SHORTEST, LONGEST)), duration / FEWEST_WINDOWS)
    if any(record.steady for record in records):
        return length
    periods = [np.diff(r.observation.time) for r in records if r.observation.time.size > 1]
    period = max((float(np.median(steps)) for steps in periods), default=0.0)
    return max(length, FEWEST * period * (1.0 + 1e-9))


def cut_windows(
    record: Record, length: float, used: NDArray[np.bool_], margin: float = LARGEST_OFFSET
) -> Windows:
    """Return windows over the observations that are used; none spans a gap.

    Args:
        record: What to cut.
        length: Of a window [s].
        used: Whether each observation counts at all.
        margin: Time at both ends that is left out [s].
    """
    times = record.observation.time
    finite = np.isfinite(record.observation.values)
    # Half a place is none; of a pose or a velocity, each part says something by itself.
    known = finite.all(axis=0) if record.observation.kind == "position" else finite.any(axis=0)
    if record.steady:
        rows = np.flatnonzero(used & known)
        return Windows(rows=rows, starts=np.arange(rows.size), number=np.arange(rows.size))
    # Whatever the offset of the clocks is found to be, belts are known there.
    first, last = record.time[0] + margin - 1e-9, record.time[-1] - margin + 1e-9
    inside = (times >= first) & (times <= last)
    rows = np.flatnonzero(used & known & inside)
    late = record.time[np.flatnonzero(record.steps > GAP)]
    # A window ends where its time is over, where belts have a gap, and where rows were left out.
    piece = np.searchsorted(late, times, side="right") + np.cumsum(~used)
    label = np.floor((times - record.time[0]) / length).astype(np.int64) + 10**6 * piece
    labels, number, counts = np.unique(label[rows], return_inverse=True, return_counts=True)
    enough = counts >= FEWEST
    rows, number = rows[enough[number]], (np.cumsum(enough) - 1)[number[enough[number]]]
    starts = np.searchsorted(number, np.arange(int(enough.sum())))
    return Windows(rows=rows, starts=starts, number=number)


HORIZONS = (1.0, 5.0, 10.0)
"""Times after which predictions are judged [s]."""
SHARE = 1.0 / 3.0
"""Of the data that is held out [1]."""
BLOCK = 12.0
"""Shortest stretch that is held out: it must hold the longest horizon [s]."""


def choose_training(record: Record) -> NDArray[np.bool_]:
    """Return for each observation whether a fit may see it.

    Of a long drive every third stretch is held out, of a short one the last third; of a table of
    steady states every third row of a shuffled order.
    """
    times = record.observation.time
    if record.steady:
        order = np.random.default_rng(0).permutation(times.size)
        training = np.ones(times.size, dtype=bool)
        training[order[: round(SHARE * times.size)]] = False
        return training
    begin, end = float(record.time[0]), float(record.time[-1])
    stretches = max(3 * int((end - begin) / (3.0 * BLOCK)), 3)
    edges = np.linspace(begin, end, stretches + 1)
    number = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, stretches - 1)
    return number % 3 != 2


def stretches(used: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first row and end of each run of rows that are used."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], used, [False]))))
    return [(int(a), int(b)) for a, b in list(pairwise(edges))[::2]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOut:
    """Errors of predictions from many starts in data that the fit has not seen."""

    position: dict[float, float]
    """Root mean square error of the place after some time, by that time [m]."""
    heading: dict[float, float]
    """Root mean square error of the heading after some time, by that time [rad]."""
    per_metre: float
    """Error of the place after the longest time, over the way driven; NaN without places [1]."""
    starts: int
    """How many predictions were judged."""
    errors: tuple[float, ...]
    """Squared errors that families are compared by, one for each start [m^2 or rad^2]."""
    horizon: float
    """Time after which those were taken [s]."""
    quantity: str
    """What those are: `position` or `heading`."""

    @property
    def score(self) -> float:
        """Root mean square error that families are compared by; NaN if none was [m or rad]."""
        finite = [error for error in self.errors if np.isfinite(error)]
        return float(np.sqrt(np.mean(finite))) if finite else float("nan")


NOTHING_HELD = HoldOut(
    position={}, heading={}, per_metre=float("nan"), starts=0, errors=(), horizon=0.0,
    quantity="position",
)  # fmt: skip
"""What is told of a fit that was given all data."""
