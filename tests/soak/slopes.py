"""Whether a series of samples grows: a slope with its interval, from means of blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

BLOCKS = 12
"""Into how many blocks a series is cut, so that their means hardly depend on each other."""
FEWEST = 5
"""Samples below which nothing is said."""
WARM_UP = 0.2
"""Share of the time at the start that does not count: caches fill then [1]."""


@dataclass(frozen=True)
class Slope:
    """How fast something grows."""

    per_hour: float
    """Slope of the line through the means of blocks [units/h]."""
    margin: float
    """Half of its 95 % interval [units/h]."""
    start: float
    """Mean of the first block that counts [units]."""
    end: float
    """Mean of the last block [units]."""

    def exceeds(self, bound: float, least: float) -> bool:
        """Return whether it grows for certain faster than a bound, by what is not only noise.

        Args:
            bound: Slope that is permitted [units/h].
            least: Growth from start to end below which nothing is said [units].
        """
        return self.per_hour - self.margin > bound and self.end - self.start >= least


def fit_slope(seconds: Sequence[float], values: Sequence[float]) -> Slope | None:
    """Return the slope of samples after the warm-up; None if they are too few.

    Means of blocks that still depend on their neighbours widen the interval: n of them with a
    correlation r count as n (1 - r) / (1 + r).
    """
    if not len(seconds):
        return None
    begin = seconds[0] + WARM_UP * (seconds[-1] - seconds[0])
    kept = [(s, v) for s, v in zip(seconds, values, strict=True) if s >= begin]
    if len(kept) < FEWEST:
        return None
    blocks = np.array_split(np.array(kept), min(BLOCKS, len(kept)))
    hours, means = np.array([block.mean(axis=0) for block in blocks]).T / np.array(
        [[3600.0], [1.0]]
    )
    line = stats.linregress(hours, means)
    residuals = means - line.intercept - line.slope * hours
    square = float(residuals @ residuals)
    related = float(residuals[1:] @ residuals[:-1]) / square if square > 0.0 else 0.0
    related = min(max(related, 0.0), 0.9)
    wider = math.sqrt((1.0 + related) / (1.0 - related))
    error = float(line.stderr) if np.ptp(means) > 0.0 else 0.0
    margin = error * wider * float(stats.t.ppf(0.975, len(blocks) - 2))
    return Slope(float(line.slope), margin, float(means[0]), float(means[-1]))
