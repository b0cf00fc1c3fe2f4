"""From a log to what parameters can be learned from."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidLog
from grouser.identify.record import CHANNELS, Kind, Observation, Record
from grouser.log import Log

Array = NDArray[np.float64]
BELTS = (
    "belt_speed",
    "belt_speed_measured",
    "joint_speed",
    "encoder",
    "joint_position",
    "wheel_speed",
    "belt_speed_commanded",
)
"""Families of columns that tell what belts did, the best first."""
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
"""Both sides of a robot."""
KINDS: tuple[Kind, ...] = ("pose", "position", "twist", "gyro")
"""Kinds of observations, the one that tells most first."""
STEEPEST_DRIFT = 0.15
"""Cosine of a sideslip angle below which it no longer tells the leftward speed [1]."""


def read_record(
    log: Log,
    name: str,
    robot: Robot | None = None,
    gauge: float | None = None,
    kind: Kind | None = None,
    observed: Log | None = None,
) -> Record:
    """Return belts and observations of a log; a log without time is a table of steady states.

    Args:
        log: What happened. Not-a-number where something was not measured: unequal rates and gaps.
        name: Where it comes from, for messages.
        robot: Whose drives the columns name; without it, names say left or right.
        gauge: Distance of the tracks, to make velocities of slip speeds; the robot's if not
            given [m].
        kind: Which observation to take; the one that tells most if not given.
        observed: Another log, with a clock of its own, that holds the observation.

    Raises:
        InvalidLog: Belt speeds of a side are missing, or there is no such observation.
    """
    steady = "time" not in log
    time = np.arange(len(log), dtype=np.float64) if steady else log.time
    gauge = robot.gauge if robot is not None and gauge is None else gauge
    wheels = _belt_speeds(log, name, robot, gauge, time)
    left, right = (_mean_of(wheels, side, robot, name) for side in ("left", "right"))
    known = np.isfinite(left) & np.isfinite(right) & np.isfinite(time)
    if known.sum() < 2:
        raise InvalidLog(name, "has belt speeds in fewer than two rows; record both sides")
    source = log if observed is None else observed
    at = time if observed is None else observed.time
    columns = {**_columns(source), **_from_slip_speeds(source, left, right, gauge)}
    chosen = _choose(columns, kind, name)
    values = np.stack([columns[channel] for channel in CHANNELS[chosen]])
    kept = np.isfinite(values).any(axis=0) | steady
    pitch = log["pitch"][known] if "pitch" in log and not steady else None
    if pitch is not None and (not np.isfinite(pitch).all() or np.ptp(pitch) < 1e-3):
        pitch = None
    return Record(
        name=name,
        time=time[known],
        left=left[known],
        right=right[known],
        observation=Observation(
            kind=chosen,
            time=at[kept] if not steady else np.arange(int(known.sum()), dtype=np.float64),
            values=values[:, kept] if not steady else values[:, known],
        ),
        pitch=pitch,
        wheels={drive: speed[known] for drive, speed in wheels.items()},
        steady=steady,
    )


def _belt_speeds(
    log: Log, name: str, robot: Robot | None, gauge: float | None, time: Array
) -> dict[str, Array]:
    """Return the speed of each drive, from the best family of columns that has both sides."""
    unread = ""
    for family in BELTS:
        found = {
            column.partition(".")[2]: _as_speed(log, column, robot, time)
            for column in log
            if column.startswith(f"{family}.")
        }
        speeds = {drive: speed for drive, speed in found.items() if speed is not None}
        if {_side(drive, robot) for drive in speeds} >= {"left", "right"}:
            return {drive: speed for drive, speed in speeds.items() if _side(drive, robot)}
        if {_side(drive, robot) for drive in found} >= {"left", "right"} and not unread:
            turns = f"has {family} in {_units(log, family)}, of which a robot's wheels make speeds"
            unread = f"{turns}; name it with --robot (for counts, one with encoders)"
    if gauge is not None and {"speed_commanded", "yaw_rate_commanded"} <= set(log):
        half = 0.5 * gauge * log["yaw_rate_commanded"]
        return {"left": log["speed_commanded"] - half, "right": log["speed_commanded"] + half}
    required = "needs a column such as belt_speed.left and one such as belt_speed.right"
    raise InvalidLog(name, unread or f"{required}; it has {', '.join(log)}")


def _units(log: Log, family: str) -> str:
    units = {log.unit(column) for column in log if column.startswith(f"{family}.")}
    return " and ".join("counts" if unit == "1" else unit for unit in sorted(units))


def _as_speed(log: Log, column: str, robot: Robot | None, time: Array) -> Array | None:
    """Return a column as a speed [m/s]; None if it cannot be one."""
    convert: dict[str, Callable[[Array], Array]] = {
        "m/s": lambda values: values,
        "m": lambda values: _derive(values, time),
    }
    if robot is not None:
        radius, encoder = robot.sprocket_radius, robot.sensors.encoder
        convert["rad/s"] = lambda values: radius * values
        convert["rad"] = lambda values: radius * _derive(values, time)
        side = _side(column.partition(".")[2], robot)
        if encoder is not None and side:
            step = encoder.travel_per_step(side)
            convert["1"] = lambda values: step * _derive(values, time)
    change = convert.get(log.unit(column))
    return None if change is None else change(log[column])


def _derive(values: Array, time: Array) -> Array:
    """Return the speed since the sample before; NaN for the first."""
    known = np.isfinite(values)
    speed = np.full(values.size, np.nan)
    steps = np.diff(time[known], prepend=np.nan)
    speed[known] = np.diff(values[known], prepend=np.nan) / steps
    return speed


def _side(drive: str, robot: Robot | None) -> Literal["left", "right", ""]:
    """Return the side of a drive, by the robot or by its name; empty if neither tells."""
    known = {part.name: part.side for part in robot.drives} if robot is not None else {}
    for side in SIDES:
        if known.get(drive) == side:
            return side
    words = drive.lower().replace("-", "_").replace(".", "_").split("_")
    for side in SIDES:
        if side in words or side[0] in words or drive.lower().startswith(side):
            return side
    return ""


def _mean_of(wheels: dict[str, Array], side: str, robot: Robot | None, name: str) -> Array:
    return np.mean([v for drive, v in wheels.items() if _side(drive, robot) == side], axis=0)


def _columns(log: Log) -> dict[str, Array]:
    return {name: log[name] for names in CHANNELS.values() for name in names if name in log}


def _from_slip_speeds(log: Log, left: Array, right: Array, gauge: float | None) -> dict[str, Array]:
    """Return velocities from the slip speed of each belt and the sideslip angle, if they are there.

    A slip speed is belt speed less speed of the ground under the track.
    """
    if gauge is None or not {"slip_speed.left", "slip_speed.right"} <= set(log):
        return {}
    over_left, over_right = left - log["slip_speed.left"], right - log["slip_speed.right"]
    vx = 0.5 * (over_left + over_right)
    vy = np.full(vx.size, np.nan)
    if "sideslip" in log:
        usable = np.abs(np.cos(log["sideslip"])) > STEEPEST_DRIFT
        vy[usable] = vx[usable] * np.tan(log["sideslip"][usable])
    return {"vx": vx, "vy": vy, "yaw_rate": (over_right - over_left) / gauge}


def _choose(columns: dict[str, Array], kind: Kind | None, name: str) -> Kind:
    able: list[Kind] = [k for k in KINDS if all(c in columns for c in CHANNELS[k])]
    if kind is not None and kind not in able:
        needed = ", ".join(CHANNELS[kind])
        problem = f"lacks {needed}, which the observation {kind!r} needs"
        raise InvalidLog(name, f"{problem}; it has what {', '.join(able) or 'none'} needs")
    if not able:
        needs = "; ".join(f"{k}: {', '.join(CHANNELS[k])}" for k in KINDS)
        raise InvalidLog(name, f"tells nothing of how the body moved; it needs one of {needs}")
    return kind or able[0]
