"""Load, start and run a scenario: its parts checked together, the stop conditions, the result."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.description import Course, Robot
from grouser.drivers import (
    DEFAULT_DRIVER,
    DriverInputs,
    DriverPlan,
    Replay,
    WithFlippers,
    make_driver,
    usual_driver,
)
from grouser.drivers.catalogue import OPEN_LOOP_DURATION
from grouser.errors import InvalidLog, InvalidValue, OffGround, TickFailed, Unsupported
from grouser.geometry import Pose
from grouser.log import Log, Spool
from grouser.models import Command, Model, Motion, make_model, models_with
from grouser.scenario.events import bind
from grouser.scenario.observers import keep_rig, make_observers
from grouser.scenario.parts import (
    FUNCTION,
    PartLike,
    Stop,
    Variation,
    default_speed,
    make_varied_model,
)
from grouser.simulation import DEFAULT_DT, Driver, Fleet, Observer, Pace, Simulation

if TYPE_CHECKING:
    from grouser.scenario.scenario import Scenario


EXTERNAL = ("ardupilot", "exchange", "foxglove", "person", "policy", "ros")
"""Names of drivers outside of a run: an autopilot, another program, a person, a learnt policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A scenario with its loaded parts; driver and observers serve one run."""

    scenario: "Scenario"
    """The scenario, with its speed, its tick and the texts of its files."""
    robot: Robot
    """What drives."""
    course: Course
    """Where it drives."""
    model: Model
    """How it moves."""
    start_pose: Pose
    """Where it starts."""
    plan: DriverPlan | None
    """The driver; None for one outside of a run, as a person."""
    driver_name: str
    """What the log calls the driver."""
    speed: float
    """Forward speed where the driver names none [m/s]."""
    tick: float
    """Length of a tick [s]."""
    limit: float
    """Simulated time at which the run is stopped [s]."""
    observers: tuple[Observer, ...]
    """What adds columns to the log."""

    def start(
        self,
        *,
        observers: Sequence[Observer] = (),
        dump_folder: str | Path | None = None,
        record: bool = True,
    ) -> Simulation:
        """Return the robot at its start; more observers and a `dump_folder` as for `run`.

        Without `record` no rows are kept.
        """
        return Simulation(
            self.model,
            self.robot,
            self.course,
            pose=self.start_pose,
            dt=self.tick,
            seed=self.scenario.seed,
            dump_folder=dump_folder,
            observers=(*self.observers, *observers),
            driver=self.driver_name,
            scenario=self.scenario.content(with_texts=False),
            record=record,
            events=bind(self.scenario.events, self.scenario),
        )

    def equip(self, driver: Driver) -> Driver:
        """Return a driver from outside with the gains and the flipper angles of the scenario."""
        return equip(driver, self.robot, self.scenario)

    def start_many(self, poses: Pose | int, variation: Any = None) -> Fleet:
        """Return many robots at their starts; see `Scenario.start_many`.

        Raises:
            InvalidValue: The scenario has events, which only one robot can have.
        """
        if self.scenario.events:
            required = "be none for many robots at once; run them one by one"
            raise InvalidValue("events", len(self.scenario.events), required)
        if isinstance(poses, int):
            ones = np.ones(poses)
            start = self.start_pose
            poses = Pose(**{n: ones * getattr(start, n) for n in start.__dataclass_fields__})
        factors = self.scenario.variation if variation is None else variation
        model = make_model(self.scenario.model.name, **self.scenario.model.parameters)
        return Fleet(
            model, self.robot, self.course, poses, dt=self.tick,
            friction=factors.friction, mass=factors.mass,
        )  # fmt: skip


def load_scenario(scenario: "Scenario", commands: Log | None = None) -> Loaded:
    """Return a scenario with its loaded parts; see `Scenario.load`."""
    robot, course = scenario.robot.load_robot(), scenario.course.load_course()
    if scenario.driver.name == DEFAULT_DRIVER:
        scenario = scenario.vary(driver=replace(scenario.driver, name=usual_driver(course)))
    model = make_varied_model(scenario.model, scenario.variation, contacts=scenario.contacts)
    start_given = scenario.start_pose
    start = course.start_pose if start_given is None else start_given.pose_on(course)
    speed = default_speed(robot, course) if scenario.speed is None else scenario.speed
    inputs = DriverInputs(robot=robot, course=course, start=start, speed=speed)
    plan = _make_plan(scenario, inputs, commands)
    tick = (plan and plan.dt) or scenario.tick or DEFAULT_DT
    if scenario.tick is not None and scenario.tick != tick:
        raise InvalidValue("tick", scenario.tick, f"be {tick:g}, the tick of the log to replay")
    name = scenario.driver.reference
    if plan is not None and (missing := plan.needs - model.features):
        able = models_with(plan.needs)
        raise Unsupported(f"driver {name!r}", model.name, " and ".join(missing), able)
    if plan is not None and commands is None:
        plan = replace(plan, driver=equip(plan.driver, robot, scenario))
    return Loaded(
        scenario=_resolve(scenario, robot, course, speed, tick),
        robot=robot,
        course=course,
        model=model,
        start_pose=start,
        plan=plan,
        driver_name=name,
        speed=speed,
        tick=tick,
        limit=scenario.stop.duration or (plan.duration if plan else math.inf),
        observers=make_observers(
            scenario.observers, robot, course, scenario.seed, contacts=scenario.contacts
        ),
    )


def _make_plan(
    scenario: "Scenario", inputs: DriverInputs, commands: Log | None
) -> DriverPlan | None:
    if commands is not None:
        if len(commands) < 1:
            raise InvalidLog("replay", "the log has no rows")
        tick = commands.provenance.dt or scenario.tick or DEFAULT_DT
        driver = Replay(inputs.robot, commands)
        return DriverPlan(driver=driver, duration=len(commands) * tick, dt=tick)
    if scenario.driver.name in EXTERNAL:
        return None
    if scenario.driver.function is not None:
        return DriverPlan(driver=scenario.driver.function, duration=OPEN_LOOP_DURATION)
    if scenario.driver.name.startswith(FUNCTION):
        required = (
            "be given again (no file holds a function; "
            "`grouser replay` drives by the commands of a log)"
        )
        raise InvalidValue("driver", scenario.driver.name, required)
    return make_driver(scenario.driver.reference, inputs)


def equip(driver: Driver, robot: Robot, scenario: "Scenario") -> Driver:
    """Return a driver with the gains and the flipper angles of a scenario."""
    factors = scenario.variation
    if (factors.gain_left, factors.gain_right) != (1.0, 1.0):
        driver = WithGains(driver, robot, factors)
    if scenario.flippers:
        schedule = [(frame.time, frame.aim_of(robot)) for frame in scenario.flippers]
        driver = WithFlippers(driver, robot, schedule)
    return driver


class WithGains:
    """Multiplies the belt speeds that another driver commands, each side by its factor."""

    def __init__(self, driver: Driver, robot: Robot, variation: Variation) -> None:
        sides = {"left": variation.gain_left, "right": variation.gain_right}
        self._driver, self._gains = driver, [sides[drive.side] for drive in robot.drives]

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command with other belt speeds."""
        command = self._driver(time, motion)
        if command is None:
            return None
        pairs = zip(command.belt_speeds, self._gains, strict=True)
        return replace(command, belt_speeds=tuple(speed * gain for speed, gain in pairs))


def _resolve(
    scenario: "Scenario", robot: Robot, course: Course, speed: float, tick: float
) -> "Scenario":
    parts = {}
    for kind, found in (("robot", robot), ("course", course)):
        part = getattr(scenario, kind)
        parts[kind] = replace(part, text=found.text) if part.is_file else part
    observers = tuple(keep_rig(part) for part in scenario.observers)
    return replace(scenario, **parts, speed=speed, tick=tick, observers=observers)


PROGRESS_TICKS = 50
"""Ticks between two reports of progress."""
PROGRESS_SHARE = 1e-3
"""Share of a path that counts as progress [1]."""
PROGRESS_DISTANCE, PROGRESS_ANGLE = 0.01, 0.01
"""Way [m] or turn [rad] that counts as progress of a driver without a path."""


class StuckTimer:
    """Detects that a value has not grown for too long: the rule for stuck robots."""

    def __init__(self, wait: float, least: float, value: float = 0.0) -> None:
        """Wait for `wait` [s] at most until a value is by more than `least` above its highest."""
        self._wait, self._least = wait, least
        self.highest, self.since = value, 0.0

    def is_over(self, time: float, value: float) -> bool:
        """Return whether at `time` [s] the value has not grown for too long."""
        if value > self.highest + self._least:
            self.highest, self.since = value, time
        return time - self.since > self._wait


class Supervisor:
    """A driver that reports progress, and ends where a stop of the scenario is reached."""

    def __init__(
        self,
        plan: DriverPlan,
        limit: float,
        stop: Stop,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        self._plan, self._limit, self._stop, self._show = plan, limit, stop, on_progress
        self._calls, self._way, self._last = 0, 0.0, (math.nan, math.nan, math.nan)
        least = PROGRESS_SHARE if plan.progress else PROGRESS_DISTANCE
        self._patience = StuckTimer(
            math.inf if stop.stuck_after is None else stop.stuck_after, least
        )
        self.ending = "limit"
        """What ended the run: `done` (the driver), `stuck`, `tipped`, or else its `limit`."""

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command; None at its end or a stop."""
        if self._show is not None and self._calls % PROGRESS_TICKS == 0:
            along = self._plan.progress() if self._plan.progress else 0.0
            self._show(max(along, time / self._limit))
        self._calls += 1
        command = self._plan.driver(time, motion)
        if command is None:
            self.ending = "done"
        elif self._stop.stuck_after is not None and self._is_stuck(time, motion):
            self.ending, command = "stuck", None
        elif self._stop.tipped is not None and _tilt(motion) > self._stop.tipped:
            self.ending, command = "tipped", None
        return command

    def _is_stuck(self, time: float, motion: Motion) -> bool:
        if self._plan.progress is not None:
            return self._patience.is_over(time, self._plan.progress())
        # Without a path, a change of position or heading is progress.
        x, y, yaw = (float(getattr(motion.pose, name)) for name in ("x", "y", "yaw"))
        old_x, old_y, old_yaw = self._last
        if not (
            math.hypot(x - old_x, y - old_y) <= PROGRESS_DISTANCE
            and abs(yaw - old_yaw) <= PROGRESS_ANGLE
        ):
            self._last, self._way = (x, y, yaw), self._way + 2.0 * PROGRESS_DISTANCE
        return self._patience.is_over(time, self._way)


def _tilt(motion: Motion) -> float:
    """Return the angle between the body's z axis and the vertical [rad]."""
    cosine = math.cos(float(motion.pose.roll)) * math.cos(float(motion.pose.pitch))
    return math.acos(max(-1.0, min(1.0, cosine)))


@dataclass(frozen=True, kw_only=True)
class Run:
    """Result of a run."""

    loaded: Loaded
    """The loaded scenario."""
    status: str
    """Status in the log: `complete`, `interrupted` or `failed`."""
    ending: str
    """What ended it: `done` (the driver), `limit`, `stuck`, `tipped`, `off ground`, `interrupted`
    or `failed`."""
    pace: Pace | None
    """Timing of a real-time run; None otherwise."""
    simulation: Simulation
    """The robot at the end."""
    spool: Spool | None
    """All rows on disk, of a run that was streamed."""
    problem: TickFailed | None = None
    """The tick that failed, which ended it; None if none did."""

    @cached_property
    def log(self) -> Log:
        """All rows as a log."""
        log = self.simulation.log(self.status) if self.spool is None else self.spool.log()
        annotate = self.loaded.plan.annotate if self.loaded.plan else None
        return log if annotate is None else annotate(log)

    @property
    def rows(self) -> int:
        """How many rows the log has."""
        return self.simulation.ticks + 1

    @property
    def limit(self) -> float:
        """Simulated time at which the run would have been stopped [s]."""
        return self.loaded.limit

    @property
    def is_done(self) -> bool:
        """Whether the driver got to its end; a driver without end always has."""
        plan = self.loaded.plan
        has_end = plan is not None and plan.progress is not None
        return self.ending == "done" or (not has_end and self.ending in ("limit", "interrupted"))

    @property
    def is_annotated(self) -> bool:
        """Whether the log has columns that the spool has not."""
        return self.loaded.plan is not None and self.loaded.plan.annotate is not None


def run(
    scenario: "Scenario | Loaded",
    *,
    driver: PartLike | Driver | None = None,
    realtime: bool = False,
    on_progress: Callable[[float], None] | None = None,
    observers: Sequence[Observer] = (),
    stream: str | Path | None = None,
    dump_folder: str | Path | None = None,
    keep_failed: bool = False,
) -> Run:
    """Run a scenario until its driver is done or a stop is reached; Ctrl-C keeps what was done.

    Args:
        scenario: What to run; one that was loaded is run once.
        driver: Another driver than the scenario's, by name or as a function.
        realtime: Whether to run in real time.
        on_progress: Called with the share that is done, every `PROGRESS_TICKS`.
        observers: More of them, besides the scenario's.
        stream: File that rows are written to as they come, instead of being kept in memory.
        dump_folder: Where a run that is no longer finite is written; nowhere if None.
        keep_failed: Whether a run with a tick that failed is returned, with its `problem` and the
            rows up to there, instead of `TickFailed` being raised.
    """
    if driver is not None:
        known = scenario.scenario if isinstance(scenario, Loaded) else scenario
        scenario = known.vary(driver=driver)
    loaded = scenario if isinstance(scenario, Loaded) else scenario.load()
    if loaded.plan is None:
        required = "be one that gives commands by itself; a person drives in `grouser drive`"
        raise InvalidValue("driver", loaded.driver_name, required)
    simulation = loaded.start(observers=observers, dump_folder=dump_folder)
    spool = None if stream is None else simulation.stream(stream)
    pace = Pace(period=loaded.tick) if realtime else None
    supervisor = Supervisor(loaded.plan, loaded.limit, loaded.scenario.stop, on_progress)
    # What numpy would warn of, the guard of the simulation says in a sentence.
    problem = None
    with np.errstate(all="ignore"), _keep_rows(simulation, spool):
        try:
            status = simulation.run(supervisor, loaded.limit, pace)
        except OffGround:
            status, supervisor.ending = "complete", "off ground"
        except TickFailed as error:
            if not keep_failed:
                raise
            status, problem = "failed", error
        simulation.finish(status)
    return Run(
        loaded=loaded,
        status=status,
        ending=supervisor.ending if status == "complete" else status,
        pace=pace,
        simulation=simulation,
        spool=spool,
        problem=problem,
    )


@contextmanager
def _keep_rows(simulation: Simulation, spool: Spool | None) -> Iterator[None]:
    """Keep the rows when an error or a second Ctrl-C ends a run, unless it never began."""
    try:
        yield
    except BaseException:
        if spool is not None:
            simulation.finish("interrupted")
            spool.close(remove=simulation.ticks == 0)
        raise
