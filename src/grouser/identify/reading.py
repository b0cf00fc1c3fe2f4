"""Records read from logs: which columns are belts, commands and observed motion."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

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

BELT_COLUMNS = (
    "belt_speed",
    "belt_speed_measured",
    "joint_speed",
    "encoder",
    "joint_position",
    "wheel_speed",
    "belt_speed_commanded",
    "wheel_speed_commanded",
)
"""Column groups with belt motion, in order of preference."""
COMMAND_COLUMNS = ("belt_speed_commanded", "wheel_speed_commanded")
"""Column groups with commands, in order of preference."""
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
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
    known_radius = robot.sprocket_radius if robot is not None and radius is None else radius
    wheels = _belt_speeds(log, name, robot, gauge, time, known_radius)
    left, right = _side_means(wheels, robot)
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
    group = log["group"][known][first].astype(np.intp) if "group" in log and not steady else None
    return Record(
        name=name, time=time, left=left[known], right=right[known], observation=observation,
        commanded=_commanded(log, robot, gauge, known, known_radius),
        pitch=_pitch(log, known, steady=steady),
        wheels={drive: speed[known] for drive, speed in wheels.items()}, first=first, group=group,
        steady=steady,
    )  # fmt: skip


def _side_means(drives: Mapping[str, Array], robot: Robot | None) -> Array:
    """Return the mean speed of the drives of the left and of the right side (2, rows) [m/s]."""
    return np.stack(
        [
            np.mean([v for drive, v in drives.items() if _side(drive, robot) == side], axis=0)
            for side in SIDES
        ]
    )


def _commanded(
    log: Log,
    robot: Robot | None,
    gauge: float | None,
    known: NDArray[np.bool_],
    radius: float | None,
) -> Array | None:
    """Return the commanded belt speeds of both sides (2, rows); None if not logged [m/s]."""
    drives: dict[str, Array] = {}
    if "time" not in log:
        return None
    for family in COMMAND_COLUMNS:
        found = {c.partition(".")[2]: c for c in log if c.startswith(f"{family}.")}
        speeds = {d: _as_speed(log, column, robot, log.time, radius) for d, column in found.items()}
        drives = {drive: speed for drive, speed in speeds.items() if speed is not None}
        if {_side(drive, robot) for drive in drives} >= set(SIDES):
            return _side_means(drives, robot)[:, known]
    if gauge is not None and {"speed_commanded", "yaw_rate_commanded"} <= set(log):
        half = 0.5 * gauge * log["yaw_rate_commanded"]
        return np.stack([log["speed_commanded"] - half, log["speed_commanded"] + half])[:, known]
    return None


def _pitch(log: Log, known: NDArray[np.bool_], *, steady: bool) -> Array | None:
    """Return the pitch at the belt speeds, interpolated where it was not measured [rad]."""
    if steady or "pitch" not in log:
        return None
    pitch, measured = log["pitch"], np.isfinite(log["pitch"])
    if not measured.any():
        return None
    rows = np.arange(pitch.size)
    return np.interp(rows, rows[measured], pitch[measured])[known]


def _belt_speeds(
    log: Log,
    name: str,
    robot: Robot | None,
    gauge: float | None,
    time: Array,
    radius: float | None,
) -> dict[str, Array]:
    """Return the speed of each track or wheel, from the first group of columns with both sides."""
    unread = ""
    for family in BELT_COLUMNS:
        found = {
            column.partition(".")[2]: _as_speed(log, column, robot, time, radius)
            for column in log
            if column.startswith(f"{family}.")
        }
        speeds = {drive: speed for drive, speed in found.items() if speed is not None}
        if {_side(drive, robot) for drive in speeds} >= {"left", "right"}:
            wheels = {drive: speed for drive, speed in speeds.items() if _side(drive, robot)}
            return _at_common_times(wheels, time, log)
        if {_side(drive, robot) for drive in found} >= {"left", "right"} and not unread:
            units = sorted({log.unit(f"{family}.{drive}") for drive in found})
            words = " and ".join("counts" if unit == "1" else unit for unit in units)
            if "1" in units:
                helps = "name a robot with encoders (--robot), or write metres_per_count into"
            else:
                helps = "give --radius, or --robot, or write radius_m into"
            unread = f"has {family} in {words}, which are no speeds yet; {helps} the column map"
    if gauge is not None and {"speed_commanded", "yaw_rate_commanded"} <= set(log):
        half = 0.5 * gauge * log["yaw_rate_commanded"]
        return {"left": log["speed_commanded"] - half, "right": log["speed_commanded"] + half}
    required = "needs a column such as belt_speed.left and one such as belt_speed.right"
    raise InvalidLog(name, unread or f"{required}; it has {', '.join(log)}")


MAX_FILLED_GAP = 1.0
"""Longest gap between samples of one side that is filled where the other was measured [s]."""


def _at_common_times(wheels: dict[str, Array], time: Array, log: Log) -> dict[str, Array]:
    """Return speeds known at the same rows: interpolated where only other wheels were measured.

    Where all were measured at once, nothing changes. Gaps above `MAX_FILLED_GAP` stay.
    """
    known = np.array([np.isfinite(speed) for speed in wheels.values()])
    if np.array_equal(known.all(axis=0), known.any(axis=0)) or "time" not in log:
        return wheels
    wanted = known.any(axis=0)
    filled = {drive: speed.copy() for drive, speed in wheels.items()}
    pieces = log["piece"] if "piece" in log else np.zeros(time.size)
    for piece in np.unique(pieces):
        inside = pieces == piece
        for speed in filled.values():
            have = np.flatnonzero(inside & np.isfinite(speed))
            lack = np.flatnonzero(inside & wanted & ~np.isfinite(speed))
            after = np.searchsorted(have, lack)
            between = (after > 0) & (after < have.size)
            lack, after = lack[between], after[between]
            lack = lack[time[have[after]] - time[have[after - 1]] <= MAX_FILLED_GAP]
            speed[lack] = np.interp(time[lack], time[have], speed[have]) if have.size else np.nan
    return filled


def _as_speed(
    log: Log, column: str, robot: Robot | None, time: Array, radius: float | None
) -> Array | None:
    """Return a column as a speed [m/s]; None if its unit cannot be converted."""
    pieces = log["piece"] if "piece" in log else np.zeros(time.size)
    convert: dict[str, Callable[[Array], Array]] = {
        "m/s": lambda values: values,
        "m": lambda values: _derive(values, time, pieces),
    }
    if radius is not None:
        convert["rad/s"] = lambda values: radius * values
        convert["rad"] = lambda values: radius * _derive(values, time, pieces)
    side = _side(column.partition(".")[2], robot)
    if robot is not None and robot.sensors.encoder is not None and side:
        step = robot.sensors.encoder.travel_per_step(side)
        convert["1"] = lambda values: step * _derive(values, time, pieces)
    change = convert.get(log.unit(column))
    return None if change is None else change(log[column])


def _derive(values: Array, time: Array, pieces: Array) -> Array:
    """Return the mean speed since the previous sample; NaN for the first of a piece."""
    known = np.isfinite(values)
    speed = np.full(values.size, np.nan)
    steps = np.diff(time[known], prepend=np.nan)
    steps[np.diff(pieces[known], prepend=np.nan) != 0.0] = np.nan
    speed[known] = np.diff(values[known], prepend=np.nan) / steps
    return speed


def _side(drive: str, robot: Robot | None) -> Literal["left", "right", ""]:
    """Return the side of a track or wheel by the robot or by its name; empty if unknown."""
    known = {part.name: part.side for part in robot.drives} if robot is not None else {}
    for side in SIDES:
        if known.get(drive) == side:
            return side
    words = drive.lower().replace("-", "_").replace(".", "_").split("_")
    for side in SIDES:
        if side in words or side[0] in words or drive.lower().startswith(side):
            return side
    return ""


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


BELT_SPEED_COLUMNS = ("belt_speed_measured", "belt_speed", "belt_speed_commanded")
"""Column groups with belt speeds, in order of preference."""


def side_belt_speeds(
    log: Log, left: Sequence[str], right: Sequence[str], origin: str = "log"
) -> Array:
    """Return the mean belt speed of the left and of the right side (2, rows) [m/s]."""
    for family in BELT_SPEED_COLUMNS:
        if all(f"{family}.{name}" in log for name in (*left, *right)):
            sides = [[log[f"{family}.{name}"] for name in side] for side in (left, right)]
            belts = np.stack([np.mean(side, axis=0) for side in sides])
            if not np.all(np.isfinite(belts)):
                raise InvalidLog(origin, f"column {family} has gaps; fill them or cut the log")
            return belts
    wanted = ", ".join(f"belt_speed.{name}" for name in (*left, *right))
    raise InvalidLog(origin, f"it has no belt speeds; slip needs the columns {wanted}")
