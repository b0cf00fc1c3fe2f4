"""Where a robot was when its belts were first known, before anything was observed.

On a slope it matters which way a robot looks, so families that are simulated must start right. A
first simulation starts about right; the early part of what was observed then says how far off.
"""

from dataclasses import replace

import numpy as np

from grouser.geometry import rotate
from grouser.identify.family import Predicted
from grouser.identify.middle_angle import middle_angle
from grouser.identify.record import Record

EARLY = 3.0
"""Time from the first observation over which a simulation is laid onto it [s]."""


SAME = (0.01, 0.01, 0.01)
"""By how much another start is worth no other simulation [m, m, rad]."""


def place_start(path: Predicted, record: Record, time_offset: float = 0.0) -> Record:
    """Return the record with its start; as it is if no poses were observed, or it has that start.

    Args:
        path: One simulated motion, about right, at the first times of the record.
        record: What happened.
        time_offset: Of the clock of what observes [s].
    """
    seen = record.observation
    known = np.isfinite(seen.values).all(axis=0)
    if seen.kind != "pose" or not known.any():
        return record
    known &= seen.time <= seen.time[known][0] + EARLY
    at = seen.time[known] - time_offset
    times = record.time[: path.x.shape[1]]
    x, y, yaw = (np.interp(at, times, row[0]) for row in (path.x, path.y, path.yaw))
    x0, y0, yaw0 = (float(row[0, 0]) for row in (path.x, path.y, path.yaw))
    turn = middle_angle(seen.values[2, known] - yaw)
    dx, dy = rotate(x - x0, y - y0, turn)
    shift_x = float(np.median(seen.values[0, known] - x0 - dx))
    shift_y = float(np.median(seen.values[1, known] - y0 - dy))
    start = (x0 + shift_x, y0 + shift_y, yaw0 + turn)
    if record.start is not None and np.all(np.abs(np.subtract(start, record.start)) < SAME):
        return record
    return replace(record, start=start)
