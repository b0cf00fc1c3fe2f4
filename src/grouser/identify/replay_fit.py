"""The path that a fit predicts for a record, as a log beside the one it comes from."""

import numpy as np

from grouser.geometry import rotate
from grouser.identify.families import FAMILIES
from grouser.identify.family import Setting
from grouser.identify.fit import Fit
from grouser.identify.record import Record
from grouser.log import Column, Log, Provenance

FIRST = 15
"""Observations that tell where the path begins."""


def replay_fit(fit: Fit, record: Record, setting: Setting, records: tuple[Record, ...]) -> Log:
    """Return time and pose as predicted from the start of the record on, never corrected.

    Args:
        fit: What predicts.
        record: Whose belts.
        setting: What was known before the fit.
        records: All records of the fit.
    """
    family = FAMILIES[fit.family]
    names = [p.name for p in family.parameters(setting, records)]
    values = np.array([[fit.values[name] for name in names]])
    seen = family.predict(values, record, setting)
    time = record.time + fit.values.get("time_offset", 0.0)
    x, y, yaw = seen.x[0], seen.y[0], seen.yaw[0]
    if record.observation.kind == "pose":
        at = record.observation.time[:FIRST]
        ox, oy, oyaw = record.observation.values[:, :FIRST]
        px, py, pyaw = (np.interp(at, time, row) for row in (x, y, yaw))
        gap = oyaw - pyaw
        turn = float(np.nanmedian(np.arctan2(np.sin(gap), np.cos(gap))))
        rx, ry = rotate(px, py, turn)
        x, y = rotate(x, y, turn)
        x, y = x + np.nanmedian(ox - rx), y + np.nanmedian(oy - ry)
        yaw = yaw + turn
    columns = {
        "time": Column(time, "s"),
        "x": Column(np.asarray(x), "m"),
        "y": Column(np.asarray(y), "m"),
        "yaw": Column(yaw, "rad"),
        "vx": Column(seen.vx[0], "m/s"),
        "vy": Column(seen.vy[0], "m/s"),
        "yaw_rate": Column(seen.yaw_rate[0], "rad/s"),
    }
    return Log(columns, Provenance(model=fit.model or fit.family))
