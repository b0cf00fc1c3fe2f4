"""P3's force curves from points on a tilting treadmill: forces by the weight, slips by sensors.

C, and C_l and E_l, are taken as given, as in P3.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.identify.estimate import Estimate
from grouser.identify.fit_curve import fit_curve
from grouser.laws.grade_force import GRAVITY
from grouser.laws.magic_formula import magic_formula, stiffness_factor


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepNoise:
    """Standard deviation of what is measured; points that scatter more widen the intervals."""

    angle: float = float(np.deg2rad(0.02))
    """Of a heading [rad] [A]."""
    slip: float = 3e-4
    """Of a slip ratio [1] [A]."""
    force: float = 0.3
    """Of a force [N] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Measured points of a force curve."""

    slip: NDArray[np.float64]
    """Slip angle [rad] or slip ratio [1], as the sensors said."""
    force: NDArray[np.float64]
    """Force of the robot, or of one track [N]."""


def identify_lateral(
    sweep: Sweep, C: float = 1.3, noise: SweepNoise | None = None
) -> dict[str, Estimate]:
    """Return C_alpha, D and E of the lateral force (P3 Table 1)."""

    def curve(angle: NDArray[np.float64], slope: float, peak: float, E: float) -> object:
        return -np.asarray(magic_formula(angle, stiffness_factor(slope, C, peak), C, peak, E))

    noise = noise or SweepNoise()
    guess = {"C_alpha": (3000.0, "N/rad"), "D": (float(np.max(sweep.force)), "N"), "E": (0.1, "1")}
    return fit_curve(curve, sweep.slip, sweep.force, noise.angle, noise.force, guess)


def identify_longitudinal(
    sweep: Sweep,
    pulls: NDArray[np.float64],
    C_l: float = 1.65,
    noise: SweepNoise | None = None,
) -> dict[str, Estimate]:
    """Return C_lambda, S_h and D_l of a track's force (P3 Table 2), from pitches and pulls."""

    def curve(slip: NDArray[np.float64], slope: float, shift: float, peak: float) -> object:
        B = stiffness_factor(slope, C_l, peak)
        return magic_formula(slip + shift, B, C_l, peak, 0.0)

    noise = noise or SweepNoise()
    locked = np.full(pulls.size, -1.0)
    x_noise = np.concatenate((np.full(sweep.slip.size, noise.slip), np.zeros(pulls.size)))
    y_noise = np.concatenate(
        (np.full(sweep.slip.size, noise.force), np.full(pulls.size, 0.5 * noise.force))
    )
    guess = {"C_lambda": (2000.0, "N"), "S_h": (0.01, "1"), "D_l": (50.0, "N")}
    return fit_curve(
        curve,
        np.concatenate((sweep.slip, locked)),
        np.concatenate((sweep.force, -0.5 * pulls)),
        x_noise,
        y_noise,
        guess,
    )


def identify_friction(
    pulls: NDArray[np.float64], mass: float, noise: SweepNoise | None = None
) -> Estimate:
    """Return the coefficient of kinetic friction from pulls [N] at a mass [kg]."""
    noise = noise or SweepNoise()
    ratios = pulls / (mass * GRAVITY)
    level = {"mu": (0.1, "1")}
    return fit_curve(
        lambda x, mu: mu + 0.0 * x, np.zeros(ratios.size), ratios, 0.0,
        noise.force / (mass * GRAVITY), level,
    )["mu"]  # fmt: skip


def derive_factor(name: str, slope: Estimate, peak: Estimate, C: float, unit: str) -> Estimate:
    """Return B by P3 eq 4, with its interval and correlation.

    Args:
        name: What to call it.
        slope: Slope at no slip.
        peak: Largest force.
        C: Shape factor [1].
        unit: Of what is derived.
    """
    value = float(stiffness_factor(slope.value, C, peak.value))
    of_slope, of_peak = (0.5 * (e.high - e.low) / e.value for e in (slope, peak))
    shared = slope.correlation[peak.name]
    square = of_slope**2 + of_peak**2 - 2.0 * shared * of_slope * of_peak
    relative = np.sqrt(max(square, 1e-30))
    half = float(value * relative)
    with_others = {
        other: float((of_slope * slope.correlation[other] - of_peak * peak.correlation[other])
                     / relative)
        for other in slope.correlation
    }  # fmt: skip
    return Estimate(
        name=name, value=value, low=value - half, high=value + half, unit=unit,
        correlation={**with_others, name: 1.0},
    )  # fmt: skip
