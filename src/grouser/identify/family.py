"""What a family of models must tell so that its parameters can be learned from logs.

To add a family: a class with these members in a module of `families/`, and `FAMILIES.register`
behind it; or an entry point of the group `grouser.families`.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Course, Robot, load_course
from grouser.identify.record import Record
from grouser.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number to be found."""

    name: str
    """What it is called in tables and files."""
    unit: str
    """SI unit; "1" for a ratio."""
    start: float
    """Where the search begins, and what is kept if the log does not tell [`unit`]."""
    span: float
    """Half the width of what is plausible; a parameter known worse than that is not known
    [`unit`]."""
    low: float = -np.inf
    """Least value that makes sense [`unit`]."""
    high: float = np.inf
    """Largest value that makes sense [`unit`]."""
    manoeuvre: str = ""
    """What to drive so that a log tells it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is known before: the robot or at least its gauge, and the ground."""

    gauge: float
    """Distance between the centre lines of the left and the right drives [m]."""
    robot: Robot | None = None
    """The robot; None if only its gauge is known."""
    course: Course = field(default_factory=lambda: load_course("flat"))
    """The ground, for models that need one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predicted:
    """Motions that parameters predict, at the times of a record; a row for each set of them."""

    x: NDArray[np.float64]
    """World x [m]."""
    y: NDArray[np.float64]
    """World y [m]."""
    yaw: NDArray[np.float64]
    """Heading, not wrapped [rad]."""
    vx: NDArray[np.float64]
    """Forward speed [m/s]."""
    vy: NDArray[np.float64]
    """Leftward speed [m/s]."""
    yaw_rate: NDArray[np.float64]
    """Yaw rate [rad/s]."""


class Family(Protocol):
    """Models that differ by the values of the same parameters."""

    @property
    def name(self) -> str:
        """What it is called in flags."""
        ...

    @property
    def summary(self) -> str:
        """One line for lists."""
        ...

    @property
    def cost(self) -> int:
        """Its place among all families, from the cheapest to the dearest to compute and to use."""
        ...

    @property
    def model(self) -> str:
        """The model of the catalogue that moves alike, with parameters; empty if there is none."""
        ...

    @property
    def is_simulated(self) -> bool:
        """Whether each prediction is a simulation: dear, in need of a start, a bit rough."""
        ...

    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return what is to be found, for these records.

        Raises:
            InvalidValue: The setting lacks what the family needs.
        """
        ...

    def predict(self, values: NDArray[np.float64], record: Record, setting: Setting) -> Predicted:
        """Return the motion for each row of parameter values."""
        ...

    def draw(self, setting: Setting, generator: Generator) -> list[float]:
        """Return true parameters of a random robot, within what real robots have.

        Args:
            setting: What is known of the robot.
            generator: Source of all chance.
        """
        ...


FAMILIES: Registry[Family] = Registry(
    "family",
    "grouser.families",
    needs=("name", "summary", "cost", "model", "is_simulated", "parameters", "predict", "draw"),
)
"""The families by name, from the cheapest to the dearest; then those of plug-ins."""
