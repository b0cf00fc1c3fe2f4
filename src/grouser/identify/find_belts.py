"""Belt speeds of the two sides of a robot, from whatever a log has."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog
from grouser.log import Log

BELTS = ("belt_speed_measured", "belt_speed", "belt_speed_commanded")
"""Columns that may tell belt speeds, the best first."""


def find_belts(
    log: Log, left: Sequence[str], right: Sequence[str], origin: str = "log"
) -> NDArray[np.float64]:
    """Return the mean belt speed of the left and of the right side (2, rows) [m/s].

    Args:
        log: Has the belt speeds of all these drives: measured, reached or commanded.
        left: Names of the drives on the left.
        right: Names of the drives on the right.
        origin: What the log is called in messages.

    Raises:
        InvalidLog: It has not, or a speed is missing.
    """
    for family in BELTS:
        if all(f"{family}.{name}" in log for name in (*left, *right)):
            sides = [[log[f"{family}.{name}"] for name in side] for side in (left, right)]
            belts = np.stack([np.mean(side, axis=0) for side in sides])
            if not np.all(np.isfinite(belts)):
                raise InvalidLog(origin, f"column {family} has gaps; fill them or cut the log")
            return belts
    wanted = ", ".join(f"belt_speed.{name}" for name in (*left, *right))
    raise InvalidLog(origin, f"it has no belt speeds; slip takes columns {wanted}")
