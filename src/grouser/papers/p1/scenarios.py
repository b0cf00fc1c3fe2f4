"""P1's eight scenarios and eight models with their tuned values."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from grouser.description import Course, Robot, load_course
from grouser.drivers import Legs, Sides
from grouser.errors import InvalidValue
from grouser.models import Model, make_model

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number that is searched."""

    name: str
    """What it is called here and in files."""
    start: float
    """Where the search begins [1]."""
    low: float
    """Lower end of its range [1]."""
    high: float
    """Upper end of its range [1]."""

    @property
    def spread(self) -> float:
        """Standard deviation of samples: a quarter of the range, assumed [1]."""
        return 0.25 * (self.high - self.low)


LINEAR = Knob(name="linear_gain", start=1.0, low=0.8, high=1.2)
ANGULAR = Knob(name="angular_gain", start=1.0, low=0.6, high=2.4)
EFFICIENCY = Knob(name="steering_efficiency", start=1.0, low=0.3, high=1.0)
ALONG = Knob(name="mu_first", start=2.0, low=0.5, high=2.5)
ACROSS = Knob(name="mu_second", start=0.5, low=0.2, high=1.4)
"""P1 prints neither start vectors nor ranges: gains start at 1, friction at the default of the
authors' public plugin, 2.0 along and 0.5 across; ranges are assumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """One of P1's models."""

    name: str
    """What P1 calls it."""
    reference: str
    """Which model of ours it is."""
    knobs: tuple[Knob, ...]
    """What is searched."""
    family: str
    """Its column in Table II."""

    @property
    def start(self) -> dict[str, float]:
        """Where the search begins, by name [1]."""
        return {knob.name: knob.start for knob in self.knobs}

    def check_values(self, values: object) -> dict[str, float]:
        """Return values of knobs that come from a file, by name [1].

        Raises:
            InvalidValue: They are not numbers by the names of knobs, within their ranges.
        """
        knobs = {knob.name: knob for knob in self.knobs}
        if not isinstance(values, dict) or not set(values) <= set(knobs):
            raise InvalidValue("values", values, f"be numbers by the names {', '.join(knobs)}")
        for name, value in values.items():
            low, high = knobs[name].low, knobs[name].high
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not low <= value <= high:
                raise InvalidValue(name, value, f"be a number from {low:g} to {high:g}")
        return dict(values)

    def make(self, values: dict[str, float]) -> Model:
        """Return the model with some values of its knobs."""
        own = {k: v for k, v in values.items() if not k.startswith("mu_")}
        return make_model(self.reference, **own)

    def friction(self, values: dict[str, float]) -> tuple[float, float]:
        """Return friction along and across belts [1]."""
        return values.get(ALONG.name, ALONG.start), values.get(ACROSS.name, ACROSS.start)


GRIPPING = (LINEAR, ANGULAR, ALONG, ACROSS)
ENTRANTS = {
    entrant.name: entrant
    for entrant in (
        Entrant(name="csm", reference="csm", family="csm",
                knobs=(LINEAR, ANGULAR, EFFICIENCY, ALONG, ACROSS)),
        Entrant(name="4wheels", reference="wheels:count=4", family="wheels", knobs=GRIPPING),
        Entrant(name="8wheels", reference="wheels:count=8", family="wheels", knobs=GRIPPING),
        Entrant(name="no_friction", reference="frictionless", family="no_friction",
                knobs=(LINEAR, ANGULAR, EFFICIENCY)),
        Entrant(name="plates10", reference="plates:pitch=0.1", family="plates", knobs=GRIPPING),
        Entrant(name="plates2", reference="plates:pitch=0.02", family="plates", knobs=GRIPPING),
        Entrant(name="plates10g", reference="plates:pitch=0.1,grousers=1", family="plates",
                knobs=GRIPPING),
        Entrant(name="plates2g", reference="plates:pitch=0.02,grousers=1", family="plates",
                knobs=GRIPPING),
    )
}  # fmt: skip
"""P1's models by their names, in the order of Table I."""


@cache
def tuned_values() -> dict[str, dict[str, float]]:
    """Return searched values by P1's names; a model that was not searched is not there [1].

    P1 searched all of its models and prints no result. Ours are of `grouser paper p1 search
    --method p1`; the file holds the settings and the costs.
    """
    text = (files("grouser.papers.p1") / "data" / "tuned.json").read_text()
    return {name: dict(found["values"]) for name, found in json.loads(text)["found"].items()}
