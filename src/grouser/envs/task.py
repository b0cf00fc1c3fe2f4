"""What is to be learned: a robot, a course, how far, how fast, and what counts."""

from dataclasses import dataclass, field, fields

from grouser.envs.randomisation import Randomisation
from grouser.errors import InvalidValue
from grouser.registry import Registry
from grouser.units import check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each part of the reward counts; see `Referee`."""

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
    """An environment by its name; robot, model and course may be exchanged for others."""

    name: str
    """What it is called in identifiers."""
    summary: str
    """What is to be done, in one line."""
    robot: str
    """Name of the robot."""
    course: str
    """Name of the course; its path is what is followed."""
    model: str = "csm"
    """Name of the model."""
    speed: float | None = None
    """Reference speed along the path; that of the course if not given [m/s]."""
    goal: float | None = None
    """Path length at which the goal is reached; the end of the path if not given [m]."""
    duration: float
    """Longest episode [s]."""
    corridor: float
    """How far from the path a robot may be before it has left the course [m]."""
    flippers: bool = True
    """Whether flippers, if the robot has any, are part of the actions."""
    scan: bool = True
    """Whether the heights of the ground ahead and behind are observed."""
    weights: Weights = field(default=Weights())
    """What counts how much."""
    randomisation: Randomisation = field(default=Randomisation())
    """What differs from episode to episode."""

    def __post_init__(self) -> None:
        for name in ("name", "summary", "robot", "course", "model"):
            if not isinstance(word := getattr(self, name), str) or not word:
                raise InvalidValue(name, word, "be a text")
        for name in ("flippers", "scan"):
            if not isinstance(choice := getattr(self, name), bool):
                raise InvalidValue(name, choice, "be True or False")
        for name, unit in (("speed", "m/s"), ("goal", "m"), ("duration", "s"), ("corridor", "m")):
            number = getattr(self, name)
            if number is not None or name in ("duration", "corridor"):
                check_range(name, number, unit, is_size=True)
        for name, kind in (("weights", Weights), ("randomisation", Randomisation)):
            if not isinstance(part := getattr(self, name), kind):
                raise InvalidValue(name, part, f"be {kind.__name__}(...)")


_BUILT_IN = (
    Task(
        name="FlatTracking",
        summary="follow curves on flat ground, at a speed that differs by episode",
        robot="tp100",
        course="behaviour-1-radius",
        duration=40.0,
        corridor=0.15,
        flippers=False,
        scan=False,
        randomisation=Randomisation(speed=(0.5, 1.0)),
    ),
    Task(
        name="RoughTerrain",
        summary="cross a field of bumps",
        robot="absolem",
        course="rough",
        duration=45.0,
        corridor=0.8,
    ),
    Task(
        name="StairsUp",
        summary="climb a flight of stairs and stop on its landing",
        robot="absolem",
        course="staircase",
        goal=3.0,
        duration=25.0,
        corridor=0.5,
    ),
    Task(
        name="StairsDown",
        summary="come down a flight of stairs",
        robot="absolem",
        course="staircase-down",
        duration=25.0,
        corridor=0.5,
    ),
    Task(
        name="StepClimbing",
        summary="climb a step that is too high for flat sub-tracks",
        robot="quince",
        course="step:height_m=0.24",
        speed=0.2,
        goal=1.6,
        duration=20.0,
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
