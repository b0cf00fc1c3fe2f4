"""How what a filter believes is written into a log."""

import numpy as np
from numpy.typing import NDArray

from grouser.control import STATE_NAMES, STATE_UNITS, Belief
from grouser.log import Column

FUSED = (
    *((f"fused.{name}", STATE_UNITS[name]) for name in STATE_NAMES),
    *((f"fused.{name}_deviation", STATE_UNITS[name]) for name in STATE_NAMES),
)
"""Name and unit of each column: means, then standard deviations."""


def fused_numbers(belief: Belief) -> list[float]:
    """Return mean and standard deviation of each state, in the order of `FUSED`."""
    count = len(STATE_NAMES)
    return [*belief.mean[:count].tolist(), *belief.deviations[:count].tolist()]


def fused_columns(rows: list[list[float]]) -> dict[str, Column]:
    """Return the columns of many rows of `fused_numbers`."""
    numbers: NDArray[np.float64] = np.array(rows).reshape(-1, len(FUSED))
    return {name: Column(numbers[:, k], unit) for k, (name, unit) in enumerate(FUSED)}
