"""Loops of the exchange: controller and simulation."""

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
from grouser.hil.exchange.mailbox import ControllerSide, Sight, Sights, SimulationSide
from grouser.hil.virtual_robot import VirtualWorld
from grouser.log import Column, Log, Provenance
from grouser.models import Command, Motion, SideMeans, add_travels, command_sides
from grouser.models.kinematic import Drivetrain
from grouser.simulation import Driver, Pace, Simulation
from grouser.version import VERSION

LOOP_PERIOD = 0.05
"""Time between two lines, as assumed for P0 [s]."""
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")


class ControlLoop:
    """Drives the virtual robot of another program over a course.

    Time begins with the first pose. The belts are those of an unloaded robot: within its limits,
    they do what the driver asks. A pose that is stale stops them.
    """

    def __init__(
        self,
        robot: Robot,
        course: Course,
        driver: Driver,
        side: ControllerSide,
        period: float = LOOP_PERIOD,
    ) -> None:
        """Let `driver` drive `robot`, which `side` tells about, every `period` [s]."""
        self._robot, self._course, self._driver, self._side = robot, course, driver, side
        self._drivetrain = Drivetrain.of(robot)
        self._stand = command_sides(robot, 0.0, 0.0).belt_speeds
        self._speeds = self._travels = self._stand
        self._rows, self._sights = array("d"), Sights()
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        self.period, self.ticks = period, 0
        self.silence = 0.0
        """Age of what the other side said last; infinite before it said anything [s]."""

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self.ticks * self.period

    @property
    def stale_ticks(self) -> int:
        """How many ticks had to stop because nothing fresh had come."""
        return self._sights.stale_ticks

    def tick(self) -> bool:
        """Do one tick; return False when the driver is done."""
        sight = self._side.look()
        self.silence = sight.age
        if sight.line is None:
            self._send()
            return True
        asked = self._stand
        if not sight.is_stale:
            command = self._driver(self.time, self._motion(sight.line.pose))
            if command is None:
                self.stop()
                return False
            asked = command.belt_speeds
        self._speeds = self._drivetrain.reach(self._speeds, asked, self.period)
        if sight.is_stale:
            self._speeds = self._stand  # the failsafe does not ramp
        self._travels = add_travels(self._travels, self._speeds, self.period)
        self._send()
        self.ticks += 1
        pose = [float(getattr(sight.line.pose, name)) for name in _POSE]
        self._rows.extend((self.ticks, self.time, *pose, *asked, *self._speeds))  # type: ignore[arg-type]
        self._sights.add(sight)
        return True

    def stop(self) -> None:
        """Tell the other side that the belts stand."""
        self._speeds = self._stand
        self._send()

    def log(self, status: str) -> Log:
        """Return what happened, with what was seen of the other side."""
        drives = self._robot.belt_order
        names = ("tick", "time", *_POSE)
        units = ("1", "s", "m", "m", "m", "rad", "rad", "rad")
        families = ("belt_speed_commanded", "belt_speed")
        names += tuple(f"{family}.{drive}" for family in families for drive in drives)
        units += ("m/s",) * (2 * len(drives))
        values = np.array(self._rows[:]).reshape(-1, len(names)).T
        columns = {n: Column(v, u) for n, u, v in zip(names, units, values, strict=True)}
        return Log({**columns, **self._sights.columns()}, self._provenance(status))

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
    """Advances a simulation by the speeds that another program measures.

    Time begins with the first line of the controller; until then the pose is written for it to
    find. Speeds that are stale are taken as zero.
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
        self._sights = Sights()
        self._sights.add(Sight(None, 0.0))  # the first row of the log is before any look
        self.silence = 0.0
        """Age of what the other side said last; infinite before it said anything [s]."""

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
        """How many ticks had to stand because nothing fresh had come."""
        return self._sights.stale_ticks

    def tick(self) -> bool:
        """Do one tick; return False when there is nothing more to do, which is never here."""
        sight = self._side.look()
        self.silence = sight.age
        if sight.line is not None:
            left, right = (0.0, 0.0) if sight.is_stale else (sight.line.left, sight.line.right)
            self._command = command_sides(self._simulation.robot, left, right)
            command = self._driver(self._simulation.time, self._simulation.motion)
            self._simulation.advance(command or self._command)
            self._sights.add(sight)
        self._side.send(self._simulation.motion.pose)
        return True

    def stop(self) -> None:
        """Nothing to stop: a virtual robot stands when it is not advanced."""

    def log(self, status: str) -> Log:
        """Return what happened, with what was seen of the other side."""
        log = self._simulation.log(status, driver="exchange")
        seen = {**self._side.counts, "stale_ticks": self.stale_ticks}
        notes = {**log.provenance.notes, "exchange": seen}
        log = log.with_columns(self._sights.columns())
        return replace(log, provenance=replace(log.provenance, notes=notes))


class Loop(Protocol):
    """One side of an exchange, tick by tick."""

    silence: float
    """Age of what the other side said last [s]."""

    @property
    def period(self) -> float:
        """Time between two ticks [s]."""
        ...

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        ...

    def tick(self) -> bool:
        """Do one tick; return False when there is nothing more to do."""
        ...

    def stop(self) -> None:
        """Leave the other side in a safe state."""
        ...


def run_loop(
    loop: Loop,
    *,
    duration: float = math.inf,
    patience: float = math.inf,
    pace: Pace | None = None,
) -> tuple[str, str]:
    """Tick until the loop is done; return the status of the run and why it ended.

    Args:
        loop: The side of the exchange that is ours.
        duration: Time since the other side's first line after which to stop [s].
        patience: How long the other side may be silent before we stop, also at first [s].
        pace: Keeps step with the wall clock; one for the loop's own period if not given.
    """
    pace = Pace(period=loop.period) if pace is None else pace
    tick, ticks_in_silence = 0, 0
    try:
        while loop.time < duration - 0.5 * loop.period:
            pace.wait(tick)
            tick += 1
            if not loop.tick():
                return "complete", "the driver is done"
            # Counted, since before the first line the age is infinite.
            ticks_in_silence = ticks_in_silence + 1 if loop.silence > loop.period else 0
            if ticks_in_silence * loop.period > patience:
                return "complete", f"nothing was heard for {patience:g} s"
    except KeyboardInterrupt:
        return "interrupted", "interrupted"
    finally:
        loop.stop()
    return "complete", f"{duration:g} s are over"


_POSE_COLUMNS = (
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("roll", "rad"),
    ("pitch", "rad"),
    ("yaw", "rad"),
)


class ExchangeWorld(VirtualWorld):
    """Sends measured belt speeds to the other program and believes its poses.

    Our own model runs beside it, obeys the same belts and fills the log; the poses that came are
    columns `exchange_x` and so on.
    """

    def __init__(
        self, simulation: Simulation, counts_per_revolution: int, side: ControllerSide
    ) -> None:
        super().__init__(simulation, counts_per_revolution)
        self._side = side
        self._sight: Sight[OrientationLine] = Sight(None, float("inf"))
        self._sights, self._poses = Sights(), list[tuple[float, ...]]()
        self._note()

    @property
    def motion(self) -> Motion:
        """How the virtual robot moves, where the other program says it is."""
        line = self._sight.line
        own = super().motion
        return own if line is None else replace(own, pose=line.pose)

    def follow(self, arrived: StateArrived) -> int:
        """Tell the other program what the belts did, and see where that has led."""
        ticks = super().follow(arrived)
        self._side.send(*self.scale.speeds(arrived.state))
        self._sight = self._side.look()
        for _ in range(ticks):
            self._note()
        return ticks

    def guard(self, driver: Driver) -> Driver:
        """Return a driver that stands while the other program's pose is stale."""
        stand = command_sides(self.simulation.robot, 0.0, 0.0)

        def drive(time: float, motion: Motion) -> Command | None:
            return stand if self._sight.is_stale else driver(time, motion)

        return drive

    def annotate(self, log: Log) -> Log:
        """Return a log with what board and other program said beside it."""
        log = super().annotate(log)
        poses = np.array(self._poses).reshape(-1, len(_POSE_COLUMNS)).T
        columns = {
            f"exchange_{name}": Column(values, unit)
            for (name, unit), values in zip(_POSE_COLUMNS, poses, strict=True)
        }
        counts = {**self._side.counts, "stale_ticks": self._sights.stale_ticks}
        notes = {**log.provenance.notes, "exchange": counts}
        log = replace(log, provenance=replace(log.provenance, notes=notes))
        return log.with_columns({**columns, **self._sights.columns()})

    def _note(self) -> None:
        line = self._sight.line
        self._sights.add(self._sight)
        self._poses.append(
            (float("nan"),) * len(_POSE_COLUMNS) if line is None else _numbers(line.pose)
        )


def _numbers(pose: Pose) -> tuple[float, ...]:
    return tuple(float(getattr(pose, name)) for name, _ in _POSE_COLUMNS)
