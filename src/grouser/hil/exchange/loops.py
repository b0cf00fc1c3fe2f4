"""Loops of the exchange: controller, simulation, and a board whose robot another program has."""

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from grouser import interrupts
from grouser.description import Course, Robot
from grouser.errors import describe_bug, is_bug
from grouser.geometry import Pose, Twist
from grouser.hil.exchange.lines import EncoderLine, OrientationLine
from grouser.hil.exchange.mailbox import (
    STALE_AFTER,
    ControllerSide,
    LatestLine,
    LineHistory,
    SimulationSide,
)
from grouser.hil.virtual_robot import VirtualRobot
from grouser.live import CommandInput
from grouser.log import Column, Log, Provenance
from grouser.models import Command, Motion, SideMeans, add_travels, command_sides
from grouser.models.kinematic import Drivetrain
from grouser.simulation import Driver, Pace, Simulation
from grouser.sources import motion_source
from grouser.version import VERSION

if TYPE_CHECKING:
    from grouser.hil.conversation import StateArrived

LOOP_PERIOD = 0.05
"""Default period of the controller, as assumed for P0 [s]."""
_POSE = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}


class Loop(ABC):
    """One side of an exchange, tick by tick."""

    period: float
    """Time between two ticks [s]."""

    def __init__(self) -> None:
        self._history = LineHistory()
        self.silence = 0.0
        """Age of the other side's last line; infinite before the first [s]."""

    @property
    @abstractmethod
    def time(self) -> float:
        """Time since the first line of the other side [s]."""

    @property
    def stale_ticks(self) -> int:
        """Number of ticks in which the robot stood, as the other side's line was too old."""
        return self._history.stale_ticks

    @abstractmethod
    def tick(self) -> bool:
        """Do one tick; return False when the run is over."""

    @abstractmethod
    def stop(self) -> None:
        """Stop the belts."""

    @abstractmethod
    def log(self, status: str) -> Log:
        """Return the log, with the sequence number and age of each line."""


class ControlLoop(Loop):
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
        super().__init__()
        self._robot, self._course, self._driver, self._side = robot, course, driver, side
        self._drivetrain = Drivetrain.of(robot)
        self._stand = command_sides(robot, 0.0, 0.0).belt_speeds
        self._speeds = self._travels = self._stand
        self._rows = array("d")
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        self.period, self.ticks = period, 0

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self.ticks * self.period

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
        pose = _numbers(latest.line.pose)
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
        units = {"tick": "1", "time": "s", **_POSE}
        for family in ("belt_speed_commanded", "belt_speed"):
            units |= {f"{family}.{drive}": "m/s" for drive in drives}
        log = Log(_columns(units, np.array(self._rows[:])), self._provenance(status))
        return self._history.annotate(log, self._side.counts)

    def _provenance(self, status: str) -> Provenance:
        robot, course = self._robot, self._course
        return Provenance(
            grouser_version=VERSION,
            grouser_source=motion_source(),
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


class SimulationLoop(Loop):
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
        super().__init__()
        self._simulation, self._side, self.period = simulation, side, simulation.dt
        self._input = CommandInput(simulation.robot, timeout=STALE_AFTER)
        self._latest: LatestLine[EncoderLine] = LatestLine(None, came=0.0)
        self._driver = equip(lambda time, motion: self._input.command(self._latest.now))
        self._history.add(self._latest)  # the log has a row before the first tick

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self._simulation.time

    def tick(self) -> bool:
        """Do one tick; return True, as only the other side ends the run."""
        before, self._latest = self._latest, self._side.latest()
        line, self.silence = self._latest.line, self._latest.age
        if line is not None:
            if line is not before.line:
                self._input.offer_belts(line.left, line.right, self._latest.came)
            command = self._driver(self._simulation.time, self._simulation.motion)
            self._simulation.advance(command or self._input.command(math.inf))
            self._history.add(self._latest)
        self._side.send(self._simulation.motion.pose)
        return True

    def stop(self) -> None:
        """Do nothing: a virtual robot stands when it is not advanced."""

    def log(self, status: str) -> Log:
        """Return the log, with the sequence number and age of each line."""
        log = self._simulation.log(status, driver="exchange")
        return self._history.annotate(log, self._side.counts)


def run_loop(
    loop: Loop,
    *,
    duration: float = math.inf,
    timeout: float = math.inf,
    pace: Pace | None = None,
) -> tuple[str, str]:
    """Tick until the loop is done; return the status of the run and why it ended.

    A tick that raises ends it with status `failed`: belts stand, and the rows so far are kept.
    `duration` counts from the other side's first line [s]; `timeout` is the longest time without a
    new line of the other side, also before the first [s].
    """
    pace = Pace(period=loop.period) if pace is None else pace
    tick, ticks_in_silence = 0, 0
    try:
        with interrupts.held():
            while loop.time < duration - 0.5 * loop.period:
                pace.wait(tick)
                interrupts.check()
                tick += 1
                if not loop.tick():
                    return "complete", "the driver is done"
                # Ticks are counted because the age is infinite before the first line.
                ticks_in_silence = ticks_in_silence + 1 if loop.silence > loop.period else 0
                if ticks_in_silence * loop.period > timeout:
                    return "complete", f"no line came for {timeout:g} s"
    except KeyboardInterrupt:
        return "interrupted", "interrupted"
    except Exception as error:  # models and drivers of anybody run here
        if not is_bug(error):
            raise
        return "failed", describe_bug(error)
    finally:
        loop.stop()
    return "complete", f"{duration:g} s have passed"


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
        self._latest: LatestLine[OrientationLine] = LatestLine(None)
        self._history, self._poses = LineHistory(), list[tuple[float, ...]]()
        self._add_row()

    @property
    def motion(self) -> Motion:
        """Motion of our model, at the pose of the other program."""
        line = self._latest.line
        own = super().motion
        return own if line is None else replace(own, pose=line.pose)

    def follow(self, arrived: "StateArrived") -> int:
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
        units = {f"exchange_{name}": unit for name, unit in _POSE.items()}
        log = log.with_columns(_columns(units, np.array(self._poses)))
        return self._history.annotate(log, self._side.counts)

    def _add_row(self) -> None:
        line = self._latest.line
        self._history.add(self._latest)
        self._poses.append((math.nan,) * len(_POSE) if line is None else _numbers(line.pose))


def _numbers(pose: Pose) -> tuple[float, ...]:
    return tuple(float(getattr(pose, name)) for name in _POSE)


def _columns(units: dict[str, str], rows: np.ndarray) -> dict[str, Column]:
    """Return the columns of rows that hold a number for each name, with their units."""
    values = rows.reshape(-1, len(units)).T
    return {name: Column(row, units[name]) for name, row in zip(units, values, strict=True)}
