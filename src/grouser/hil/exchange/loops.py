"""Loops of the exchange: controller, simulation, and a board whose robot another program has."""

import math
from array import array
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

import numpy as np

from grouser.description import Course, Robot
from grouser.geometry import Pose, Twist
from grouser.hil.conversation import StateArrived
from grouser.hil.exchange.lines import OrientationLine
from grouser.hil.exchange.mailbox import ControllerSide, LatestLine, LineHistory, SimulationSide
from grouser.hil.virtual_robot import VirtualRobot
from grouser.log import Column, Log, Provenance
from grouser.models import Command, Motion, SideMeans, add_travels, command_sides
from grouser.models.kinematic import Drivetrain
from grouser.simulation import Driver, Pace, Simulation
from grouser.version import VERSION

LOOP_PERIOD = 0.05
"""Default period of the controller, as assumed for P0 [s]."""
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")


class ControlLoop:
    """Drives the virtual robot of another program over a course.

    Time begins with the first pose. The belts follow the driver within the drivetrain's limits,
    without load. A pose that is too old stops them.
    """

    def __init__(
        self,
        robot: Robot,
        course: Course,
        driver: Driver,
        side: ControllerSide,
        period: float = LOOP_PERIOD,
    ) -> None:
        """Let `driver` drive `robot`, whose poses come from `side`, every `period` [s]."""
        self._robot, self._course, self._driver, self._side = robot, course, driver, side
        self._drivetrain = Drivetrain.of(robot)
        self._stand = command_sides(robot, 0.0, 0.0).belt_speeds
        self._speeds = self._travels = self._stand
        self._rows, self._history = array("d"), LineHistory()
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        self.period, self.ticks = period, 0
        self.silence = 0.0
        """Age of the other side's last line; infinite before the first [s]."""

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self.ticks * self.period

    @property
    def stale_ticks(self) -> int:
        """Number of ticks in which the belts stopped, as the pose was too old."""
        return self._history.stale_ticks

    def tick(self) -> bool:
        """Do one tick; return False when the driver is done."""
        latest = self._side.latest()
        self.silence = latest.age
        if latest.line is None:
            self._send()
            return True
        commanded = self._stand
        if not latest.is_stale:
            command = self._driver(self.time, self._motion(latest.line.pose))
            if command is None:
                self.stop()
                return False
            commanded = command.belt_speeds
        self._speeds = self._drivetrain.reach(self._speeds, commanded, self.period)
        if latest.is_stale:
            self._speeds = self._stand  # at once, without the limit of acceleration
        self._travels = add_travels(self._travels, self._speeds, self.period)
        self._send()
        self.ticks += 1
        pose = [float(getattr(latest.line.pose, name)) for name in _POSE]
        self._rows.extend((self.ticks, self.time, *pose, *commanded, *self._speeds))  # type: ignore[arg-type]
        self._history.add(latest)
        return True

    def stop(self) -> None:
        """Send belt speeds of zero."""
        self._speeds = self._stand
        self._send()

    def log(self, status: str) -> Log:
        """Return the log, with the sequence number and age of each line."""
        drives = self._robot.belt_order
        names = ("tick", "time", *_POSE)
        units = ("1", "s", "m", "m", "m", "rad", "rad", "rad")
        families = ("belt_speed_commanded", "belt_speed")
        names += tuple(f"{family}.{drive}" for family in families for drive in drives)
        units += ("m/s",) * (2 * len(drives))
        values = np.array(self._rows[:]).reshape(-1, len(names)).T
        columns = {n: Column(v, u) for n, u, v in zip(names, units, values, strict=True)}
        return Log({**columns, **self._history.columns()}, self._provenance(status))

    def _provenance(self, status: str) -> Provenance:
        robot, course = self._robot, self._course
        return Provenance(
            grouser_version=VERSION,
            robot=robot.name,
            robot_hash=robot.content_hash,
            robot_text=robot.text,
            course=course.name,
            course_hash=course.content_hash,
            course_text=course.text,
            course_parameters=course.parameters,
            dt=self.period,
            driver="exchange",
            status=status,
            created=self._created,
            notes={"exchange": {**self._side.counts, "stale_ticks": self.stale_ticks}},
        )

    def _motion(self, pose: Pose) -> Motion:
        return Motion(
            pose=pose,
            twist=Twist(),
            belt_speeds_commanded=self._speeds,
            belt_speeds=self._speeds,
            belt_travels=self._travels,
            flipper_angles=tuple(flipper.rest_angle for flipper in self._robot.flippers),
            slips=(0.0,) * len(self._speeds),
        )

    def _send(self) -> None:
        left, right = SideMeans.of(self._robot)(self._speeds)
        self._side.send(float(left), float(right))


class SimulationLoop:
    """Advances a simulation with the belt speeds of another program.

    Time begins with the first line of the controller; the pose is sent from the beginning. Speeds
    that are too old count as zero.
    """

    def __init__(
        self,
        simulation: Simulation,
        side: SimulationSide,
        equip: Callable[[Driver], Driver] = lambda driver: driver,
    ) -> None:
        """Let `side` command a simulation; `equip` adds what it does not, as flipper angles."""
        self._simulation, self._side = simulation, side
        self._command = command_sides(simulation.robot, 0.0, 0.0)
        self._driver = equip(lambda time, motion: self._command)
        self._history = LineHistory()
        self._history.add(LatestLine(None, 0.0))  # the log has a row before the first tick
        self.silence = 0.0
        """Age of the other side's last line; infinite before the first [s]."""

    @property
    def period(self) -> float:
        """Time between two ticks [s]."""
        return self._simulation.dt

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self._simulation.time

    @property
    def stale_ticks(self) -> int:
        """Number of ticks in which the robot stood, as the speeds were too old."""
        return self._history.stale_ticks

    def tick(self) -> bool:
        """Do one tick; return True, as only the other side ends the run."""
        latest = self._side.latest()
        self.silence = latest.age
        if latest.line is not None:
            left, right = (0.0, 0.0) if latest.is_stale else (latest.line.left, latest.line.right)
            self._command = command_sides(self._simulation.robot, left, right)
            command = self._driver(self._simulation.time, self._simulation.motion)
            self._simulation.advance(command or self._command)
            self._history.add(latest)
        self._side.send(self._simulation.motion.pose)
        return True

    def stop(self) -> None:
        """Do nothing: a virtual robot stands when it is not advanced."""

    def log(self, status: str) -> Log:
        """Return the log, with the sequence number and age of each line."""
        log = self._simulation.log(status, driver="exchange")
        seen = {**self._side.counts, "stale_ticks": self.stale_ticks}
        notes = {**log.provenance.notes, "exchange": seen}
        log = log.with_columns(self._history.columns())
        return replace(log, provenance=replace(log.provenance, notes=notes))


class Loop(Protocol):
    """One side of an exchange, tick by tick."""

    silence: float
    """Age of the other side's last line [s]."""

    @property
    def period(self) -> float:
        """Time between two ticks [s]."""
        ...

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        ...

    def tick(self) -> bool:
        """Do one tick; return False when the run is over."""
        ...

    def stop(self) -> None:
        """Stop the belts."""


def run_loop(
    loop: Loop,
    *,
    duration: float = math.inf,
    timeout: float = math.inf,
    pace: Pace | None = None,
) -> tuple[str, str]:
    """Tick until the loop is done; return the status of the run and why it ended.

    `duration` counts from the other side's first line [s]; `timeout` is the longest time without a
    new line of the other side, also before the first [s].
    """
    pace = Pace(period=loop.period) if pace is None else pace
    tick, ticks_in_silence = 0, 0
    try:
        while loop.time < duration - 0.5 * loop.period:
            pace.wait(tick)
            tick += 1
            if not loop.tick():
                return "complete", "the driver is done"
            # Ticks are counted because the age is infinite before the first line.
            ticks_in_silence = ticks_in_silence + 1 if loop.silence > loop.period else 0
            if ticks_in_silence * loop.period > timeout:
                return "complete", f"no line came for {timeout:g} s"
    except KeyboardInterrupt:
        return "interrupted", "interrupted"
    finally:
        loop.stop()
    return "complete", f"{duration:g} s have passed"


_POSE_COLUMNS = (
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("roll", "rad"),
    ("pitch", "rad"),
    ("yaw", "rad"),
)


class ExchangedRobot(VirtualRobot):
    """A virtual robot whose pose comes from another program, which gets the measured belt speeds.

    Our own model runs with the same belt speeds and gives the rows of the log; the received poses
    are its columns `exchange_x` and so on.
    """

    def __init__(
        self, simulation: Simulation, counts_per_revolution: int, side: ControllerSide
    ) -> None:
        super().__init__(simulation, counts_per_revolution)
        self._side = side
        self._latest: LatestLine[OrientationLine] = LatestLine(None, float("inf"))
        self._history, self._poses = LineHistory(), list[tuple[float, ...]]()
        self._add_row()

    @property
    def motion(self) -> Motion:
        """Motion of our model, at the pose of the other program."""
        line = self._latest.line
        own = super().motion
        return own if line is None else replace(own, pose=line.pose)

    def follow(self, arrived: StateArrived) -> int:
        """Advance our model, send the belt speeds, and receive the pose."""
        ticks = super().follow(arrived)
        self._side.send(*self.scale.speeds(arrived.state))
        self._latest = self._side.latest()
        for _ in range(ticks):
            self._add_row()
        return ticks

    def guard(self, driver: Driver) -> Driver:
        """Return a driver that stops while the other program's pose is too old."""
        stand = command_sides(self.simulation.robot, 0.0, 0.0)

        def drive(time: float, motion: Motion) -> Command | None:
            return stand if self._latest.is_stale else driver(time, motion)

        return drive

    def annotate(self, log: Log) -> Log:
        """Return a log with the columns of the board and of the other program."""
        log = super().annotate(log)
        poses = np.array(self._poses).reshape(-1, len(_POSE_COLUMNS)).T
        columns = {
            f"exchange_{name}": Column(values, unit)
            for (name, unit), values in zip(_POSE_COLUMNS, poses, strict=True)
        }
        counts = {**self._side.counts, "stale_ticks": self._history.stale_ticks}
        notes = {**log.provenance.notes, "exchange": counts}
        log = replace(log, provenance=replace(log.provenance, notes=notes))
        return log.with_columns({**columns, **self._history.columns()})

    def _add_row(self) -> None:
        line = self._latest.line
        self._history.add(self._latest)
        self._poses.append(
            (float("nan"),) * len(_POSE_COLUMNS) if line is None else _numbers(line.pose)
        )


def _numbers(pose: Pose) -> tuple[float, ...]:
    return tuple(float(getattr(pose, name)) for name, _ in _POSE_COLUMNS)
