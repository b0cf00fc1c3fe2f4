"""What a simulation remembers of each tick, in memory or on disk, and the log that it becomes."""

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from grouser.description import Robot
from grouser.log import Column, Log, Provenance, Spool
from grouser.models import Command, Motion
from grouser.simulation.sensors import Reading

BLOCK = 1000
"""Rows that lie together in memory: a longer run takes more blocks, none is ever moved."""
STREAM_PERIOD = 1.0
"""Longest simulated time until rows are in the file of a run that is streamed [s]."""
STREAM_WALL_PERIOD = 0.5
"""Longest wall time until they are, as long as ticks go on [s]."""


class Recorder:
    """Collects rows: row k holds the state at tick k and the command that led there.

    Eight bytes for each number and nothing else, so that hours of driving stay cheap. Ticks are
    kept as floats, too: they are exact up to 2^53.
    """

    def __init__(
        self,
        robot: Robot,
        clock: Callable[[], float],
        more_columns: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._clock = clock
        self.columns = (*_columns(robot), *more_columns)
        """Name and unit of each column, in the order of a row."""
        # Asked for nothing, flippers stay where they are.
        self._stay = (math.nan,) * len(robot.flippers)
        self._blocks: list[array[float]] = []
        self._full = BLOCK * len(self.columns)
        # Not a number: a command without voltages, of a robot that takes them.
        self._no_voltages = (math.nan,) * len(robot.drives) if robot.drive.motor else ()
        self._spool: Spool | None = None
        self._due, self._wall_due = math.inf, math.inf

    def stream(self, spool: Spool) -> None:
        """Keep all rows in a spool of the same columns, those so far and those that come."""
        self._spool, self._due = spool, -math.inf

    def flush(self) -> None:
        """Write to the spool what it has not got."""
        if self._spool is None:
            return
        count = len(self.columns)
        for block in self._blocks:
            self._spool.append(np.array(block).reshape(-1, count))
        self._blocks.clear()

    def add(
        self,
        tick: int,
        time: float,
        motion: Motion,
        command: Command,
        reading: Reading,
        more: Sequence[float] = (),
    ) -> None:
        """Remember one tick; `more` has a number for each of the columns that were added."""
        pose, twist = motion.pose, motion.twist
        if not self._blocks or len(self._blocks[-1]) == self._full:
            self._blocks.append(array("d"))
        now = self._clock()
        self._blocks[-1].extend(
            (
                tick, time, now,
                pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw,
                twist.vx, twist.vy, twist.vz, twist.roll_rate, twist.pitch_rate, twist.yaw_rate,
                motion.phase,
                *command.belt_speeds, *motion.belt_speeds, *motion.belt_travels, *motion.slips,
                *(self._no_voltages and (command.motor_voltages or self._no_voltages)),
                *(command.flipper_angles or self._stay), *motion.flipper_angles,
                *reading.encoder_counts, *reading.belt_speeds, *reading.angular_rates,
                *more,
            )  # type: ignore[arg-type]
        )  # fmt: skip
        if time >= self._due or now >= self._wall_due:
            self.flush()
            self._due, self._wall_due = time + STREAM_PERIOD, now + STREAM_WALL_PERIOD

    def log(self, provenance: Provenance) -> Log:
        """Return all rows so far as a log; another thread may go on adding if none are streamed."""
        if self._spool is not None:
            self.flush()
            return replace(self._spool.log(), provenance=provenance)
        # A slice is a copy at once. Looking into a block itself would forbid it to grow meanwhile.
        blocks = [np.array(block[:]) for block in tuple(self._blocks)]
        numbers = np.concatenate(blocks or [np.empty(0)])
        by_column = numbers.reshape(-1, len(self.columns)).T
        return Log(
            {
                name: Column(values, unit)
                for (name, unit), values in zip(self.columns, by_column, strict=True)
            },
            provenance,
        )

    def log_later(self, provenance: Provenance) -> Callable[[], Log]:
        """Return a function that returns all rows so far as a log, in whichever thread."""
        if self._spool is None:
            log = self.log(provenance)
            return lambda: log
        self.flush()
        read = self._spool.log_later()
        return lambda: replace(read(), provenance=provenance)


def _columns(robot: Robot) -> tuple[tuple[str, str], ...]:
    """Return name and unit of each column, in the order of a row."""
    drives = [drive.name for drive in robot.drives]
    flippers = [flipper.name for flipper in robot.flippers]
    families: list[tuple[str, str, list[str]]] = [
        ("belt_speed_commanded", "m/s", drives),
        ("belt_speed", "m/s", drives),
        ("belt_travel", "m", drives),
        ("slip", "1", drives),
        ("motor_voltage_commanded", "V", drives if robot.drive.motor else []),
        ("flipper_angle_commanded", "rad", flippers),
        ("flipper_angle", "rad", flippers),
        ("encoder", "1", drives if robot.sensors.encoder else []),
        ("belt_speed_measured", "m/s", drives if robot.sensors.encoder else []),
    ]
    gyro = ("gyro_roll_rate", "gyro_pitch_rate", "gyro_yaw_rate")
    return (
        ("tick", "1"), ("time", "s"), ("wall_time", "s"),
        ("x", "m"), ("y", "m"), ("z", "m"), ("roll", "rad"), ("pitch", "rad"), ("yaw", "rad"),
        ("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"),
        ("roll_rate", "rad/s"), ("pitch_rate", "rad/s"), ("yaw_rate", "rad/s"),
        ("phase", "1"),
        *((f"{family}.{member}", unit) for family, unit, members in families for member in members),
        *((name, "rad/s") for name in (gyro if robot.sensors.imu else ())),
    )  # fmt: skip
