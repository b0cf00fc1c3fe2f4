"""Numbers of robot, ground and model that can be changed while a run goes on."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from grouser.description import Robot
from grouser.errors import GrouserError
from grouser.models import make_model
from grouser.models.parameters import Range, declared_parameters
from grouser.scenario import Scenario
from grouser.scenario.events import Change, bind
from grouser.viewer.stances import Extent

VARIED = ("mass_factor", "friction_factor", "payload", "payload_x", "payload_y", "payload_z")
"""Parameters of models that a variation sets."""
FIXED = ("timestep", "longest_step")
"""Parameters that must stay: the state of a robot depends on them."""
STEPS = 100
"""Number of steps of a slider, about [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dial:
    """A number that can be changed while a run goes on."""

    key: str
    """Key of `Scenario.vary`."""
    label: str
    """Words beside the slider, with the unit."""
    low: float
    """Least value of the slider [the unit]."""
    high: float
    """Greatest value of the slider [the unit]."""
    value: float
    """Value of the file [the unit]."""
    hint: str = ""
    """More words."""

    @property
    def step(self) -> float:
        """Distance of two values of the slider, a round number [the unit]."""
        rough = (self.high - self.low) / STEPS
        power = 10.0 ** math.floor(math.log10(rough))
        return next(power * part for part in (1.0, 2.0, 5.0, 10.0) if power * part >= 0.999 * rough)

    def describe(self, value: float | str | bool) -> str:
        """Return a change in words: key, value, and value of the file."""
        return f"`{self.key}` = {value:.5g} (file: {self.value:.5g})"


def find_dials(scenario: Scenario) -> tuple[Dial, ...]:
    """Return the numbers of a scenario that its model lets one change, each with a range.

    These are factors of friction and mass, a payload, limits of the belts, and those numbers of the
    model that do not decide how many numbers its state has.
    """
    robot = scenario.robot.load_robot()
    found = [*_variations(scenario, robot), *_limits(robot), *_parameters(scenario)]
    return tuple(_round(dial) for dial in found if _is_possible(scenario, dial))


def _variations(scenario: Scenario, robot: Robot) -> Iterator[Dial]:
    now, extent = scenario.variation, Extent.of(robot)
    for name, high in (("friction", 2.0), ("mass", 3.0)):
        value = getattr(now, name)
        yield Dial(
            key=f"variation.{name}",
            label=f"{name.capitalize()} ×",
            low=min(0.05 if name == "friction" else 0.3, value),
            high=max(high, value),
            value=value,
            hint=f"Factor on all {'friction' if name == 'friction' else 'masses and inertias'}",
        )
    most = max(_round_up(robot.mass), now.payload)
    label, hint = "Payload [kg]", "A mass that is fixed to the hull at this place"
    yield Dial(
        key="variation.payload", label=label, low=0.0, high=most, value=now.payload, hint=hint
    )
    for axis, low, high in zip("xyz", extent.low, extent.high, strict=True):
        value = getattr(now, f"payload_{axis}")
        high = 2.0 * high if axis == "z" else high
        yield Dial(
            key=f"variation.payload_{axis}",
            label=f"Payload {axis} [m]",
            low=min(low, value),
            high=max(high, value),
            value=value,
            hint="Place of the payload in the body frame",
        )


def _limits(robot: Robot) -> Iterator[Dial]:
    drive = robot.drive
    named = {
        "speed_limit_m_s": ("Belt speed limit [m/s]", drive.speed_limit),
        "acceleration_limit_m_s2": ("Belt acceleration [m/s²]", drive.acceleration_limit),
    }
    for key, (label, value) in named.items():
        yield Dial(
            key=f"robot.drive.{key}",
            label=label,
            low=0.05 * value,
            high=2.0 * value,
            value=value,
        )


def _parameters(scenario: Scenario) -> Iterator[Dial]:
    model: Any = make_model(scenario.model.name, **scenario.model.parameters)
    for name, declared in declared_parameters(type(model)).items():
        value, range_ = getattr(model, name), declared.range
        if range_ is None or range_.whole or name in (*VARIED, *FIXED):
            continue
        if isinstance(value, int | float):
            low, high = _around(float(value), range_)
            unit = "" if range_.unit == "1" else f" [{range_.unit}]"
            label = f"{name.replace('_', ' ').capitalize()}{unit}"
            hint = f"Parameter of model {scenario.model.name}: {range_}"
            yield Dial(
                key=f"model.{name}",
                label=label,
                low=low,
                high=high,
                value=float(value),
                hint=hint,
            )


def _around(value: float, range_: Range) -> tuple[float, float]:
    """Return the ends of a slider around a value, within a range."""
    size = abs(value)
    low, high = (value - 0.8 * size, value + 2.0 * size) if size else (-1.0, 1.0)
    return max(low, range_.low), min(high, range_.high)


def _round(dial: Dial) -> Dial:
    """Return a dial whose ends are multiples of its step, with the value of the file between."""
    step = dial.step
    low, high = (round(round(end / step) * step, 9) for end in (dial.low, dial.high))
    return replace(dial, low=min(low, dial.value), high=max(high, dial.value))


def _round_up(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return math.ceil(value / power) * power


def _is_possible(scenario: Scenario, dial: Dial) -> bool:
    """Return whether the model can have another value."""
    other = dial.high if dial.value < dial.high else dial.low
    changes = [Change(time=0.0, key=dial.key, value=other)]
    if dial.key.startswith("variation.payload_"):  # without a payload its place is of no effect
        changes.insert(0, Change(time=0.0, key="variation.payload", value=1e-3))
    try:
        (*_, last) = bind(changes, scenario)
        assert isinstance(last, Change)
        last.check()
    except GrouserError:
        return False
    return dial.low < dial.high
