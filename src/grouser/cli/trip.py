"""One robot on one course, driven once or several times."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grouser.cli.outcome import Outcome, read_back
from grouser.cli.parse_flippers import parse_flippers
from grouser.cli.watch import watch
from grouser.description import Course, Robot, load_course, load_robot
from grouser.drivers import Plan, Situation, make_driver
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.log import Log, Spool
from grouser.models import CATALOGUE, Model, make_model
from grouser.simulation import DEFAULT_DT, Observer, Pace, Replay, Simulation, WithFlippers
from grouser.units import check_range, parse_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A robot on a course, with a start and a clock, loaded and checked."""

    robot: Robot
    """What drives."""
    course: Course
    """Where it drives."""
    start: Pose
    """Where it starts."""
    speed: float
    """Forward speed, where a driver's reference names none [m/s]."""
    duration: float | None = None
    """Simulated time after which to stop; None leaves it to the driver [s]."""
    dt: float | None = None
    """Length of a tick; None leaves it to the driver [s]."""
    seed: int = 0
    """Seed of the sensors' noise."""
    dump_folder: Path | None = None
    """Where a run that is no longer finite is written."""

    @classmethod
    def prepare(
        cls,
        robot: str,
        course: str,
        *,
        start: str | None = None,
        speed: float | None = None,
        duration: float | None = None,
        dt: float | None = None,
        seed: int = 0,
        dump_folder: Path | None = None,
    ) -> "Trip":
        """Load and check everything that the options of a command name.

        Raises:
            GrouserError: Something does not exist, or is out of its range.
        """
        for name, value, unit in (
            ("--duration", duration, "s"),
            ("--dt", dt, "s"),
            ("--speed", speed, "m/s"),
        ):
            if value is not None:
                check_range(name, value, unit, is_size=True)
        known_robot, known_course = load_robot(robot), load_course(course)
        if speed is None:
            speed = min(known_course.speed, known_robot.drive.speed_limit)
        return cls(
            robot=known_robot,
            course=known_course,
            start=known_course.start_pose if start is None else _parse_start(start, known_course),
            speed=speed,
            duration=duration,
            dt=dt,
            seed=seed,
            dump_folder=dump_folder,
        )

    def plan(self, driver: str) -> Plan:
        """Return the driver of a reference for this trip."""
        situation = Situation(
            robot=self.robot, course=self.course, start=self.start, speed=self.speed
        )
        return make_driver(driver, situation)

    def simulate(
        self, model: Model, dt: float | None = None, observers: Sequence[Observer] = ()
    ) -> Simulation:
        """Return the robot at its start, with a model and a tick, its own or the usual one [s]."""
        return Simulation(
            model,
            self.robot,
            self.course,
            pose=self.start,
            dt=dt or self.dt or DEFAULT_DT,
            seed=self.seed,
            dump_folder=self.dump_folder,
            observers=observers,
        )

    def drive(
        self,
        model: str,
        driver: str,
        *,
        flippers: str | None = None,
        realtime: bool = False,
        observers: Sequence[Observer] = (),
        stream: Path | None = None,
    ) -> Outcome:
        """Drive the robot with a model, both by reference, until the driver is done.

        Args:
            model: How the robot moves.
            driver: Who drives.
            flippers: When flippers move, and where to.
            realtime: Whether to keep step with the wall clock.
            observers: Who watches.
            stream: Where rows are written as they come, instead of being kept in memory.
        """
        plan = self.plan(driver)
        if flippers is not None:
            schedule = parse_flippers(flippers)
            plan = replace(plan, driver=WithFlippers(plan.driver, self.robot, schedule))
        return self._perform(
            model, plan, driver, realtime=realtime, observers=observers, stream=stream
        )

    def obey(self, model: str, lead: Log) -> Outcome:
        """Let a model obey the commands of another drive of the same trip."""
        plan = Plan(driver=Replay(self.robot, lead), duration=lead.duration, dt=lead.provenance.dt)
        return self._perform(model, plan, f"replay of {lead.provenance.model}")

    def _perform(
        self,
        model: str,
        plan: Plan,
        driver: str,
        *,
        realtime: bool = False,
        observers: Sequence[Observer] = (),
        stream: Path | None = None,
    ) -> Outcome:
        dt = plan.dt or self.dt or DEFAULT_DT
        if self.dt is not None and self.dt != dt:
            raise InvalidValue("--dt", self.dt, f"be {dt:g}, the tick of the log to replay")
        chosen = make_model(model)
        if missing := plan.needs - chosen.features:
            able = [name for name, kind in CATALOGUE.items() if plan.needs <= kind.features]
            raise Unsupported(f"driver {driver!r}", chosen.name, " and ".join(missing), able)
        simulation = self.simulate(chosen, dt, observers)
        simulation.driver = driver
        spool = None if stream is None else simulation.stream(stream)
        limit = plan.duration if self.duration is None else self.duration
        pace = Pace(period=dt) if realtime else None
        # What numpy would warn of, the guard of the simulation says in a sentence.
        with (
            np.errstate(all="ignore"),
            _close_if_it_fails(simulation, spool),
            watch(plan, limit, model) as watched,
        ):
            status = simulation.run(watched, limit, pace)
        simulation.finish(status)
        log = simulation.log(status) if spool is None else _log_of(spool, plan)
        return Outcome(
            log=log if plan.annotate is None else plan.annotate(log),
            limit=limit,
            is_done=watched.is_done or plan.progress is None,
            pace=pace,
            spool=spool,
            is_annotated=plan.annotate is not None,
        )


@contextmanager
def _close_if_it_fails(simulation: Simulation, spool: Spool | None) -> Iterator[None]:
    """Keep what was driven when something else than Ctrl-C ends a drive, unless it never began."""
    try:
        yield
    except BaseException:
        if spool is not None:
            simulation.finish("interrupted")
            spool.close(remove=simulation.ticks == 0)
        raise


def _log_of(spool: Spool, plan: Plan) -> Log:
    return read_back(spool) if plan.annotate is None else spool.log()


def _parse_start(text: str, course: Course) -> Pose:
    numbers = [parse_number(word) for word in text.split(",")]
    known = [number for number in numbers if number is not None]
    if len(numbers) != 3 or len(known) != 3:
        raise InvalidValue("--start", text, "be x [m], y [m] and yaw [deg], as in 0.5,0,90")
    named = zip(("x", "y", "yaw"), known, ("m", "m", "deg"), strict=True)
    x, y, yaw_deg = (check_range(f"--start: {name}", value, unit) for name, value, unit in named)
    pose = course.terrain.pose_at(x, y, math.radians(yaw_deg))
    if np.isnan(pose.z):
        raise InvalidValue("--start", text, f"lie on the ground of course {course.name!r}")
    return pose
