"""A loaded scenario: robot, course, model, driver and observers, checked together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.description import Course, Robot
from grouser.drivers import DriverInputs, DriverPlan, Replay, WithFlippers, make_driver
from grouser.errors import InvalidLog, InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.log import Log
from grouser.models import CATALOGUE, Command, Model, Motion, make_model, vary_model
from grouser.scenario.observers import keep_rig, make_observers
from grouser.scenario.parts import Variation, default_speed
from grouser.simulation import DEFAULT_DT, Driver, Fleet, Observer, Simulation

if TYPE_CHECKING:
    from grouser.scenario.scenario import Scenario

EXTERNAL = ("exchange", "person", "policy")
"""Names of drivers outside of a run: another program, a person, a learnt policy."""


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
        self, *, observers: Sequence[Observer] = (), dump_folder: str | Path | None = None
    ) -> Simulation:
        """Return the robot at its start.

        Args:
            observers: More of them, besides the scenario's.
            dump_folder: Where a run that is no longer finite is written; nowhere if None.
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
        )

    def equip(self, driver: Driver) -> Driver:
        """Return a driver from outside with the gains and the flipper angles of the scenario."""
        return equip(driver, self.robot, self.scenario)

    def start_many(self, poses: Pose | int, variation: Any = None) -> Fleet:
        """Return many robots at their starts; see `Scenario.start_many`."""
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
    model = _make_model(scenario)
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
        able = [word for word, kind in CATALOGUE.items() if plan.needs <= kind.features]
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
        limit=_find_limit(scenario, plan),
        observers=make_observers(
            scenario.observers, robot, course, scenario.seed, contacts=scenario.contacts
        ),
    )


def _make_model(scenario: "Scenario") -> Model:
    part, factors = scenario.model, scenario.variation
    contacts = {"contacts": True} if scenario.contacts else {}
    if contacts and "contacts" not in getattr(CATALOGUE.get(part.name), "__dataclass_fields__", ()):
        make_model(part.name)
        able = [n for n, kind in CATALOGUE.items() if "contacts" in kind.__dataclass_fields__]
        raise Unsupported("a log of contacts", part.name, "contacts", able)
    model = make_model(part.name, **{**part.parameters, **contacts})
    if (factors.friction, factors.mass) == (1.0, 1.0):
        return model
    return vary_model(model, friction=factors.friction, mass=factors.mass)


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
    return make_driver(scenario.driver.reference, inputs)


def _find_limit(scenario: "Scenario", plan: DriverPlan | None) -> float:
    if scenario.stop.duration is not None:
        return scenario.stop.duration
    return np.inf if plan is None else plan.duration


def equip(driver: Driver, robot: Robot, scenario: "Scenario") -> Driver:
    """Return a driver with the gains and the flipper angles of a scenario."""
    factors = scenario.variation
    if (factors.gain_left, factors.gain_right) != (1.0, 1.0):
        driver = WithGains(driver, robot, factors)
    if scenario.flippers:
        schedule = [(frame.time, frame.angles) for frame in scenario.flippers]
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
