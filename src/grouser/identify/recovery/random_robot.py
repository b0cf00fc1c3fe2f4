"""Random parameters of every family, within what real robots have."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import load_course, load_robot
from grouser.identify.family import Setting

Array = NDArray[np.float64]
SMALL = "tp100"
"""Robot that simulated families drive: the lightest of the zoo to compute."""
FAST = 0.5
"""Its speed limit here: clocks and friction show in motion, its own 0.3 m/s need longer drives
[m/s]."""


def random_setting(family: str, generator: Generator) -> Setting:
    """Return what is known of a random robot: its gauge, or a whole robot on a slope.

    Friction shows in turns on a slope, so that is where simulated families drive.
    """
    if family in _SIMULATED:
        robot = load_robot(SMALL)
        robot = robot.model_copy(
            update={"drive": robot.drive.model_copy(update={"speed_limit": FAST})}
        )
        return Setting(gauge=robot.gauge, robot=robot, course=load_course("slope:angle_deg=10"))
    return Setting(gauge=float(generator.uniform(0.15, 1.2)))


def random_values(family: str, setting: Setting, generator: Generator) -> Array:
    """Return the true parameters of a random robot, in the order of its family."""
    return np.array(_MAKERS[family](setting, generator))


def _slip(setting: Setting, generator: Generator) -> list[float]:
    slips, angles = generator.uniform(0.0, 0.25, 2), generator.uniform(-0.06, 0.06, 2)
    return [*slips, *angles, setting.gauge * generator.uniform(1.1, 2.5)]


def _icr(setting: Setting, generator: Generator) -> list[float]:
    left, right = generator.uniform(0.55, 1.3, 2) * setting.gauge
    return [left, -right, generator.uniform(-0.15, 0.15) * setting.gauge]


def _varying(setting: Setting, generator: Generator) -> list[float]:
    per_speed, per_turn = (generator.uniform(-0.2, 0.2, 2) * setting.gauge for _ in range(2))
    x = generator.uniform(-0.1, 0.1) * setting.gauge
    return [*_icr(setting, generator), *per_speed, *per_turn, x]


def _turning(setting: Setting, generator: Generator) -> list[float]:
    ahead = generator.uniform(-0.15, 0.15) * setting.gauge
    return [generator.uniform(0.4, 0.85), generator.uniform(0.0, 0.03), ahead]


def _simulated(setting: Setting, generator: Generator, low: float, high: float) -> list[float]:
    steering = generator.uniform(low, high)
    return [generator.uniform(0.9, 1.1), steering, generator.uniform(0.6, 1.2)]


_SIMULATED: dict[str, Callable[[Setting, Generator], list[float]]] = {
    **{
        name: partial(_simulated, low=0.8, high=1.2)
        for name in ("tankbot", "csm", "wheels", "segments")
    },
    "csm-icr": partial(_simulated, low=0.6, high=0.95),
}
_MAKERS = {"slip": _slip, "icr": _icr, "icr-varying": _varying, "turning": _turning, **_SIMULATED}
FAMILIES_TO_RECOVER = tuple(_MAKERS)
"""Families with something to recover."""
