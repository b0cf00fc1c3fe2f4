"""Records: what identification reads from a log."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidLog
from grouser.limits import ANGLE, COORDINATE, DURATION, SPEED
from grouser.log import Log

Kind: TypeAlias = Literal["pose", "position", "twist", "gyro"]
"""What was observed of the body: place and heading, place alone, velocity, or yaw rate alone."""

CHANNELS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "pose": ("x", "y", "yaw"),
        "position": ("x", "y"),
        "twist": ("vx", "vy", "yaw_rate"),
        "gyro": ("gyro_yaw_rate",),
    }
)
"""The columns of a log that each kind of observation needs, in the order of its channels."""
UNITS: Mapping[str, str] = MappingProxyType(
    {
        "x": "m",
        "y": "m",
        "yaw": "rad",
        "vx": "m/s",
        "vy": "m/s",
        "yaw_rate": "rad/s",
        "gyro_yaw_rate": "rad/s",
    }
)
"""Unit of each channel."""

LARGEST: Mapping[str, float] = MappingProxyType(
    {"belt_speed": SPEED, "vx": SPEED, "vy": SPEED, "x": COORDINATE, "y": COORDINATE}
)
"""Largest number of columns that are not angles [m, m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observation:
    """How the body moved, at its own times; what was not measured is not a number."""

    kind: Kind
    """What was observed."""
    time: NDArray[np.float64]
    """When, by the clock of what observed [s]."""
    values: NDArray[np.float64]
    """A row for each channel of `CHANNELS[kind]` [unit of the channel]."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the rows."""
        return CHANNELS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """One drive, or one table of steady states.

    A belt speed holds from the sample before to its own: it is what an encoder counted
    in between. In a table of steady states, time only counts the rows.
    """

    name: str
    """Where it comes from."""
    time: NDArray[np.float64]
    """Times of the belt speeds, increasing [s]."""
    left: NDArray[np.float64]
    """Mean belt speed of the left side [m/s]."""
    right: NDArray[np.float64]
    """Mean belt speed of the right side [m/s]."""
    observation: Observation
    """How the body moved."""
    pitch: NDArray[np.float64] | None = None
    """Attitude at the times of the belt speeds, positive nose down; None if level [rad]."""
    wheels: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Speed of each drive by its name [m/s]."""
    start: tuple[float, float, float] | None = None
    """x [m], y [m] and yaw [rad] at the first time, for simulations; None if not known."""
    steady: bool = False
    """Whether rows are steady states that do not follow each other."""

    @property
    def steps(self) -> NDArray[np.float64]:
        """Time from the sample before to each one; 0 for the first [s]."""
        return np.diff(self.time, prepend=self.time[0])

    def check(self) -> None:
        """Refuse numbers that no drive has, of which nothing can be learned.

        Raises:
            InvalidLog: Time does not increase, or a number is too large.
        """
        for what, times in (("", self.time), (" of what was observed", self.observation.time)):
            if not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0.0):
                raise InvalidLog(self.name, f"time{what} must increase from row to row")
            if times.size and not times[-1] - times[0] <= DURATION:
                found = f"time{what} spans {times[-1] - times[0]:.3g} s"
                raise InvalidLog(self.name, f"{found}, and may span {DURATION:g} s")
        seen = zip(self.observation.channels, self.observation.values, strict=True)
        for column, values in (("belt_speed", self.left), ("belt_speed", self.right), *seen):
            limit = LARGEST.get(column, ANGLE)
            known = np.abs(values[np.isfinite(values)])
            if np.any(np.isinf(values)) or np.any(known > limit):
                largest = float(np.max(np.abs(np.nan_to_num(values))))
                problem = f"column {column} holds {largest:.3g}, and may hold {limit:g}"
                raise InvalidLog(self.name, f"{problem} at most")

    def first(self, count: int) -> "Record":
        """Return the record with so many of its first belt speeds; observations stay."""
        return replace(
            self,
            time=self.time[:count],
            left=self.left[:count],
            right=self.right[:count],
            pitch=None if self.pitch is None else self.pitch[:count],
            wheels={name: speeds[:count] for name, speeds in self.wheels.items()},
        )

    @property
    def duration(self) -> float:
        """Time from the first sample to the last [s]."""
        return float(self.time[-1] - self.time[0])


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


BELT_SPEEDS = ("belt_speed_measured", "belt_speed", "belt_speed_commanded")
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
    for family in BELT_SPEEDS:
        if all(f"{family}.{name}" in log for name in (*left, *right)):
            sides = [[log[f"{family}.{name}"] for name in side] for side in (left, right)]
            belts = np.stack([np.mean(side, axis=0) for side in sides])
            if not np.all(np.isfinite(belts)):
                raise InvalidLog(origin, f"column {family} has gaps; fill them or cut the log")
            return belts
    wanted = ", ".join(f"belt_speed.{name}" for name in (*left, *right))
    raise InvalidLog(origin, f"it has no belt speeds; slip takes columns {wanted}")
