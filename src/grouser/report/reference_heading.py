"""Where a robot on a path should look."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Path

REACH = 0.01
"""How far ahead on the path the next point is looked for, beside the way driven [m]."""


def reference_heading(
    path: Path, x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the heading of the path beside each place of a run, one after the other [rad].

    Progress only goes forward and only as fast as the robot, so a path that crosses itself or
    comes back the way it went gives the heading of the right leg.
    """
    headings, s = np.full(len(x), np.nan), 0.0
    steps = np.hypot(np.diff(x, prepend=x[:1]), np.diff(y, prepend=y[:1]))
    for row in np.flatnonzero(np.isfinite(x) & np.isfinite(y)):
        # Half of what it may advance by: a robot on the inside of an arc is slower than s.
        window = REACH + (steps[row] if np.isfinite(steps[row]) else 0.0)
        s = float(path.nearest(float(x[row]), float(y[row]), near=s + window, window=window))
        headings[row] = path.at(s)[2]
    return headings
