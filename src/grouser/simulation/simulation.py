"""One simulated robot: plant, sensors, disturbance and recorder, advanced tick by tick."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from grouser import interrupts
from grouser.description import Course, Robot
from grouser.errors import (
    GrouserError,
    InvalidValue,
    NotFinite,
    OffGround,
    TickFailed,
    Unwritable,
)
from grouser.geometry import Pose
from grouser.log import Log, Provenance, Spool, name_file, write_log, write_spool
from grouser.log.declaration import Declaration
from grouser.models import (
    Command,
    Model,
    Motion,
    Plant,
    command_sides,
    model_parameters,
    start_model,
)
from grouser.models.model import PushedPlant
from grouser.simulation.checks import check_command, check_tick, count_ticks, find_not_finite
from grouser.simulation.events import Event, Events, YawKick
from grouser.simulation.observer import Observer
from grouser.simulation.pace import Pace
from grouser.simulation.record import Recorder
from grouser.simulation.rollouts import Branches, Program, Rollouts, read_commands, roll_out
from grouser.simulation.sensors import Reading, SensorSuite
from grouser.sources import motion_source
from grouser.storage import write_new
from grouser.units import check_seed
from grouser.version import VERSION

if TYPE_CHECKING:
    from grouser.models.contact.engine import Variation


DEFAULT_DT = 0.01
"""Default length of a tick [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """All that the next ticks of a simulation depend on, at one time."""

    ticks: int
    """Number of the tick."""
    parts: tuple[Model, Robot, Plant]
    """Model, robot and plant, which an event may have exchanged since."""
    state: Any
    """State of the plant."""
    sensors: tuple[SensorSuite, tuple[Observer, ...]]
    """Copies of sensors and observers."""
    kick: YawKick | None
    """The course's disturbance, if it is still to come."""
    reading: Reading
    """Readings of the sensors."""
    events: Events
    """What acted on the robot."""


class Driver(Protocol):
    """A program, a controller or a person that returns commands."""

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command for the tick that begins at `time` [s]; None when it is done."""
        ...


class Simulation:
    """One robot on one course, advanced tick by tick; every tick is recorded.

    Runs, viewers, environments and hardware in the loop all call `advance`.
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
        record: bool = True,
        events: Sequence[Event] = (),
    ) -> None:
        """Put the robot on the course.

        Args:
            model: Model of motion.
            robot: The robot.
            course: The course.
            pose: Start pose; that of the course if not given.
            dt: Length of one tick [s].
            seed: Seed of the sensors' noise.
            dump_folder: Folder for the log of a run that diverges; not written if not given.
            observers: Add columns to the log.
            driver: Name of the driver, for the log.
            scenario: The scenario, for the log, as a mapping.
            record: Whether rows are kept for the log; without, it is empty, and memory does not
                grow.
            events: What happens to the robot from outside.
        """
        check_tick(dt)
        self.model, self.robot, self.course = model, robot, course
        self.dt, self.seed, self.ticks, self.driver = dt, check_seed(seed), 0, driver
        self._failure: TickFailed | None = None
        self.plant = start_model(model, robot, course, pose)
        self._dump_folder = None if dump_folder is None else Path(dump_folder)
        self._is_recorded = record
        self._sensors = SensorSuite(robot, course, seed)
        self._kick = YawKick.of(course)
        self.events = Events(tuple(sorted(events, key=lambda event: event.time)))
        """What happens to the robot from outside."""
        self._start, self._scenario = pose, dict(scenario or {})
        self._branches = Branches(robot, course.start_pose if pose is None else pose)
        self._spool: Spool | None = None
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        began = time.perf_counter()
        self._observers = tuple(observers)
        sources = (self._sensors, *self._observers)
        more = [column for source in sources for column in source.columns]
        self._recorder = Recorder(robot, lambda: time.perf_counter() - began, more)
        self.reading: Reading = self._sensors.read(0.0, self.motion, dt)
        self._record(self.motion, command_sides(robot, 0.0, 0.0))

    @property
    def time(self) -> float:
        """Simulated time since the start, ticks x dt: no rounding error adds up [s]."""
        return self.ticks * self.dt

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        return self.plant.motion

    @property
    def sensor_columns(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each column of the sensors."""
        return self._sensors.columns

    @property
    def declarations(self) -> dict[str, tuple[Declaration, ...]]:
        """Messages of each sensor, by its name."""
        return self._sensors.declarations

    @property
    def columns_by_sensor(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of each sensor, by its name, in the order of a sample's values."""
        return self._sensors.columns_by_sensor

    def advance(self, command: Command) -> Motion:
        """Apply `command` for one tick; return the motion at its end.

        Raises:
            InvalidValue: The command does not fit the robot, or has a number that is not finite.
            NotFinite: The motion is no longer finite; the log so far is written to `dump_folder`.
            OffGround: The robot's origin is no longer above ground; only where there is no plane.
            TickFailed: Something else raised in the tick, now or before. The rows up to there are
                kept; only `rewind` lets the simulation go on, as its state is not known.
        """
        if self._failure is not None:
            raise self._failure
        check_command(command, self.robot)
        ticks = self.ticks
        try:
            return self._advance(command)
        except GrouserError:
            raise
        except Exception as error:  # a tick runs models, sensors and observers of anybody
            self.ticks = ticks
            self._failure = TickFailed(self.time, error)
            raise self._failure from error

    def _advance(self, command: Command) -> Motion:
        with np.errstate(all="ignore"):  # overflow is detected below
            self.events.act(self)
            self.plant.advance(command, self.dt)
            self.ticks += 1
            motion = self.plant.motion
            quantity = find_not_finite(motion)
            if quantity is None and self._kick is not None:
                self._kick = self._kick.apply(self.plant)
                motion = self.plant.motion
            if quantity is None:
                self.reading = self._sensors.read(self.time, motion, self.dt)
        self._record(motion, command, is_finite=quantity is None)
        if quantity is not None:
            raise NotFinite(quantity, self.time, self._dump())
        terrain, pose = self.course.terrain, motion.pose
        if not terrain.planes and math.isnan(terrain.height(pose.x, pose.y)):
            raise OffGround(float(pose.x), float(pose.y), self.time)
        return motion

    def happen(self, event: Event) -> None:
        """Let something happen to the robot; the log holds it, so that it replays.

        Raises:
            InvalidValue: It would have happened before now.
        """
        self.events.add(event, self.time)

    def exchange(self, model: Model, robot: Robot) -> None:
        """Go on with another model or robot of the same drives and flippers, as it is now.

        Raises:
            InvalidValue: The state does not fit; nothing has changed then.
        """
        pose = self.motion.pose
        plant = start_model(model, robot, self.course, pose)
        plant.state = self.plant.state
        self.model, self.robot, self.plant = model, robot, plant
        # A new plant has no force yet.
        self.events.acting.is_pushed = isinstance(plant, PushedPlant)

    def keep(self) -> "Kept":
        """Return all that the next ticks depend on, to go back to later."""
        parts = (self._sensors, self._observers)
        return Kept(
            ticks=self.ticks,
            parts=(self.model, self.robot, self.plant),
            state=self.plant.state,
            sensors=deepcopy(parts, self._shared()),
            kick=self._kick,
            reading=self.reading,
            events=self.events.keep(),
        )

    def rewind(self, kept: "Kept", until: float) -> None:
        """Go back to what was kept. Of later events, those before `until` [s] happen again.

        Rows after it are removed; rows on disk are read, and the run is no longer streamed there.
        """
        self.model, self.robot, self.plant = kept.parts
        self.plant.state, self._failure = kept.state, None
        self.ticks, self._kick, self.reading = kept.ticks, kept.kick, kept.reading
        self._sensors, self._observers = deepcopy(kept.sensors, self._shared())
        self.events.rewind(kept.events, until)
        self._recorder.rewind(kept.ticks + 1)
        self._spool = None

    def _shared(self) -> dict[int, Any]:
        """Return what copies of sensors and observers share, by its identity."""
        shared = (self.robot, self.course, self.course.terrain, self.model)
        return {id(one): one for one in shared}

    def run(self, driver: Driver, duration: float, pace: Pace | None = None) -> str:
        """Advance until the driver is done or `duration` is over; return the status.

        An interrupt (Ctrl-C) ends the run between two ticks, or within a long one, and keeps its
        rows; the status is then "interrupted". A second one ends it at once.

        Args:
            driver: Returns the commands.
            duration: Simulated time at which to stop [s].
            pace: Schedule in wall time; as fast as possible if not given.
        """
        last_tick = count_ticks(duration, self.dt)
        try:
            with interrupts.held():
                while self.ticks < last_tick:
                    if pace is not None:
                        pace.wait(self.ticks)
                    interrupts.check()
                    command = self._ask(driver)
                    if command is None:
                        break
                    self.advance(command)
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def _ask(self, driver: Driver) -> Command | None:
        try:
            return driver(self.time, self.motion)
        except GrouserError:
            raise
        except Exception as error:  # a driver may be anybody's
            raise TickFailed(self.time, error) from error

    def rollouts(
        self,
        commands: ArrayLike | Program,
        *,
        flipper_angles: ArrayLike | None = None,
        shape: tuple[int, int] | None = None,
        dt: float | None = None,
        hold: int = 1,
        every: int = 1,
        variation: "Variation | None" = None,
        offsets: Pose | None = None,
        model: Model | None = None,
        course: Course | None = None,
    ) -> Rollouts:
        """Return what many robots would do from now on; the simulation itself stays as it is.

        Each robot moves as the live one would with the same commands and ticks, bit for bit. The
        course's disturbance is left out. Plants are built at the first call for a model and a
        number of robots, and kept. A robot that diverges has numbers that are not finite.

        Args:
            commands: Belt speeds (robots, commands, drives) [m/s], or a function of the time since
                now and the motion of all robots that returns their command.
            flipper_angles: Angles (robots, commands, flippers) [rad]; as they are if not given.
            shape: Number of robots and of ticks, for a function.
            dt: Length of a tick; that of the simulation if not given [s].
            hold: Number of ticks for which a command of an array is applied [1].
            every: Number of ticks between two samples [1].
            variation: How friction, mass, payload and gains of the robots differ (3D models).
            offsets: Added to x, y and yaw of the live robot, for each robot. Robots beside the live
                one are put down at rest; with kinematic models, they keep their belt speeds.
            model: Another model. If its states differ from those of the live one, robots start at
                the live pose: at rest, or with the live belt speeds for kinematic models.
            course: Another course for them, such as a flat one for a model that lacks stairs.

        Raises:
            InvalidValue: Commands or offsets do not fit the robot or the number of robots.
            Unsupported: The model does not support the variation or the course.
        """
        dt = self.dt if dt is None else dt
        check_tick(dt)
        for name, count in (("hold", hold), ("every", every)):
            if not isinstance(count, int) or count < 1:
                raise InvalidValue(name, count, "be a whole number of at least 1")
        model, course = model or self.model, course or self.course
        table = read_commands(commands, self.robot, flipper_angles, hold, shape, dt)
        plant = self._branches.begin(
            self.plant, self.model, table.shape[0], model, course, variation, offsets
        )
        return roll_out(plant, table, dt, every)

    def stream(self, path: str | Path) -> Spool:
        """Write all rows, past and future, to a file instead of memory; return its writer.

        While ticks go on, a row is in the file after at most one simulated second and half a
        second of wall time, and stays there if this process is killed. `log` reads the file.

        Args:
            path: Name of the file; the next free name if it exists.

        Raises:
            Unwritable: The file cannot be made.
        """
        self._spool = Spool(path, self._recorder.columns, self._provenance("unfinished"))
        self._recorder.stream(self._spool)
        self._recorder.flush()
        return self._spool

    def finish(self, status: str) -> None:
        """Write the last rows and the status to the file of `stream`, if there is one."""
        self._recorder.flush()
        if self._spool is not None:
            self._spool.finish(status)

    def log(self, status: str = "complete", driver: str | None = None) -> Log:
        """Return all rows so far as a log that can be replayed."""
        return self._recorder.log(self._provenance(status, driver))

    def log_later(self, status: str = "complete") -> Callable[[], Log]:
        """Return a function that returns all rows so far as a log; any thread may call it.

        Reading a long streamed run takes seconds, which would delay ticks.

        Raises:
            OSError: The file of `stream` is gone.
        """
        return self._recorder.log_later(self._provenance(status))

    def _provenance(self, status: str, driver: str | None = None) -> Provenance:
        return Provenance(
            grouser_version=VERSION,
            grouser_source=motion_source(),
            robot=self.robot.name,
            robot_hash=self.robot.content_hash,
            robot_text=self.robot.text,
            course=self.course.name,
            course_hash=self.course.content_hash,
            course_text=self.course.text,
            course_parameters=self.course.parameters,
            model=self.model.name,
            model_parameters=model_parameters(self.model),
            engine=self.model.computed_by,
            dt=self.dt,
            seed=self.seed,
            driver=self.driver if driver is None else driver,
            status=status,
            created=self._created,
            scenario=self._scenario_content(),
            notes=self._notes(),
        )

    def _scenario_content(self) -> dict[str, Any]:
        events = self.events.content()
        return {**self._scenario, "events": events} if events else self._scenario

    def _notes(self) -> dict[str, Any]:
        notes: dict[str, Any] = {} if self._start is None else {"start": _numbers(self._start)}
        if self._sensors.sensors:
            notes["sensors"] = self._sensors.describe()
        if self.course.datum is not None:
            notes["datum"] = self.course.datum.model_dump(by_alias=True, exclude_none=True)
        return notes

    def _record(self, motion: Motion, command: Command, *, is_finite: bool = True) -> None:
        if not self._is_recorded:
            return
        time, more = self.time, self.reading.values
        for observer in self._observers:
            seen = observer.observe(time, motion, self.reading) if is_finite else ()
            more = (*more, *(seen or (math.nan,) * len(observer.columns)))
        self._recorder.add(self.ticks, time, motion, command, more)

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
