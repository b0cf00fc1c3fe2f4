"""P1's eight scenarios and eight models with their tuned values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from grouser.errors import InvalidValue
from grouser.scenario import Part, Scenario
from grouser.scenario.run import Loaded

MetricName: TypeAlias = Literal["d_t", "d_omega", "d_st", "sum_d_t", "sum_d_omega"]
"""P1's five metrics: to the target, of the heading, to the start, and two sums over samples."""
SAMPLING = 0.1
"""Time between the samples of sums [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class P1Scenario:
    """One run, and the metrics of it that Table I has."""

    name: str
    """Its name here and in files."""
    title: str
    """Its name in Table I."""
    scenario: Scenario
    """Course and driver; the model is varied."""
    metrics: tuple[MetricName, ...]
    """Its metrics in Table I, in their order."""
    is_from_put_down: bool = False
    """Whether its metrics count from where the robot is put down, before it settles."""
    target: tuple[float, float] | None = None
    """Distance ahead [m] and heading [rad] at the end, from the start; None if a recording or
    the start itself is the target."""

    @property
    def duration(self) -> float:
        """Simulated time [s]."""
        return self.scenario.stop.duration or 0.0

    def shorten(self, duration: float) -> "P1Scenario":
        """Return the first part of it, its target as far as the command goes in that time [s]."""
        if self.target is None or duration >= self.duration:
            return self
        share = duration / self.duration
        return replace(
            self,
            scenario=self.scenario.vary(stop=duration),
            target=(share * self.target[0], share * self.target[1]),
        )

    @property
    def needs_reference(self) -> bool:
        """Whether it is measured against the trajectory of the real robot."""
        return any(name.startswith("sum") for name in self.metrics)


GAUGE = 0.397
"""Distance of Absolem's tracks, which turns the circular scenario's belt speeds to a rate [m]."""


def _run(course: str, driver: str, duration: float = 10.0) -> Scenario:
    # The flippers are as in the authors' demo world, not as Absolem drives here.
    robot = Part(name="absolem", changes={"posture": "raised"})
    return Scenario(robot=robot, course=course, model="csm", driver=driver, stop=duration)


SCENARIOS = (
    P1Scenario(name="straight", title="Straight", scenario=_run("flat", "constant:speed=0.3"),
               metrics=("d_t",), target=(3.0, 0.0)),
    P1Scenario(name="rotate", title="Rotate",
               scenario=_run("flat", "constant:speed=0,yaw_rate=0.6"),
               metrics=("d_omega",), target=(0.0, 6.0)),
    P1Scenario(name="circular", title="Circular",
               scenario=_run("flat", f"constant:speed=0.2,yaw_rate={0.2 / GAUGE!r}"),
               metrics=("sum_d_t",)),
    P1Scenario(name="ramp", title="Ramp", scenario=_run("ramp", "constant:speed=0.3"),
               metrics=("sum_d_omega", "sum_d_t")),
    P1Scenario(name="staircase", title="Staircase",
               scenario=_run("staircase-down", "constant:speed=0.3"),
               metrics=("sum_d_omega", "sum_d_t")),
    P1Scenario(name="stand", title="Stand on st.",
               scenario=_run("staircase-stand", "constant:speed=0"), metrics=("d_st", "d_omega"),
               is_from_put_down=True),
    P1Scenario(name="pallet", title="Pallet", scenario=_run("pallet", "constant:speed=0.1", 30.0),
               metrics=("sum_d_omega", "sum_d_t")),
    P1Scenario(name="back-and-forth", title="Back&forth",
               scenario=_run("flat", "legs:speed=0.2,duration=2,count=10", 20.0),
               metrics=("d_st",)),
)  # fmt: skip
"""All scenarios, in the order of the text; together 110 s."""
TUNED_ON = ("straight", "rotate")
"""Scenarios whose metrics the search sees; all others are held out. Stated before any search: they
set the two gains that P1 searched for all models, and need no recording of the real robot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedParameter:
    """A number of a model that is searched."""

    name: str
    """Its name here and in files."""
    start: float
    """Where the search begins [1]."""
    low: float
    """Lower end of its range [1]."""
    high: float
    """Upper end of its range [1]."""


LINEAR = SearchedParameter(name="linear_gain", start=1.0, low=0.8, high=1.2)
ANGULAR = SearchedParameter(name="angular_gain", start=1.0, low=0.6, high=2.4)
EFFICIENCY = SearchedParameter(name="steering_efficiency", start=1.0, low=0.3, high=1.0)
ALONG = SearchedParameter(name="mu_first", start=2.0, low=0.5, high=2.5)
ACROSS = SearchedParameter(name="mu_second", start=0.5, low=0.2, high=1.4)
PUSH = SearchedParameter(name="proportional_gain", start=200.0, low=20.0, high=400.0)
HOLD = SearchedParameter(name="integral_gain", start=0.0, low=0.0, high=400.0)
TORQUE = SearchedParameter(name="torque_limit", start=12.5, low=5.0, high=25.0)
"""P1 prints neither start vectors nor ranges: gains start at 1, friction at the default of the
authors' public plugin, 2.0 along and 0.5 across, the virtual force as a P control of our model.
The torque of a sprocket starts at half of the robot's weight on each belt; ranges are assumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class P1Model:
    """One of P1's models."""

    name: str
    """P1's name of it."""
    reference: str
    """Reference of our model."""
    parameters: tuple[SearchedParameter, ...]
    """The numbers that are searched."""
    family: str
    """Its column in Table II."""
    step_on_edges: float | None = None
    """Step of the engine on all courses but flat ones; that of the reference if None [s]."""

    @property
    def start(self) -> dict[str, float]:
        """Where the search begins, by name [1]."""
        return {parameter.name: parameter.start for parameter in self.parameters}

    def check_values(self, values: object) -> dict[str, float]:
        """Return values of parameters that come from a file, by name [1].

        Raises:
            InvalidValue: They are not numbers by the names of parameters, within their ranges.
        """
        parameters = {parameter.name: parameter for parameter in self.parameters}
        if not isinstance(values, dict) or not set(values) <= set(parameters):
            raise InvalidValue("values", values, f"be numbers by the names {', '.join(parameters)}")
        for name, value in values.items():
            low, high = parameters[name].low, parameters[name].high
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not low <= value <= high:
                raise InvalidValue(name, value, f"be a number from {low:g} to {high:g}")
        return dict(values)

    def load(self, scenario: Scenario, values: Mapping[str, float]) -> Loaded:
        """Return a scenario, loaded, with this model and some values of its parameters [1]."""
        part = Part.of(self.reference)
        own = {name: value for name, value in values.items() if not name.startswith("mu_")}
        if self.step_on_edges is not None and scenario.course.name != "flat":
            own["timestep"] = self.step_on_edges
        loaded = scenario.vary(model=replace(part, parameters={**part.parameters, **own})).load()
        along, across = (values.get(mu.name, mu.start) for mu in (ALONG, ACROSS))
        return replace(loaded, course=loaded.course.with_friction(along, across))


GRIPPING = (LINEAR, ANGULAR, ALONG, ACROSS)
PLATES = (LINEAR, ANGULAR, ALONG, TORQUE)
"""MuJoCo's friction has no direction, so that plates have one coefficient."""
STEP = "timestep=0.002"
"""Step of plates: twice the model's own, at which they creep and sink in as much, and drive within
4 mm in 3 m of the same (`docs/p1.md`)."""
SHORT_STEP = 0.001
"""Step of 2 cm plates on edges: with twice as much they diverge on the pallet [s]."""


def _plates(name: str, options: str, step_on_edges: float | None = None) -> P1Model:
    reference = f"plates:{options},{STEP}"
    return P1Model(
        name=name, reference=reference, family="plates", parameters=PLATES,
        step_on_edges=step_on_edges,
    )  # fmt: skip


P1_MODELS = {
    model.name: model
    for model in (
        P1Model(name="csm", reference="csm", family="csm",
                parameters=(LINEAR, ANGULAR, EFFICIENCY, ALONG, ACROSS)),
        P1Model(name="4wheels", reference="wheels:count=4", family="wheels", parameters=GRIPPING),
        P1Model(name="8wheels", reference="wheels:count=8", family="wheels", parameters=GRIPPING),
        P1Model(name="no_friction", reference="frictionless", family="no_friction",
                parameters=(LINEAR, ANGULAR, PUSH, HOLD)),
        _plates("plates10", "pitch=0.1"),
        _plates("plates2", "pitch=0.02", SHORT_STEP),
        _plates("plates10g", "pitch=0.1,grousers=1"),
        _plates("plates2g", "pitch=0.02,grousers=1", SHORT_STEP),
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
