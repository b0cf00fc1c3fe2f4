"""The path that a fit predicts from the start of a record, without correction."""

from dataclasses import fields

import numpy as np

from grouser.geometry import Array, rotate
from grouser.identify.families import FAMILIES
from grouser.identify.family import KnownRobot, Predicted
from grouser.identify.fit import Fit
from grouser.identify.record import UNITS, Observation, Record
from grouser.log import Column, Log, Provenance

ALIGNED_SHARE = 0.2
"""Share of the observations on which a path is aligned with positions without headings [1]."""
ALIGNED_POSES = 15
"""Number of observed poses on which a path is aligned."""


def replay_fit(fit: Fit, record: Record, known_robot: KnownRobot) -> Log:
    """Return time, pose and velocity predicted from the start of a record without correction."""
    family = FAMILIES[fit.family]
    names = [p.name for p in family.parameters(known_robot, (record,))]
    values = np.array([[fit.values[name] for name in names]])
    seen = family.predict(values, record, known_robot)
    time = record.time + fit.values.get("time_offset", 0.0)
    rows = {f.name: getattr(seen, f.name)[0] for f in fields(Predicted)}
    if record.observation.kind in ("pose", "position"):
        turn, dx, dy = _align(record.observation, time, rows["x"], rows["y"], rows["yaw"])
        x, y = rotate(rows["x"], rows["y"], turn)
        rows |= {"x": np.asarray(x + dx), "y": np.asarray(y + dy), "yaw": rows["yaw"] + turn}
    columns = {name: Column(row, UNITS[name]) for name, row in rows.items()}
    origin = Provenance(model=fit.model or fit.family)
    return Log({"time": Column(time, "s"), **columns}, origin)


def _align(
    seen: Observation, time: Array, x: Array, y: Array, yaw: Array
) -> tuple[float, float, float]:
    """Return rotation [rad] and shift [m] that align the start of a path with poses."""
    known = np.arange(seen.time.size)[:ALIGNED_POSES]
    if seen.kind == "position":
        count = max(ALIGNED_POSES, int(ALIGNED_SHARE * seen.time.size))
        known = np.flatnonzero(np.isfinite(seen.values).all(axis=0))[:count]
    ox, oy = seen.values[:2, known]
    px, py, pyaw = (np.interp(seen.time[known], time, row) for row in (x, y, yaw))
    if seen.kind == "pose":
        gap = seen.values[2, known] - pyaw
        turn = float(np.nanmedian(np.arctan2(np.sin(gap), np.cos(gap))))
    else:
        to, of = (ox - ox.mean()) + 1j * (oy - oy.mean()), (px - px.mean()) + 1j * (py - py.mean())
        turn = float(np.angle(np.vdot(of, to)))
    rx, ry = rotate(px, py, turn)
    return turn, float(np.nanmedian(ox - rx)), float(np.nanmedian(oy - ry))
