"""What a simulation remembers of each tick, and the log that it becomes."""

import math
from array import array
from collections.abc import Callable, Sequence

import numpy as np

from grouser.description import Robot
from grouser.log import Column, Log, Provenance
from grouser.models import Command, Motion
from grouser.simulation.sensors import Reading

BLOCK = 1000
"""Rows that lie together in memory: a longer run takes more blocks, none is ever moved."""


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
        self._columns = (*_columns(robot), *more_columns)
        # Asked for nothing, flippers stay where they are.
        self._stay = (math.nan,) * len(robot.flippers)
        self._blocks: list[array[float]] = []
        self._full = BLOCK * len(self._columns)
        # Not a number: a command without voltages, of a robot that takes them.
        self._no_voltages = (math.nan,) * len(robot.drives) if robot.drive.motor else ()

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
        self._blocks[-1].extend(
            (
                tick, time, self._clock(),
                pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw,
                twist.vx, twist.vy, twist.vz, twist.roll_rate, twist.pitch_rate, twist.yaw_rate,
                motion.phase,
                *command.belt_speeds, *motion.belt_speeds, *motion.slips,
                *(self._no_voltages and (command.motor_voltages or self._no_voltages)),
                *(command.flipper_angles or self._stay), *motion.flipper_angles,
                *reading.encoder_counts, *reading.belt_speeds, *reading.angular_rates,
                *more,
            )  # type: ignore[arg-type]
        )  # fmt: skip

    def log(self, provenance: Provenance) -> Log:
        """Return all rows so far as a log; another thread may go on adding."""
        # A slice is a copy at once. Looking into a block itself would forbid it to grow meanwhile.
        blocks = [np.array(block[:]) for block in tuple(self._blocks)]
        numbers = np.concatenate(blocks or [np.empty(0)])
        by_column = numbers.reshape(-1, len(self._columns)).T
        return Log(
            {
                name: Column(values, unit)
                for (name, unit), values in zip(self._columns, by_column, strict=True)
            },
            provenance,
        )


def _columns(robot: Robot) -> tuple[tuple[str, str], ...]:
    """Return name and unit of each column, in the order of a row."""
    drives = [drive.name for drive in robot.drives]
    flippers = [flipper.name for flipper in robot.flippers]
    families: list[tuple[str, str, list[str]]] = [
        ("belt_speed_commanded", "m/s", drives),
        ("belt_speed", "m/s", drives),
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
