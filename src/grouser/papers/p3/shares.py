"""Shares of a population for which a statement holds, and their 90 % intervals."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

Interval: TypeAlias = tuple[float, float]
"""Limits of a 90 % interval [unit of the number]."""
Estimates: TypeAlias = dict[str, tuple[float, Interval]]
"""Numbers and their intervals, by key [unit of the claim]."""

CONFIDENCE = 0.9
"""Probability of all intervals [1]."""
MOST = 2.0 / 3.0
"""Share from which a statement holds for most of a population [1].

P3 had one robot. Of 60 draws, two of three have a 90 % interval from 0.56 to 0.76, above a coin's.
"""
RESAMPLES = 2000
"""Bootstrap samples of a mean [1]."""


def share_of(holds: ArrayLike) -> tuple[float, Interval]:
    """Return the share of true values, and Wilson's interval."""
    flags = np.asarray(holds, dtype=bool)
    if not flags.size:
        return float("nan"), (0.0, 1.0)
    found = binomtest(int(flags.sum()), int(flags.size))
    limits = found.proportion_ci(confidence_level=CONFIDENCE, method="wilson")
    return float(flags.mean()), (float(limits.low), float(limits.high))


def mean_of(values: ArrayLike, seed: int = 0) -> tuple[float, Interval]:
    """Return the mean over a population, and its bootstrap interval."""
    numbers: NDArray[Any] = np.asarray(values, dtype=float)
    if not numbers.size:
        return float("nan"), (float("nan"), float("nan"))
    generator = np.random.default_rng(seed)
    rows = generator.integers(0, numbers.size, (RESAMPLES, numbers.size))
    return float(numbers.mean()), quantiles(numbers[rows].mean(axis=1))


def middle_of(values: ArrayLike) -> tuple[float, Interval]:
    """Return the median of a population, and the range that holds 90 % of it."""
    return float(np.median(np.asarray(values, dtype=float))), quantiles(values)


def quantiles(values: ArrayLike) -> Interval:
    """Return the limits of the middle 90 % of some values."""
    beyond = 0.5 * (1.0 - CONFIDENCE)
    low, high = np.quantile(np.asarray(values, dtype=float), (beyond, 1.0 - beyond))
    return float(low), float(high)


def find_values(estimates: Estimates) -> dict[str, float]:
    """Return the numbers without their intervals."""
    return {key: value for key, (value, _) in estimates.items()}


def find_intervals(estimates: Estimates) -> dict[str, Interval]:
    """Return the intervals without their numbers."""
    return {key: interval for key, (_, interval) in estimates.items()}
