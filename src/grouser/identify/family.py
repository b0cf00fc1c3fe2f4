"""A model family: its parameters, and the motion it predicts for values of them.

To add a family: a class with these members in a module of `families/`, and `FAMILIES.register`
behind it; or an entry point of the group `grouser.families`. Two more methods are optional:
`begin(linear, record, known_robot)` returns where the search begins, by name, from a linear fit of
the record (else at the `start` of each parameter); `details(linear, record)` returns what belongs
to a fit besides its parameters, as plain JSON values.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot, load_course
from grouser.geometry import Array
from grouser.identify.record import Record, Records
from grouser.laws.smooth_slip import SkidConstants
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
    is_shrunk: bool = False
    """Whether a fit with a ridge penalty shrinks the parameter towards its start."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearMotion:
    """Motion as a linear function of the belts: v is their mean, d half of right less left.

    vx = forward_mean v + forward_half d,  yaw_rate = yaw_half d + yaw_mean v,
    vy = leftward_half d + leftward_product v d
    """

    forward_mean: float = 1.0
    """Forward speed per mean speed [1]."""
    forward_half: float = 0.0
    """Forward speed per half difference [1]."""
    yaw_half: float
    """Yaw rate per half difference; 2 / gauge without slip [rad/m]."""
    yaw_mean: float = 0.0
    """Yaw rate per mean speed [rad/m]."""
    leftward_half: float = 0.0
    """Leftward speed per half difference [1]."""
    leftward_product: float = 0.0
    """Leftward speed per product of mean and half difference [s/m]."""
    time_offset: float = 0.0
    """Clock of the observations less that of the belts [s]."""

    @property
    def forward_left(self) -> float:
        """Forward speed per speed of the left belt [1]."""
        return 0.5 * (self.forward_mean - self.forward_half)

    @property
    def forward_right(self) -> float:
        """Forward speed per speed of the right belt [1]."""
        return 0.5 * (self.forward_mean + self.forward_half)

    @property
    def centre_ahead(self) -> float:
        """Distance of the centres of rotation ahead of the origin [m]."""
        return -self.leftward_half / self.yaw_half

    @property
    def constants(self) -> SkidConstants:
        """The same motion by slip ratios, centres of rotation and drift."""
        left = 0.5 * (self.yaw_mean - self.yaw_half)
        right = 0.5 * (self.yaw_mean + self.yaw_half)
        left_y, right_y = self.forward_right / right, self.forward_left / left
        width = left_y - right_y
        return SkidConstants(
            slip_left=1.0 + left * width, slip_right=1.0 - right * width, left_y=left_y,
            right_y=right_y, x=self.centre_ahead,
            drift=-self.leftward_product / (self.forward_mean * self.yaw_half),
        )  # fmt: skip


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
        """Rank by parameters and computing time; of equally good families the lowest is taken."""
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
