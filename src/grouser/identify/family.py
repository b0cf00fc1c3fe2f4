"""A model family: its parameters, and the motion it predicts for values of them.

To add a family: a class with these members in a module of `families/`, and `FAMILIES.register`
behind it; or an entry point of the group `grouser.families`.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot, load_course
from grouser.geometry import Array
from grouser.identify.record import Record, Records
from grouser.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter to identify."""

    name: str
    """Name in tables and files."""
    unit: str
    """SI unit; "1" for a ratio."""
    start: float
    """Start of the search, and the value if the parameter is unidentifiable [`unit`]."""
    span: float
    """Half the width of the plausible range; a parameter with a larger uncertainty counts as
    unidentifiable [`unit`]."""
    low: float = -np.inf
    """Least possible value [`unit`]."""
    high: float = np.inf
    """Largest possible value [`unit`]."""
    manoeuvre: str = ""
    """Manoeuvre that makes the parameter identifiable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRobot:
    """Prior knowledge: the robot, or at least its gauge, and the ground."""

    gauge: float
    """Distance between the centre lines of the left and the right drives [m]."""
    robot: Robot | None = None
    """The robot; None if only its gauge is known."""
    course: Course = field(default_factory=lambda: load_course("flat"))
    """Course with the ground, for simulated families."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predicted:
    """Predicted motions at the times of a record, a row for each set of parameter values."""

    x: Array
    """World x [m]."""
    y: Array
    """World y [m]."""
    yaw: Array
    """Heading, not wrapped [rad]."""
    vx: Array
    """Forward speed [m/s]."""
    vy: Array
    """Leftward speed [m/s]."""
    yaw_rate: Array
    """Yaw rate [rad/s]."""


class Family(Protocol):
    """Models that differ by the values of the same parameters."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    @property
    def summary(self) -> str:
        """One line for lists."""
        ...

    @property
    def cost(self) -> int:
        """Rank by computing time; of equally good families the lowest rank is recommended."""
        ...

    @property
    def model(self) -> str:
        """Simulation model with this motion, with its options; empty if there is none."""
        ...

    @property
    def is_simulated(self) -> bool:
        """Whether predictions are simulations: slow, with a start pose, and not quite smooth."""
        ...

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return the parameters to identify; InvalidValue if robot or records are unsuitable."""
        ...

    def predict(self, values: Array, record: Record, known_robot: KnownRobot) -> Predicted:
        """Return the predicted motion for each row of parameter values."""
        ...

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return true parameters of a random robot, within what real robots have."""
        ...


FAMILIES: Registry[Family] = Registry(
    "family",
    "grouser.families",
    needs=("name", "summary", "cost", "model", "is_simulated", "parameters", "predict", "draw"),
)
"""The families by name, from the cheapest to the dearest; then those of plug-ins."""
