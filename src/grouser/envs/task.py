"""Tasks: scenario, reward and randomisation of an environment, and their registration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description import Course, Path, Robot
from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import Pose, Scalar
from grouser.models import check_course, vary_model
from grouser.registry import Registry
from grouser.scenario import Scenario, Variation
from grouser.scenario.run import Loaded
from grouser.simulation import Simulation
from grouser.units import check_range

Range = tuple[float, float]
"""Smallest and largest value of a uniform distribution."""


_UNITS = {"offset": "m", "yaw": "rad"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeParameters:
    """Random parameters of one episode; part of `info`."""

    offset: float
    """Lateral offset of the start to the left of the path [m]."""
    yaw: float
    """Heading of the start to the left of the path [rad]."""
    speed: float
    """Factor on the reference speed [1]."""
    friction: float
    """Factor on all friction [1]."""
    mass: float
    """Factor on all masses and inertias [1]."""
    gain_left: float
    """Factor on the commanded belt speeds of the left side [1]."""
    gain_right: float
    """Factor on the commanded belt speeds of the right side [1]."""

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "EpisodeParameters":
        """Return the parameters from a row of `Randomisation.draw`."""
        return cls(**dict(zip(cls.__dataclass_fields__, numbers, strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomisation:
    """Ranges of the parameters of an episode; by default only the start pose varies a little."""

    offset: Range = (-0.02, 0.02)
    """Lateral offset of the start to the left of the path [m]."""
    yaw: Range = (-0.05, 0.05)
    """Heading of the start to the left of the path [rad]."""
    speed: Range = (1.0, 1.0)
    """Factor on the reference speed [1]."""
    friction: Range = (1.0, 1.0)
    """Factor on all friction [1]."""
    mass: Range = (1.0, 1.0)
    """Factor on all masses and inertias [1]."""
    gain: Range = (1.0, 1.0)
    """Factor on the commanded belt speeds, drawn for each side [1]."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            name, given = f"range of {entry.name}", getattr(self, entry.name)
            if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
                raise InvalidValue(name, given, "be two finite numbers, the smaller one first")
            if entry.name in _UNITS:
                low, high = (check_range(name, number, _UNITS[entry.name]) for number in given)
            else:
                low, high = (_check_factor(name, number) for number in given)
            if low > high:
                raise InvalidValue(name, given, "be two finite numbers, the smaller one first")

    def draw(self, generators: Sequence[np.random.Generator]) -> NDArray[np.float64]:
        """Return the parameters of an episode for each generator: a row each.

        Columns are the fields of `EpisodeParameters`. Always consumes as many random numbers.
        """
        ranges = [self.offset, self.yaw, self.speed, self.friction, self.mass, self.gain, self.gain]
        low, high = np.array(ranges).T
        # Robots have generators of their own, so that no robot's episodes depend on the others.
        shares = [generator.random(len(ranges)) for generator in generators]
        return low + (high - low) * np.array(shares)


def _check_factor(name: str, factor: float) -> float:
    most = limits.FACTOR
    is_number = isinstance(factor, int | float) and not isinstance(factor, bool)
    if not is_number or not 1.0 / most <= factor <= most:
        raise InvalidValue(name, factor, f"be from {1.0 / most:g} to {most:g}, as factors are")
    return factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the parts of the reward; see `Reward`."""

    offset: float = 0.5
    """Cost per squared offset from the path, as a share of the corridor [1]."""
    heading: float = 0.2
    """Cost per squared angle to the path [1/rad^2]."""
    shaking: float = 0.02
    """Cost per squared roll and pitch rate [s^2/rad^2]."""
    goal: float = 10.0
    """Reward at the goal, once [1]."""
    failure: float = 10.0
    """Cost of tipping over or leaving the course, once [1]."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            check_range(f"weight of {entry.name}", getattr(self, entry.name), "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to learn: a scenario, its goal and reward, and what varies between episodes."""

    name: str
    """Its name in identifiers."""
    summary: str
    """The task in one line."""
    scenario: Scenario
    """Robot, model and course, whose path is followed; its speed is the reference speed, and its
    `stop.duration` the longest episode. Its tick and driver do not count."""
    goal: float | None = None
    """Path length at which the goal is reached; the end of the path if not given [m]."""
    corridor: float
    """Distance from the path beyond which the robot has left the course [m]."""
    flippers: bool | str = True
    """Whether flippers, if the robot has any, are part of the actions; or what they follow instead:
    `auto`, or a posture of the robot. Without any they stay at rest."""
    scan: bool = True
    """Whether the heights of the ground ahead and behind are observed."""
    observation: tuple[str, ...] = ()
    """Names of the robot's sensors whose numbers are observed, behind all others."""
    weights: Weights = field(default=Weights())
    """Weights of the reward."""
    randomisation: Randomisation = field(default=Randomisation())
    """Ranges of what varies between episodes."""

    def __post_init__(self) -> None:
        for name in ("name", "summary"):
            if not isinstance(word := getattr(self, name), str) or not word:
                raise InvalidValue(name, word, "be a text")
        if not isinstance(self.flippers, bool | str):
            raise InvalidValue("flippers", self.flippers, "be True, False, 'auto' or a posture")
        if not isinstance(self.scan, bool):
            raise InvalidValue("scan", self.scan, "be True or False")
        _check_names(self.observation)
        check_range("corridor", self.corridor, "m", is_size=True)
        if self.goal is not None:
            check_range("goal", self.goal, "m", is_size=True)
        kinds = {"scenario": Scenario, "weights": Weights, "randomisation": Randomisation}
        for name, kind in kinds.items():
            if not isinstance(part := getattr(self, name), kind):
                raise InvalidValue(name, part, f"be {kind.__name__}(...)")
        if self.scenario.stop.duration is None:
            raise InvalidValue("stop.duration", "none", "be given: the longest episode [s]")


def _check_names(names: tuple[str, ...]) -> None:
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    if not is_list or not all(isinstance(name, str) for name in names):
        raise InvalidValue("observation", names, 'be names of sensors, such as ("imu",)')
    if len(set(names)) < len(names):
        raise InvalidValue("observation", names, "name each sensor once")


_BUILT_IN = (
    Task(
        name="FlatTracking",
        summary="follow curves on flat ground, at a speed that differs by episode",
        scenario=Scenario(robot="tp100", course="behaviour-1-radius", model="csm", stop=40.0),
        corridor=0.15,
        flippers=False,
        scan=False,
        randomisation=Randomisation(speed=(0.5, 1.0)),
    ),
    Task(
        name="RoughTerrain",
        summary="cross a field of bumps",
        scenario=Scenario(robot="absolem", course="rough", model="csm", stop=45.0),
        corridor=0.8,
    ),
    Task(
        name="StairsUp",
        summary="climb a flight of stairs and stop on its landing",
        scenario=Scenario(robot="absolem", course="staircase", model="csm", stop=25.0),
        goal=3.0,
        corridor=0.5,
    ),
    Task(
        name="StairsDown",
        summary="come down a flight of stairs",
        scenario=Scenario(robot="absolem", course="staircase-down", model="csm", stop=25.0),
        corridor=0.5,
    ),
    Task(
        name="StepClimbing",
        summary="climb a step that is too high for flat sub-tracks",
        scenario=Scenario(
            robot="quince", course="step:height_m=0.24", model="csm", speed=0.2, stop=20.0
        ),
        goal=1.6,
        corridor=0.6,
    ),
)
TASKS: Registry[Task] = Registry(
    "task",
    "grouser.environments",
    {task.name: task for task in _BUILT_IN},
    needs=tuple(entry.name for entry in fields(Task)),
)
"""The tasks by name; then those of plug-ins."""


TICK = 0.05
"""Length of a tick of the simulation [s]."""
TICKS_PER_STEP = 2
"""Ticks per action [1]."""
PERIOD = TICK * TICKS_PER_STEP
"""Time between two actions [s]."""
SEEDS = 2**31
"""Number of seeds of sensors' noise [1]."""
FASTEST = 2.0
"""Belt speed of a full action over the reference speed, within the robot's limit [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTask:
    """A task with everything that its scenario stands for."""

    task: Task
    """The task."""
    scenario: Loaded
    """Its scenario, loaded."""
    path: Path
    """The path to follow."""
    goal: float
    """Path length of the goal [m]."""

    @property
    def robot(self) -> Robot:
        """Its robot."""
        return self.scenario.robot

    @property
    def course(self) -> Course:
        """Its course."""
        return self.scenario.course

    @property
    def speed(self) -> float:
        """Reference speed along the path [m/s]."""
        return self.scenario.speed

    @property
    def top_speed(self) -> float:
        """Belt speed of a full action [m/s]."""
        return min(self.robot.drive.speed_limit, FASTEST * self.speed)

    @property
    def length(self) -> float:
        """Length of the robot without flippers [m]."""
        return self.robot.front - self.robot.rear

    @property
    def max_steps(self) -> int:
        """Largest number of steps of an episode [1]."""
        return round(self.scenario.limit / PERIOD)

    def start_pose(self, offset: Scalar, yaw: Scalar) -> Pose:
        """Return the start pose of an episode, or of many: to the left of the path [m], [rad]."""
        start = self.course.start
        return Pose(
            x=start.x - offset * float(np.sin(start.yaw)),
            y=start.y + offset * float(np.cos(start.yaw)),
            yaw=start.yaw + yaw,
        )

    def draw_seed(self, generator: np.random.Generator) -> int:
        """Return the seed of the sensors' noise in an episode; 0 where no sensor is observed.

        Nothing is drawn then, so that sensors do not change episodes in which they do not count.
        """
        return int(generator.integers(SEEDS)) if self.task.observation else 0

    def start(self, drawn: EpisodeParameters, seed: int = 0) -> Simulation:
        """Return the robot at the start of an episode; nothing is read from files again.

        Args:
            drawn: Parameters of the episode.
            seed: Seed of the sensors' noise, if they are observed.
        """
        loaded, pose = self.scenario, self.start_pose(drawn.offset, drawn.yaw)
        drawable = [field.name for field in fields(Variation) if hasattr(drawn, field.name)]
        factors = Variation(**{name: getattr(drawn, name) for name in drawable})
        model = vary_model(loaded.model, friction=drawn.friction, mass=drawn.mass)
        scenario = loaded.scenario.vary(start_pose=pose, variation=factors)
        if self.task.observation:
            scenario = scenario.vary(seed=seed)
        return replace(loaded, scenario=scenario, model=model, start_pose=pose).start()


def load_task(task: str | Task, **changes: Any) -> LoadedTask:
    """Load a task, after changing some of its fields.

    Args:
        task: Its name, or a task.
        changes: Fields of `Task`, and `robot`, `course`, `model`, `speed` and `duration` of its
            scenario. Another course is followed to its end and at its own speed unless `goal` and
            `speed` are given, too.

    Raises:
        UnknownName: No task, robot, model, course or field has that name.
        InvalidValue: The course has no path, or a number is out of its range.
        Unsupported: The model cannot drive the course, or cannot vary friction or mass.
    """
    chosen = _change(task if isinstance(task, Task) else TASKS.find(str(task)), changes)
    loaded = chosen.scenario.vary(driver="policy", tick=TICK).load()
    course, ranges = loaded.course, chosen.randomisation
    check_course(loaded.model, course)
    vary_model(loaded.model, friction=np.array(ranges.friction), mass=np.array(ranges.mass))
    if course.path is None:
        raise InvalidValue(f"course {course.name!r}", "none", "have a path to follow")
    limit, fastest = loaded.robot.drive.speed_limit, loaded.speed * ranges.speed[1]
    if fastest > limit:
        required = f"be within {limit:g} m/s, the limit of robot {loaded.robot.name!r}"
        raise InvalidValue("reference speed", fastest, required)
    goal = course.path.length if chosen.goal is None else min(chosen.goal, course.path.length)
    return LoadedTask(task=chosen, scenario=loaded, path=course.path, goal=goal)


_OF_SCENARIO = {name: name for name in ("robot", "course", "model", "speed")}
_OF_SCENARIO["duration"] = "stop.duration"
"""Options of an environment that change its scenario, with their keys."""


def _change(task: Task, changes: Mapping[str, Any]) -> Task:
    known = (set(Task.__dataclass_fields__) | set(_OF_SCENARIO)) - {"name", "summary"}
    for name in changes:
        if name not in known:
            raise UnknownName("option of an environment", str(name), known)
    changes = dict(changes)
    if isinstance(ranges := changes.get("randomisation"), Mapping):
        for name in ranges:
            if name not in Randomisation.__dataclass_fields__:
                raise UnknownName("range", str(name), Randomisation.__dataclass_fields__)
        changes["randomisation"] = replace(task.randomisation, **ranges)
    of_scenario = {name: changes.pop(name) for name in _OF_SCENARIO if name in changes}
    task = replace(task, **changes)
    scenario = task.scenario
    for name, value in of_scenario.items():
        scenario = scenario.vary(_OF_SCENARIO[name], value)
    if scenario.course != task.scenario.course:
        goal, speed = changes.get("goal"), of_scenario.get("speed")
        return replace(task, goal=goal, scenario=scenario.vary(speed=speed))
    return replace(task, scenario=scenario)


NAMESPACE = "grouser"
"""Prefix of identifiers: `grouser/FlatTracking-v0`."""


def register_tasks() -> None:
    """Register every task with Gymnasium, unless it is registered already."""
    for name in TASKS:
        identifier = f"{NAMESPACE}/{name}-v0"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point="grouser.envs.env:TrackedEnv",
                vector_entry_point="grouser.envs.vector_env:TrackedVectorEnv",
                kwargs={"task": name},
            )
