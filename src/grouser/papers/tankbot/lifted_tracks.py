"""P3's identification of motors and drive trains: steps of voltage with lifted tracks.

Omega(t) = Omega_ss (1 - exp(-t B_D / J)),   K(V) = B_D Omega_ss / V
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.identify import Estimate, fit_curve
from grouser.models.planar.constants import Constants, pack_constants
from grouser.papers.tankbot.run_manoeuvre import tankbot_constants

SPEED_NOISE = 0.05
"""Of a measured sprocket speed [rad/s] [A]."""
PERIOD, DURATION = 0.01, 1.0
"""Of the samples, and of a step [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoltageStep:
    """What a lifted track did after a step of voltage."""

    side: Literal["left", "right"]
    """Which track."""
    voltage: float
    """Height of the step [V]."""
    time: NDArray[np.float64]
    """Time since the step [s]."""
    speed: NDArray[np.float64]
    """Measured speed of the sprocket [rad/s]."""


def step_voltages(
    generator: Generator, voltages: NDArray[np.float64], constants: Constants | None = None
) -> list[VoltageStep]:
    """Return the measured speeds of both lifted tracks after a step to each voltage."""
    from grouser.models.planar.integrate import advance_robots

    constants = tankbot_constants() if constants is None else constants
    # In the air: forces too small to matter.
    lifted = constants._replace(track_limit=1e-9, lateral_limit=1e-9, ground_speed=0.0)
    packed = pack_constants(lifted, voltages.size)
    states, asked = np.zeros((voltages.size, 8)), np.stack((voltages, voltages), axis=1)
    grades = np.zeros((voltages.size, 3))
    grades[:, 2] = 1.0
    ticks = np.arange(round(DURATION / PERIOD) + 1, dtype=np.float64)
    time: NDArray[np.float64] = ticks * PERIOD
    speeds = np.zeros((time.size, voltages.size, 2))
    for k in range(1, time.size):
        advance_robots(states, True, asked, grades, *packed, PERIOD, 0.001)
        speeds[k] = states[:, 6:]
    speeds += generator.normal(0.0, SPEED_NOISE, speeds.shape)
    return [
        VoltageStep(side=side, voltage=float(voltage), time=time, speed=speeds[:, k, number])
        for number, side in enumerate(("left", "right"))
        for k, voltage in enumerate(voltages)
    ]


def identify_step(step: VoltageStep, damping: float = 1.0) -> tuple[Estimate, Estimate | None]:
    """Return K(V) and, if the track moved, J, from one step; damping B_D as P3 sets it.

    Args:
        step: What was measured.
        damping: Torque lost per angular speed, which sets the scale of all torques [N m s/rad].
    """
    tail = float(np.mean(step.speed[step.time > 0.7 * DURATION]))
    name = f"K({step.voltage:g} V) {step.side}"
    per_volt = damping / step.voltage
    if abs(tail) < 6.0 * SPEED_NOISE:
        found = fit_curve(
            lambda t, level: level + 0.0 * t, step.time, step.speed * per_volt, 0.0,
            abs(SPEED_NOISE * per_volt), {name: (0.0, "N m/V")},
        )  # fmt: skip
        return found[name], None
    found = fit_curve(
        lambda t, level, tau: level * (1.0 - np.exp(-t / (tau / damping))),
        step.time, step.speed * per_volt, 0.0, abs(SPEED_NOISE * per_volt),
        {name: (tail * per_volt, "N m/V"), "J": (0.08, "kg m^2")},
    )  # fmt: skip
    return found[name], found["J"]


def pool_estimates(estimates: list[Estimate], name: str) -> Estimate:
    """Return the mean of independent estimates of one parameter, weighted by their precision."""
    halves = np.array([0.5 * (estimate.high - estimate.low) for estimate in estimates])
    weights = 1.0 / halves**2
    value = float(np.average([estimate.value for estimate in estimates], weights=weights))
    half = float(1.0 / np.sqrt(weights.sum()))
    first = estimates[0]
    return Estimate(
        name=name, value=value, low=value - half, high=value + half, unit=first.unit,
        confidence=first.confidence,
    )  # fmt: skip
