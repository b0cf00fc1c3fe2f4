"""Where two runs part."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from grouser.log import Comparison

THRESHOLDS = (0.01, 0.05)
"""Gaps at which two runs count as parted, unless others are asked for [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """When a run first was farther from its reference than a threshold."""

    threshold: float
    """The gap that counts [m]."""
    time: float | None
    """When the gap was first larger; None if never [s]."""


def find_divergences(
    comparison: Comparison, thresholds: Iterable[float] = THRESHOLDS
) -> tuple[Divergence, ...]:
    """Return, for each threshold [m], when the gap between two runs first exceeded it."""
    gap = comparison.position_error
    found: list[Divergence] = []
    for threshold in thresholds:
        beyond = np.flatnonzero(gap > threshold)
        time = float(comparison.time[beyond[0]]) if beyond.size else None
        found.append(Divergence(threshold=threshold, time=time))
    return tuple(found)
