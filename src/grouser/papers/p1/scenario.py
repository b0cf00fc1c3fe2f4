"""The eight scenarios of P1: where the robot drives, what it is told, what is measured."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from grouser.description import Course, Robot, load_course
from grouser.simulation import Legs, Sides

MetricName: TypeAlias = Literal["d_t", "d_omega", "d_st", "sum_d_t", "sum_d_omega"]
"""P1's five metrics: to the target, of the heading, to the start, and two sums over samples."""
SAMPLING = 0.1
"""Time between the samples of sums [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One drive, and what Table I tells of it."""

    name: str
    """What it is called here and in files."""
    title: str
    """What Table I calls it."""
    course: str
    """Course of the zoo."""
    legs: tuple[tuple[float, float, float], ...]
    """Duration [s], speed [m/s] and yaw rate [rad/s] of each leg."""
    metrics: tuple[MetricName, ...]
    """What Table I tells, in its order."""
    target: tuple[float, float] | None = None
    """Distance ahead [m] and heading [rad] at the end, from the start; None if a recording or
    the start itself is the target."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return sum(leg[0] for leg in self.legs)

    @property
    def needs_reference(self) -> bool:
        """Whether it is measured against the trajectory of the real robot."""
        return any(name.startswith("sum") for name in self.metrics)

    def load_course(self, friction_along: float, friction_across: float) -> Course:
        """Return its course, with the friction of a model's parameters [1]."""
        return load_course(self.course).with_friction(friction_along, friction_across)

    def driver(self, robot: Robot) -> Legs:
        """Return what gives the commands."""
        legs = [(time, Sides.of_twist(robot, speed, rate)) for time, speed, rate in self.legs]
        return Legs(robot, legs)


GAUGE = 0.397
"""Distance of Absolem's tracks, which turns the circular scenario's belt speeds to a rate [m]."""
SCENARIOS = (
    Scenario(name="straight", title="Straight", course="flat", legs=((10.0, 0.3, 0.0),),
             metrics=("d_t",), target=(3.0, 0.0)),
    Scenario(name="rotate", title="Rotate", course="flat", legs=((10.0, 0.0, 0.6),),
             metrics=("d_omega",), target=(0.0, 6.0)),
    Scenario(name="circular", title="Circular", course="flat",
             legs=((10.0, 0.2, 0.2 / GAUGE),), metrics=("sum_d_t",)),
    Scenario(name="ramp", title="Ramp", course="ramp", legs=((10.0, 0.3, 0.0),),
             metrics=("sum_d_omega", "sum_d_t")),
    Scenario(name="staircase", title="Staircase", course="staircase-down",
             legs=((10.0, 0.3, 0.0),), metrics=("sum_d_omega", "sum_d_t")),
    Scenario(name="stand", title="Stand on st.", course="staircase-stand",
             legs=((10.0, 0.0, 0.0),), metrics=("d_st", "d_omega")),
    Scenario(name="pallet", title="Pallet", course="pallet", legs=((30.0, 0.1, 0.0),),
             metrics=("sum_d_omega", "sum_d_t")),
    Scenario(name="back-and-forth", title="Back&forth", course="flat",
             legs=((2.0, 0.2, 0.0), (2.0, -0.2, 0.0)) * 5, metrics=("d_st",)),
)  # fmt: skip
"""All scenarios, in the order of the text; together 110 s."""
