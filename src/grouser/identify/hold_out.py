"""Part of the data that no fit may see, and how well a fit predicts it."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grouser.identify.record import Record

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
