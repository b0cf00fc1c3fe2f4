"""What differs from episode to episode: where a robot starts, what it weighs, how it grips."""

from dataclasses import asdict, dataclass, fields

import numpy as np

from grouser.errors import InvalidValue

Range = tuple[float, float]
"""Smallest and largest value; drawn evenly between them."""


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
            low, high = getattr(self, field.name)
            factor = field.name not in ("offset", "yaw")
            if not (np.isfinite(low) and np.isfinite(high) and low <= high):
                required = "be two finite numbers, the smaller one first"
            elif factor and not low > 0.0:
                required = "be above 0, as factors are"
            else:
                continue
            raise InvalidValue(f"range of {field.name}", (low, high), required)

    def varies(self, name: str) -> bool:
        """Return whether a factor may be another than 1."""
        return getattr(self, name) != (1.0, 1.0)

    def draw(self, generator: np.random.Generator) -> Draw:
        """Return the numbers of an episode; always as many are taken from the generator."""
        ranges = [self.offset, self.yaw, self.speed, self.friction, self.mass, self.gain, self.gain]
        names = [field.name for field in fields(Draw)]
        numbers = (float(generator.uniform(low, high)) for low, high in ranges)
        return Draw(**dict(zip(names, numbers, strict=True)))


def tell_draw(draw: Draw) -> dict[str, float]:
    """Return a draw as it stands in `info`."""
    return asdict(draw)
