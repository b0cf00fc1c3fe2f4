"""Signals that charts can show: those of the robot, of each ghost, of sensors and of logs.

A signal has the name of the log's column where there is one, such as `belt_speed.left`. One of a
ghost ends with its name, such as `vx@slip`.
"""

import math
import threading
from array import array
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grouser.description import Robot
from grouser.models import Motion, SideMeans
from grouser.viewer.session import Snapshot

SPAN = 30.0
"""How much simulated time is kept for pages that open a chart later [s]."""
SPACING = 0.05
"""Simulated time between two points of a chart [s]."""
MOST_SIGNALS = 600
"""Most signals that can be chosen; a log may have thousands of columns [1]."""
LEAST = {
    "m": 0.1, "m/s": 0.1, "m/s^2": 1.0, "rad": math.radians(2.0), "rad/s": math.radians(5.0),
    "N": 20.0, "J": 1.0, "W": 5.0, "1": 0.2, "V": 1.0, "A": 0.5, "T": 1e-5,
}  # fmt: skip
"""Least range of the axis of a chart by unit: what is smaller looks like a line [the unit]."""
POSE = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}
TWIST = {
    "vx": "m/s", "vy": "m/s", "vz": "m/s",
    "roll_rate": "rad/s", "pitch_rate": "rad/s", "yaw_rate": "rad/s",
}  # fmt: skip
MEANS = {
    "speed_commanded": "m/s", "yaw_rate_commanded": "rad/s", "slip_left": "1", "slip_right": "1",
}  # fmt: skip
NOT_CHOSEN = ("tick", "time", "wall_time")
"""Columns of a log that are no signals."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What a line of a chart shows."""

    name: str
    """Name, with that of a ghost behind an @."""
    unit: str
    """SI unit."""
    group: str
    """Heading in the list of signals."""
    limit: float = math.inf
    """Larger values are drawn as this one [the unit]."""

    @property
    def least(self) -> float:
        """Least range of the axis [the unit]."""
        return LEAST.get(self.unit, 1.0)

    def describe(self) -> list[Any]:
        """Return name, unit, group, least range and limit for the page."""
        limit = self.limit if math.isfinite(self.limit) else None
        return [self.name, self.unit, self.group, self.least, limit]


SLIP_LIMIT = 1.5
"""Slip grows without limit when a belt stops [1]."""


class MotionSignals:
    """The signals of a motion of one robot, in a fixed order."""

    def __init__(self, robot: Robot, ghost: str = "") -> None:
        """Prepare the signals of the robot, or of a ghost of this name."""
        self._robot, self._sides = robot, SideMeans.of(robot)
        self._parts = [*(d.name for d in robot.drives), *(f.name for f in robot.flippers)]
        tail = f"@{ghost}" if ghost else ""
        self.signals = tuple(
            Signal(f"{name}{tail}", unit, group, SLIP_LIMIT if group == "slip" else math.inf)
            for name, unit, group in self._list()
        )
        self._works: tuple[float, tuple[float, ...]] = (math.nan, ())

    def _list(self) -> Iterator[tuple[str, str, str]]:
        drives = [drive.name for drive in self._robot.drives]
        flippers = [flipper.name for flipper in self._robot.flippers]
        yield from ((name, unit, "pose") for name, unit in POSE.items())
        yield from ((name, unit, "twist") for name, unit in TWIST.items())
        for name, unit in MEANS.items():
            yield name, unit, "slip" if name.startswith("slip") else "twist"
        for family, unit, group, members in (
            ("belt_speed_commanded", "m/s", "belts", drives),
            ("belt_speed", "m/s", "belts", drives),
            ("belt_travel", "m", "belts", drives),
            ("slip", "1", "slip", drives),
            ("flipper_angle", "rad", "flippers", flippers),
            ("work", "J", "work and power", drives),
            ("power", "W", "work and power", drives),
        ):
            yield from ((f"{family}.{member}", unit, group) for member in members)
        for part in self._parts:
            yield f"normal_force.{part}", "N", "forces"
            yield f"friction_force.{part}", "N", "forces"
        yield "tip_over_angle", "rad", "forces"

    def values(self, time: float, motion: Motion) -> list[float]:
        """Return the value of each signal; NaN where the model has none."""
        robot, drives = self._robot, len(self._robot.drives)
        left, right = self._sides(motion.belt_speeds_commanded)
        slips = motion.shown_slips or (math.nan,) * drives
        tip_over = motion.tip_over_angle
        works = motion.works or (math.nan,) * drives
        return [
            *(float(getattr(motion.pose, name)) for name in POSE),
            *(float(getattr(motion.twist, name)) for name in TWIST),
            0.5 * (left + right), (right - left) / robot.gauge, *self._sides(slips),
            *map(float, motion.belt_speeds_commanded), *map(float, motion.belt_speeds),
            *map(float, motion.belt_travels), *map(float, slips),
            *map(float, motion.flipper_angles), *map(float, works),
            *self._powers(time, tuple(map(float, works))),
            *self._forces(motion), math.nan if tip_over is None else tip_over,
        ]  # fmt: skip

    def _powers(self, time: float, works: tuple[float, ...]) -> list[float]:
        """Return the mean power of each motor since the last call [W]."""
        then, before = self._works
        self._works = time, works
        if not time - then > 0.0 or len(before) != len(works):
            return [math.nan] * len(works)
        return [(now - old) / (time - then) for now, old in zip(works, before, strict=True)]

    def _forces(self, motion: Motion) -> list[float]:
        """Return normal and friction force on each track, wheel and flipper [N]."""
        if motion.tip_over_angle is None:  # the model has no contacts
            return [math.nan] * (2 * len(self._parts))
        return [force for part in self._parts for force in motion.force_on(part)]


GAP = (("distance", "m"), ("heading_difference", "rad"))
"""Signals of a ghost relative to the robot."""


class Recorder:
    """Reads all signals of snapshots, and keeps those of the last `SPAN` seconds; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: deque[array[float]] = deque(maxlen=round(SPAN / SPACING))
        self._count, self._run, self._epoch = 0, 0, 0
        self._key: tuple[Any, ...] = ()
        self._more: list[str] = []
        self._motions: list[MotionSignals] = []
        self.signals: tuple[Signal, ...] = ()
        """All signals, in the order of a row."""
        self.version = 0
        """Number of the list of signals; a new one whenever the list has changed."""
        self._places: dict[str, int] = {}

    def add(self, snapshot: Snapshot, robot: Robot, factor: float) -> None:
        """Add a snapshot if it is at least `SPACING` later than the last.

        A new run clears all; a run that goes back clears what comes after.
        """
        time = snapshot.time
        last = self._rows[-1][0] if self._rows else -math.inf
        is_new, is_back = snapshot.run != self._run, time < last
        self._prepare(snapshot, robot)
        if not (is_new or is_back) and time < last + SPACING - 1e-9:
            return
        row = array("d", [time, *self._values(snapshot, factor)])
        with self._lock:
            if is_new or is_back:
                self._run, self._epoch = snapshot.run, self._epoch + 1
            while self._rows and (is_new or self._rows[-1][0] >= time):
                self._rows.pop()
            self._rows.append(row)
            self._count += 1

    def _prepare(self, snapshot: Snapshot, robot: Robot) -> None:
        """Make the list of signals anew if the scene has others."""
        ghosts = tuple(gap.model for gap in snapshot.gaps)
        key = (snapshot.scene, *ghosts)
        if key == self._key:
            return
        motions = [MotionSignals(robot), *(MotionSignals(robot, ghost) for ghost in ghosts)]
        signals = [Signal("real_time_factor", "1", "time")]
        signals += [signal for one in motions for signal in one.signals]
        signals += [
            Signal(f"{name}@{ghost}", unit, "gap") for ghost in ghosts for name, unit in GAP
        ]
        known = {signal.name for signal in signals} | set(NOT_CHOSEN)
        group = "log" if snapshot.mode == "replay" else "sensors"
        more = [(name, unit) for name, unit in _columns(snapshot) if name not in known]
        more = more[: MOST_SIGNALS - len(signals)]
        signals += [Signal(name, unit, group) for name, unit in more]
        self._more = [name for name, _ in more]
        self._replace(tuple(signals), motions)
        self._key = key

    def _replace(self, signals: tuple[Signal, ...], motions: list[MotionSignals]) -> None:
        """Take another list of signals; what is known of those in both stays."""
        old = self._places
        with self._lock:
            self.signals, self._motions = signals, motions
            self._places = {signal.name: 1 + n for n, signal in enumerate(signals)}
            self.version += 1
            for number, row in enumerate(self._rows):
                kept = (row[old[name]] if name in old else math.nan for name in self._places)
                self._rows[number] = array("d", [row[0], *kept])

    def _values(self, snapshot: Snapshot, factor: float) -> Iterator[float]:
        yield factor
        motions = snapshot.motions or (snapshot.motion,)
        for number, one in enumerate(self._motions):
            if number < len(motions):
                yield from one.values(snapshot.time, motions[number])
            else:
                yield from (math.nan,) * len(one.signals)
        for gap in snapshot.gaps:
            yield from (gap.distance, gap.heading)
        values = _column_values(snapshot)
        yield from (values.get(name, math.nan) for name in self._more)

    def rows(self, names: Sequence[str], after: int = 0) -> tuple[int, int, list[list[Any]]]:
        """Return the number of all rows so far, that of the epoch, and the rows after one.

        An epoch ends when time begins anew, or goes back.

        Each row has the time [s] and the value of each name; None where it is not known.
        """
        with self._lock:
            count, epoch = self._count, self._epoch
            new = min(count - after, len(self._rows))
            rows = [self._rows[place] for place in range(len(self._rows) - new, len(self._rows))]
            places = [0, *(self._places.get(name, -1) for name in names)]
        return count, epoch, [[_short(row[p]) if p >= 0 else None for p in places] for row in rows]

    def __len__(self) -> int:
        return len(self._rows)


def _columns(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    if snapshot.reading is not None:
        yield from snapshot.reading.columns
    yield from ((name, unit) for name, (_, unit) in snapshot.columns.items())


def _column_values(snapshot: Snapshot) -> Mapping[str, float]:
    if snapshot.reading is None:
        return {name: value for name, (value, _) in snapshot.columns.items()}
    pairs = zip(snapshot.reading.columns, snapshot.reading.values, strict=True)
    return {name: value for (name, _), value in pairs}


def _short(value: float) -> float | None:
    """Return a number with nine digits, which is enough for a chart; None if it is not finite."""
    return float(f"{value:.9g}") if math.isfinite(value) else None
