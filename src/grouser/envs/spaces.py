"""The spaces that tables of quantities make."""

from collections.abc import Sequence

import numpy as np
from gymnasium.spaces import Box

from grouser.envs.quantity import Quantity


def action_space(quantities: Sequence[Quantity]) -> Box:
    """Return the space of actions: from -1 to 1, whatever they stand for."""
    return Box(-1.0, 1.0, (len(quantities),), np.float32)


def observation_space(quantities: Sequence[Quantity]) -> Box:
    """Return the space of observations: each within its range."""
    low = np.array([quantity.low for quantity in quantities], np.float32)
    high = np.array([quantity.high for quantity in quantities], np.float32)
    return Box(low, high, dtype=np.float32)
