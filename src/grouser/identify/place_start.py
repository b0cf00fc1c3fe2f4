"""Where a robot was when its belts were first known, before anything was observed.

On a slope it matters which way a robot looks, so families that are simulated must start right. A
first simulation starts about right; the early part of what was observed then says how far off.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import rotate
from grouser.identify.family import Family, Setting
from grouser.identify.middle_angle import middle_angle
from grouser.identify.record import Record

EARLY = 3.0
"""Time from the first observation over which a simulation is laid onto it [s]."""


def place_start(
    family: Family,
    values: NDArray[np.float64],
    record: Record,
    setting: Setting,
    time_offset: float = 0.0,
) -> Record:
    """Return the record with its start; as it is if no poses were observed.

    Args:
        family: Who simulates.
        values: Its parameters, about right.
        record: What happened.
        setting: What is known before.
        time_offset: Of the clock of what observes [s].
    """
    seen = record.observation
    known = np.isfinite(seen.values).all(axis=0)
    if seen.kind != "pose" or not known.any():
        return record
    known &= seen.time <= seen.time[known][0] + EARLY
    path = family.predict(values[None], record, setting)
    at = seen.time[known] - time_offset
    x, y, yaw = (np.interp(at, record.time, row[0]) for row in (path.x, path.y, path.yaw))
    x0, y0, yaw0 = (float(row[0, 0]) for row in (path.x, path.y, path.yaw))
    turn = middle_angle(seen.values[2, known] - yaw)
    dx, dy = rotate(x - x0, y - y0, turn)
    shift_x = float(np.median(seen.values[0, known] - x0 - dx))
    shift_y = float(np.median(seen.values[1, known] - y0 - dy))
    return replace(record, start=(x0 + shift_x, y0 + shift_y, yaw0 + turn))
