"""What a driver is made for, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass

from grouser.description import Course, Robot
from grouser.geometry import Pose
from grouser.log import Log
from grouser.simulation import Driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a driver is made for."""

    robot: Robot
    """What it drives."""
    course: Course
    """Where it drives."""
    start: Pose
    """Where the robot starts."""
    speed: float
    """Forward speed, where the driver's reference names none [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A driver that is ready to drive, once."""

    driver: Driver
    """Says what to do next."""
    duration: float
    """Simulated time after which it is stopped, unless told otherwise [s]."""
    dt: float | None = None
    """Length of a tick that the driver insists on; None if any will do [s]."""
    progress: Callable[[], float] | None = None
    """How much of a path is done, 0 to 1; None where only time tells [1]."""
    needs: frozenset[str] = frozenset()
    """Features that a model must have to obey it."""
    annotate: Callable[[Log], Log] | None = None
    """Adds to the log what only the driver knows."""
