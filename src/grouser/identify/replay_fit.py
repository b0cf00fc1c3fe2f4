"""The path that a fit predicts for a record, as a log beside the one it comes from."""

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import rotate
from grouser.identify.families import FAMILIES
from grouser.identify.family import Setting
from grouser.identify.fit import Fit
from grouser.identify.record import Observation, Record
from grouser.log import Column, Log, Provenance

BEGIN = 0.2
"""Share of the observations over which a path is laid on places without headings [1]."""
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
    elif record.observation.kind == "position":
        turn, shift = _lay(record.observation, time, x, y)
        x, y = rotate(x, y, turn)
        x, y, yaw = x + shift[0], y + shift[1], yaw + turn
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


def _lay(
    seen: Observation, time: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[float, tuple[float, float]]:
    """Return turn [rad] and shift [m] that lay the begin of a path on the places seen."""
    count = max(FIRST, int(BEGIN * seen.time.size))
    known = np.flatnonzero(np.isfinite(seen.values).all(axis=0))[:count]
    ox, oy = seen.values[:, known]
    px, py = (np.interp(seen.time[known], time, row) for row in (x, y))
    to, of = (ox - ox.mean()) + 1j * (oy - oy.mean()), (px - px.mean()) + 1j * (py - py.mean())
    turn = float(np.angle(np.vdot(of, to)))
    rx, ry = rotate(px, py, turn)
    return turn, (float(np.median(ox - rx)), float(np.median(oy - ry)))
