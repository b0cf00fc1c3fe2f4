"""Records read from logs: which columns are belts, commands and observed motion."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.identify.record import (
    CHANNELS,
    UNITS,
    Kind,
    Observation,
    Record,
    TimeAxis,
    first_of_pieces,
)
from grouser.log import Log
from grouser.models.measured_belts import BeltColumns

MIN_SIDESLIP_COSINE = 0.15
"""Cosine of the sideslip angle below which no lateral speed is derived from it [1]."""


def read_record(
    log: Log,
    name: str,
    robot: Robot | None = None,
    gauge: float | None = None,
    kind: Kind | None = None,
    observed: Log | None = None,
    radius: float | None = None,
) -> Record:
    """Return belt speeds and observations of a log; without time it is a table of steady states.

    NaN marks what was not measured. Without a robot, the side of a column is taken from its name;
    `gauge` converts slip speeds into velocities, the robot's if not given [m]; `kind` is the most
    informative one if not given; `observed` is another log, with its own clock, that holds the
    observation; `radius` is that of wheels or sprockets, the robot's if not given [m]. Columns
    `piece` and `group` name the piece of each row, and the group of a piece.
    InvalidLog if belt speeds of a side or the observation are missing.
    """
    steady = "time" not in log
    gauge = robot.gauge if robot is not None and gauge is None else gauge
    place = np.zeros(len(log)) if steady or "piece" not in log else log["piece"]
    time = np.arange(len(log), dtype=np.float64) if steady else log.time
    if robot is not None and radius is None:
        radius = robot.sprocket_radius
    belts = BeltColumns(log=log, name=name, robot=robot, gauge=gauge, radius=radius)
    wheels = belts.measured()
    left, right = belts.side_means(wheels)
    known = np.isfinite(left) & np.isfinite(right) & np.isfinite(time)
    if known.sum() < 2:
        raise InvalidLog(name, "has belt speeds in fewer than two rows; record both sides")
    source = log if observed is None else observed
    columns = {channel: source[channel] for channel in UNITS if channel in source}
    columns |= _from_slip_speeds(source, left, right, gauge)
    chosen = _choose(columns, kind, name)
    values = np.stack([columns[channel] for channel in CHANNELS[chosen]])
    if steady:
        seen = np.arange(int(known.sum()), dtype=np.float64)
        observation = Observation(kind=chosen, time=seen, values=values[:, known])
        time, first = time[known], np.zeros(1, dtype=np.intp)
    else:
        kept = np.isfinite(values).any(axis=0)
        axis = TimeAxis.of(time, place, name)
        pieces = (source[name] for name in ("piece",) if name in source)
        at = axis.place(source.time, next(pieces, None))[kept]
        time = axis.place(time, place)[known]
        observation = Observation(kind=chosen, time=at, values=values[:, kept])
        first = first_of_pieces(time, place[known])
    commanded = None if steady else belts.commanded()
    group = log["group"][known][first].astype(np.intp) if "group" in log and not steady else None
    return Record(
        name=name, time=time, left=left[known], right=right[known], observation=observation,
        commanded=None if commanded is None else commanded[:, known],
        pitch=_pitch(log, known, steady=steady),
        wheels={drive: speed[known] for drive, speed in wheels.items()}, first=first, group=group,
        steady=steady,
    )  # fmt: skip


def _pitch(log: Log, known: NDArray[np.bool_], *, steady: bool) -> Array | None:
    """Return the pitch at the belt speeds, interpolated where it was not measured [rad]."""
    if steady or "pitch" not in log:
        return None
    pitch, measured = log["pitch"], np.isfinite(log["pitch"])
    if not measured.any():
        return None
    rows = np.arange(pitch.size)
    return np.interp(rows, rows[measured], pitch[measured])[known]


def _from_slip_speeds(log: Log, left: Array, right: Array, gauge: float | None) -> dict[str, Array]:
    """Return velocities from slip speeds (belt less ground) and sideslip angle, if logged."""
    if gauge is None or not {"slip_speed.left", "slip_speed.right"} <= set(log):
        return {}
    over_left, over_right = left - log["slip_speed.left"], right - log["slip_speed.right"]
    vx = 0.5 * (over_left + over_right)
    vy = np.full(vx.size, np.nan)
    if "sideslip" in log:
        usable = np.abs(np.cos(log["sideslip"])) > MIN_SIDESLIP_COSINE
        vy[usable] = vx[usable] * np.tan(log["sideslip"][usable])
    return {"vx": vx, "vy": vy, "yaw_rate": (over_right - over_left) / gauge}


def _choose(columns: dict[str, Array], kind: Kind | None, name: str) -> Kind:
    able: list[Kind] = [k for k in CHANNELS if all(c in columns for c in CHANNELS[k])]
    if kind is not None and kind not in able:
        needed = ", ".join(CHANNELS[kind])
        problem = f"lacks {needed}, which the observation {kind!r} needs"
        raise InvalidLog(name, f"{problem}; it has the columns of {', '.join(able) or 'none'}")
    if not able:
        needs = "; ".join(f"{k}: {', '.join(channels)}" for k, channels in CHANNELS.items())
        raise InvalidLog(name, f"has no observed motion of the body; it needs one of {needs}")
    return kind or able[0]
