"""Time passes: a plant, a tick counter, sensors and a recorder."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Protocol

import numpy as np

from grouser.description import Course, Robot
from grouser.errors import NotFinite, Unwritable
from grouser.geometry import Pose
from grouser.log import Log, Provenance, Spool, name_file, write_log, write_spool
from grouser.models import Command, Model, Motion, command_sides, model_parameters, start_model
from grouser.simulation.disturbance import YawKick
from grouser.simulation.guard import check_command, check_tick, count_ticks, find_not_finite
from grouser.simulation.observer import Observer
from grouser.simulation.pace import Pace
from grouser.simulation.record import Recorder
from grouser.simulation.sensors import Reading, SensorSuite
from grouser.storage import write_new
from grouser.version import VERSION

DEFAULT_DT = 0.01
"""Length of one tick, unless another is asked for [s]."""


class Driver(Protocol):
    """A program, a controller or a person: says what to do next."""

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command for the tick that begins at `time`; None when it is done."""
        ...


class Simulation:
    """One robot on one course, advanced tick by tick, remembering everything.

    Batch runs, viewers, environments and hardware in the loop all call `advance`.
    """

    def __init__(
        self,
        model: Model,
        robot: Robot,
        course: Course,
        *,
        pose: Pose | None = None,
        dt: float = DEFAULT_DT,
        seed: int = 0,
        dump_folder: str | Path | None = None,
        observers: Sequence[Observer] = (),
        driver: str = "",
        scenario: Mapping[str, Any] | None = None,
    ) -> None:
        """Put the robot on the course.

        Args:
            model: How it moves.
            robot: What moves.
            course: Where it moves.
            pose: Where it starts; at the start of the course if not given.
            dt: Length of one tick [s].
            seed: Seed of the sensors' noise.
            dump_folder: Where a run that is no longer finite is written; nowhere if not given.
            observers: Watch every tick; what they say goes into the log.
            driver: Who drives, for the log.
            scenario: What is run, for the log, as a scenario file spells it.
        """
        check_tick(dt)
        self.model, self.robot, self.course = model, robot, course
        self.dt, self.seed, self.ticks, self.driver = dt, seed, 0, driver
        self.plant = start_model(model, robot, course, pose)
        self._dump_folder = None if dump_folder is None else Path(dump_folder)
        self._sensors = SensorSuite(robot, np.random.default_rng(seed))
        self._kick = YawKick.of(course)
        self._start, self._scenario = pose, dict(scenario or {})
        self._spool: Spool | None = None
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        began = time.perf_counter()
        self._observers = tuple(observers)
        more = [column for observer in self._observers for column in observer.columns]
        self._recorder = Recorder(robot, lambda: time.perf_counter() - began, more)
        self.reading: Reading = self._sensors.read(self.motion, dt)
        self._record(self.motion, command_sides(robot, 0.0, 0.0))

    @property
    def time(self) -> float:
        """Simulated time since the start. Counted, so it never drifts [s]."""
        return self.ticks * self.dt

    @property
    def motion(self) -> Motion:
        """Where the robot is and how it moves now."""
        return self.plant.motion

    def advance(self, command: Command) -> Motion:
        """Obey `command` for one tick; return the motion at its end.

        Raises:
            InvalidValue: The command does not fit the robot, or has a number that is not finite.
            NotFinite: The motion is no longer finite; what happened so far was written down.
        """
        check_command(command, self.robot)
        with np.errstate(all="ignore"):  # what overflows is seen below
            self.plant.advance(command, self.dt)
            self.ticks += 1
            if self._kick is not None:
                self._kick = self._kick.apply(self.plant)
            motion = self.plant.motion
            self.reading = self._sensors.read(motion, self.dt)
        self._record(motion, command)
        quantity = find_not_finite(motion)
        if quantity is not None:
            raise NotFinite(quantity, self.time, self._dump())
        return motion

    def run(self, driver: Driver, duration: float, pace: Pace | None = None) -> str:
        """Advance until the driver is done or `duration` is over; return the status.

        An interrupt (Ctrl-C) ends the run and keeps all that was done: "interrupted".

        Args:
            driver: Says what to do next.
            duration: Simulated time at which to stop [s].
            pace: Keeps step with the wall clock; as fast as possible if not given.
        """
        last_tick = count_ticks(duration, self.dt)
        try:
            while self.ticks < last_tick:
                if pace is not None:
                    pace.wait(self.ticks)
                command = driver(self.time, self.motion)
                if command is None:
                    break
                self.advance(command)
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def stream(self, path: str | Path) -> Spool:
        """Write all rows to a file, those so far and those that come; return what writes it.

        They are in the file at most one simulated second and half a second of wall time later,
        as long as ticks go on, and stay there if this process is killed. They no longer are in
        memory: `log` reads the file.

        Args:
            path: Where; the next free name if there is a file.

        Raises:
            Unwritable: The file cannot be made.
        """
        self._spool = Spool(path, self._recorder.columns, self._provenance("unfinished"))
        self._recorder.stream(self._spool)
        self._recorder.flush()
        return self._spool

    def finish(self, status: str) -> None:
        """Write the last rows to the file of `stream`, and how the run ended."""
        self._recorder.flush()
        if self._spool is not None:
            self._spool.finish(status)

    def log(self, status: str = "complete", driver: str | None = None) -> Log:
        """Return everything so far as a log that can be replayed on its own."""
        return self._recorder.log(self._provenance(status, driver))

    def log_later(self, status: str = "complete") -> Callable[[], Log]:
        """Return a function that returns everything so far as a log, in whichever thread.

        A long run that was streamed takes seconds to read, for which no tick should wait.

        Raises:
            OSError: The file of `stream` is gone.
        """
        return self._recorder.log_later(self._provenance(status))

    def _provenance(self, status: str, driver: str | None = None) -> Provenance:
        return Provenance(
            grouser_version=VERSION,
            robot=self.robot.name,
            robot_hash=self.robot.content_hash,
            robot_text=self.robot.text,
            course=self.course.name,
            course_hash=self.course.content_hash,
            course_text=self.course.text,
            course_parameters=self.course.parameters,
            model=self.model.name,
            model_parameters=model_parameters(self.model),
            engine=self.model.engine,
            dt=self.dt,
            seed=self.seed,
            driver=self.driver if driver is None else driver,
            status=status,
            created=self._created,
            scenario=self._scenario,
            notes={} if self._start is None else {"start": _numbers(self._start)},
        )

    def _record(self, motion: Motion, command: Command) -> None:
        said = [observer.observe(self.time, motion, self.reading) for observer in self._observers]
        more = [number for numbers in said for number in numbers]
        self._recorder.add(self.ticks, self.time, motion, command, self.reading, more)

    def _dump(self) -> Path | None:
        if self._dump_folder is None:
            return None
        self.finish("not finite")
        name = name_file(f"not-finite-{self.robot.name}-{self.model.name}", ".csv")
        for folder in (self._dump_folder, Path(gettempdir())):
            with suppress(Unwritable):
                dump = write_new(folder / name, self._write_dump)
                if self._spool is not None:
                    self._spool.close(remove=True)
                    self._spool = None
                return dump
        return None if self._spool is None else self._spool.path

    def _write_dump(self, path: Path) -> None:
        if self._spool is None:
            write_log(self.log("not finite"), path)
        else:
            write_spool(self._spool, path)


def _numbers(pose: Pose) -> dict[str, float]:
    return {name: float(getattr(pose, name)) for name in ("x", "y", "z", "roll", "pitch", "yaw")}
