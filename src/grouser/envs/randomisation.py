"""What differs from episode to episode: where a robot starts, what it weighs, how it grips."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from grouser import limits
from grouser.errors import InvalidValue
from grouser.units import check_range

Range = tuple[float, float]
"""Smallest and largest value; drawn evenly between them."""


_UNITS = {"offset": "m", "yaw": "rad"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What was drawn for one episode; it stands in `info`."""

    offset: float
    """How far to the left of the path the robot starts [m]."""
    yaw: float
    """How far it is turned to the left of the path [rad]."""
    speed: float
    """Factor on the reference speed [1]."""
    friction: float
    """Factor on all friction [1]."""
    mass: float
    """Factor on all masses and inertias [1]."""
    gain_left: float
    """Factor on the belt speeds asked for on the left [1]."""
    gain_right: float
    """Factor on the belt speeds asked for on the right [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomisation:
    """From where to where each episode draws. As it stands, only the start differs a little."""

    offset: Range = (-0.02, 0.02)
    """How far to the left of the path the robot starts [m]."""
    yaw: Range = (-0.05, 0.05)
    """How far it is turned to the left of the path [rad]."""
    speed: Range = (1.0, 1.0)
    """Factor on the reference speed [1]."""
    friction: Range = (1.0, 1.0)
    """Factor on all friction [1]."""
    mass: Range = (1.0, 1.0)
    """Factor on all masses and inertias [1]."""
    gain: Range = (1.0, 1.0)
    """Factor on the belt speeds asked for, drawn for each side: no two motors are alike [1]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            name, given = f"range of {field.name}", getattr(self, field.name)
            if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
                raise InvalidValue(name, given, "be two finite numbers, the smaller one first")
            if field.name in _UNITS:
                low, high = (check_range(name, number, _UNITS[field.name]) for number in given)
            else:
                low, high = (_check_factor(name, number) for number in given)
            if low > high:
                raise InvalidValue(name, given, "be two finite numbers, the smaller one first")

    def draw(self, generator: np.random.Generator) -> Draw:
        """Return the numbers of an episode; always as many are taken from the generator."""
        ranges = [self.offset, self.yaw, self.speed, self.friction, self.mass, self.gain, self.gain]
        names = [field.name for field in fields(Draw)]
        numbers = (float(generator.uniform(low, high)) for low, high in ranges)
        return Draw(**dict(zip(names, numbers, strict=True)))


def _check_factor(name: str, factor: float) -> float:
    most = limits.FACTOR
    is_number = isinstance(factor, int | float) and not isinstance(factor, bool)
    if not is_number or not 1.0 / most <= factor <= most:
        raise InvalidValue(name, factor, f"be from {1.0 / most:g} to {most:g}, as factors are")
    return factor


def tell_draw(draw: Draw) -> dict[str, float]:
    """Return a draw as it stands in `info`."""
    return asdict(draw)
