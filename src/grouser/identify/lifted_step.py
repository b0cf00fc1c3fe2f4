"""P3's motors and drive trains from steps of voltage with lifted tracks.

Omega(t) = Omega_ss (1 - exp(-t B_D / J)),   K(V) = B_D Omega_ss / V
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.identify.estimate import Estimate
from grouser.identify.fit_curve import fit_curve

SPEED_NOISE = 0.05
"""Of a measured sprocket speed [rad/s] [A]."""


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


def identify_step(step: VoltageStep, damping: float = 1.0) -> tuple[Estimate, Estimate | None]:
    """Return K(V) and, if the track moved, J, from one step; damping B_D as P3 sets it.

    Args:
        step: What was measured.
        damping: Torque lost per angular speed, which sets the scale of all torques [N m s/rad].
    """
    tail = float(np.mean(step.speed[step.time > 0.7 * step.time[-1]]))
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
