"""Recorder: the rows of a run, in memory or on disk, and the log made of them."""

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.log import Column, Log, Provenance, Spool
from grouser.models import Command, Motion

BLOCK = 1000
"""Rows per block of memory; a longer run has more blocks [1]."""
STREAM_PERIOD = 1.0
"""Longest simulated time between two writes of a streamed run [s]."""
STREAM_WALL_PERIOD = 0.5
"""Longest wall time between two writes, while ticks go on [s]."""


class _Memory(NamedTuple):
    """Rows that are not in the spool yet."""

    first: int
    """How many rows the spool has before them."""
    blocks: "list[array[float]]"


class Recorder:
    """Collects rows: row k holds the state at tick k and the command that led there.

    Eight bytes per number, so that hours of driving fit into memory. Ticks are floats, too:
    exact up to 2^53.
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
        # NaN where the command has no flipper angles: flippers hold theirs.
        self._no_angles = (math.nan,) * len(robot.flippers)
        self._memory = _Memory(0, [])
        self._full = BLOCK * len(self.columns)
        # NaN where the command has no motor voltages.
        self._no_voltages = (math.nan,) * len(robot.drives) if robot.drive.motor else ()
        self._spool: Spool | None = None
        self._due, self._wall_due = math.inf, math.inf

    def stream(self, spool: Spool) -> None:
        """Write all rows, past and future, to a spool of the same columns."""
        self._memory = self._memory._replace(first=spool.rows)
        self._spool, self._due = spool, -math.inf

    def flush(self) -> None:
        """Write the rows in memory to the spool, if there is one.

        An interrupt at any instant leaves each row written once, then or at the next flush: rows
        that the spool has are not given again, and memory is cleared in one step.
        """
        if (spool := self._spool) is None:
            return
        first, blocks = self._memory
        for block in blocks:
            rows = np.array(block).reshape(-1, len(self.columns))
            known, first = spool.rows - first, first + len(rows)
            if known < len(rows):
                spool.append(rows[known:])
        self._memory = _Memory(first, [])

    def rewind(self, count: int) -> None:
        """Keep the first rows only, in memory; rows of a spool are read."""
        if self._spool is not None:
            self.flush()
            log = self._spool.log()
            rows = np.column_stack([log[name] for name, _ in self.columns])
            self._spool, self._due, self._wall_due = None, math.inf, math.inf
        else:
            rows = self._rows()
        kept = rows[:count]
        parts = [kept[first : first + BLOCK] for first in range(0, len(kept), BLOCK)]
        self._memory = _Memory(0, [array("d", part.ravel().tolist()) for part in parts])

    def add(
        self,
        tick: int,
        time: float,
        motion: Motion,
        command: Command,
        more: Sequence[float] = (),
    ) -> None:
        """Add the row of a tick; `more` has a value for each of `more_columns`."""
        pose, twist, blocks = motion.pose, motion.twist, self._memory.blocks
        if not blocks or len(blocks[-1]) == self._full:
            blocks.append(array("d"))
        now = self._clock()
        row = array(
            "d",
            (
                tick, time, now,
                pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw,
                twist.vx, twist.vy, twist.vz, twist.roll_rate, twist.pitch_rate, twist.yaw_rate,
                motion.phase,
                *command.belt_speeds, *motion.belt_speeds, *motion.belt_travels, *motion.slips,
                *(self._no_voltages and (command.motor_voltages or self._no_voltages)),
                *(command.flipper_angles or self._no_angles), *motion.flipper_angles,
                *more,
            ),  # type: ignore[arg-type]
        )  # fmt: skip
        blocks[-1].extend(row)  # the whole row, or nothing
        if time >= self._due or now >= self._wall_due:
            self.flush()
            self._due, self._wall_due = time + STREAM_PERIOD, now + STREAM_WALL_PERIOD

    def log(self, provenance: Provenance) -> Log:
        """Return all rows so far as a log; without a spool, another thread may keep adding."""
        if self._spool is not None:
            self.flush()
            return replace(self._spool.log(), provenance=provenance)
        return Log(
            {
                name: Column(values, unit)
                for (name, unit), values in zip(self.columns, self._rows().T, strict=True)
            },
            provenance,
        )

    def _rows(self) -> NDArray[np.float64]:
        """Return the rows in memory (row, column)."""
        # A slice copies atomically; a view of the block would forbid it to grow meanwhile.
        blocks = [np.array(block[:]) for block in tuple(self._memory.blocks)]
        return np.concatenate(blocks or [np.empty(0)]).reshape(-1, len(self.columns))

    def log_later(self, provenance: Provenance) -> Callable[[], Log]:
        """Return a function that returns all rows so far as a log; any thread may call it."""
        if self._spool is None:
            log = self.log(provenance)
            return lambda: log
        self.flush()
        read = self._spool.log_later()
        return lambda: replace(read(), provenance=provenance)


def _columns(robot: Robot) -> tuple[tuple[str, str], ...]:
    """Return name and unit of the columns of state and command, in the order of a row."""
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
    ]
    return (
        ("tick", "1"), ("time", "s"), ("wall_time", "s"),
        ("x", "m"), ("y", "m"), ("z", "m"), ("roll", "rad"), ("pitch", "rad"), ("yaw", "rad"),
        ("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"),
        ("roll_rate", "rad/s"), ("pitch_rate", "rad/s"), ("yaw_rate", "rad/s"),
        ("phase", "1"),
        *((f"{family}.{member}", unit) for family, unit, members in families for member in members),
    )  # fmt: skip
