"""P3's force curves and motor steps, fitted to treadmill measurements.

C, C_l and E_l are given, as in P3.

Omega(t) = Omega_ss (1 - exp(-t B_D / J)),   K(V) = B_D Omega_ss / V
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.stats import t as student

from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.identify.fit import Estimate
from grouser.laws.slope import GRAVITY
from grouser.laws.track_forces import magic_formula, stiffness_factor

SHAPE, TRACK_SHAPE = 1.3, 1.65
"""C and C_l, given by P3 [1]."""
MIN_SINGULAR_VALUE = 1e-9
"""Singular value, over the largest, that counts as zero [1]."""


def fit_curve(
    curve: Callable[..., Any],
    x: ArrayLike,
    y: ArrayLike,
    x_noise: ArrayLike,
    y_noise: ArrayLike,
    guess: Mapping[str, tuple[float, str]],
    confidence: float = 0.95,
) -> dict[str, Estimate]:
    """Return the parameters of a curve by orthogonal distance regression.

    The true abscissae are unknowns too; residuals are divided by their noise, 0 for exact
    abscissae. `guess` has start value and unit of each parameter, in the order of `curve`.
    Intervals follow from the curvature at the minimum, widened if the points scatter more than the
    stated noise. InvalidValue if a number is not finite, or the parameters are unidentifiable.
    """
    places, values = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    count, size = len(guess), places.size
    if values.shape != places.shape or size <= count:
        raise InvalidValue("points of a fit", size, f"be more than its {count} parameters")
    if not np.all(np.isfinite(places + values)):
        raise InvalidValue("points of a fit", "NaN or infinity", "be finite")
    x_scale, y_scale = np.broadcast_to(x_noise, size), np.broadcast_to(y_noise, size)
    blurred = x_scale > 0.0
    start = np.array([value for value, _ in guess.values()])
    scale = np.where(start == 0.0, 1.0, np.abs(start))

    def residuals(unknowns: Array) -> Array:
        truth = places.copy()
        truth[blurred] += unknowns[count:] * x_scale[blurred]
        missing = (values - curve(truth, *(unknowns[:count] * scale))) / y_scale
        return np.concatenate((unknowns[count:], missing))

    first = np.concatenate((start / scale, np.zeros(int(blurred.sum()))))
    with np.errstate(all="ignore"):
        if not np.all(np.isfinite(residuals(first))):
            raise InvalidValue("points of a fit", f"{size} points", "lie where the curve is finite")
        found = least_squares(residuals, first, xtol=1e-12)
        covariance = _covariance(found.jac, tuple(guess))[:count, :count]
    scatter = max(1.0, 2.0 * found.cost / (size - count))
    spread = np.sqrt(np.diag(covariance))
    half = student.ppf(0.5 + 0.5 * confidence, size - count) * np.sqrt(scatter) * spread
    correlation = covariance / np.outer(spread, spread)
    return {
        name: Estimate(
            name=name,
            value=float(scale[k] * found.x[k]),
            low=float(scale[k] * (found.x[k] - half[k])),
            high=float(scale[k] * (found.x[k] + half[k])),
            unit=unit,
            confidence=confidence,
            correlation=dict(zip(guess, correlation[k].tolist(), strict=True)),
        )
        for k, (name, (_, unit)) in enumerate(guess.items())
    }


def _covariance(jacobian: Array, names: tuple[str, ...]) -> Array:
    """Return the inverse of the information matrix."""
    if np.all(np.isfinite(jacobian)):
        _, values, vectors = np.linalg.svd(jacobian, full_matrices=False)
        if values[-1] > MIN_SINGULAR_VALUE * values[0]:
            return (vectors.T / values**2) @ vectors
    required = f"be spread so that they identify {', '.join(names)}"
    raise InvalidValue("points of a fit", "all alike", required)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepNoise:
    """Standard deviations of the measurements."""

    angle: float = float(np.deg2rad(0.02))
    """Standard deviation of a heading [rad] [A]."""
    slip: float = 3e-4
    """Standard deviation of a slip ratio [1] [A]."""
    force: float = 0.3
    """Standard deviation of a force [N] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Measured points of a force curve."""

    slip: Array
    """Measured slip angle [rad] or slip ratio [1]."""
    force: Array
    """Force of the robot, or of one track [N]."""


def lateral_force(angle: Array, slope: float, peak: float, E: float) -> Array:
    """Return the lateral force at a slip angle [rad], of slope C_alpha [N/rad] and peak D [N]."""
    B = stiffness_factor(slope, SHAPE, peak)
    return -np.asarray(magic_formula(angle, B, SHAPE, peak, E))


def track_force(slip: Array, slope: float, shift: float, peak: float) -> Array:
    """Return the force of a track at a slip ratio [1], of slope C_lambda [N] and peak D_l [N]."""
    B = stiffness_factor(slope, TRACK_SHAPE, peak)
    return np.asarray(magic_formula(slip + shift, B, TRACK_SHAPE, peak, 0.0))


def identify_lateral(sweep: Sweep) -> dict[str, Estimate]:
    """Return C_alpha, D and E of the lateral force (P3 Table 1)."""
    noise = SweepNoise()
    guess = {"C_alpha": (3000.0, "N/rad"), "D": (float(np.max(sweep.force)), "N"), "E": (0.1, "1")}
    return fit_curve(lateral_force, sweep.slip, sweep.force, noise.angle, noise.force, guess)


def identify_longitudinal(sweep: Sweep, pulls: Array) -> dict[str, Estimate]:
    """Return C_lambda, S_h and D_l of a track's force (P3 Table 2), from pitches and pulls."""
    noise, pitched, pulled = SweepNoise(), np.ones(sweep.slip.size), np.ones(pulls.size)
    return fit_curve(
        track_force,
        np.concatenate((sweep.slip, -pulled)),
        np.concatenate((sweep.force, -0.5 * pulls)),
        np.concatenate((noise.slip * pitched, 0.0 * pulled)),
        np.concatenate((noise.force * pitched, 0.5 * noise.force * pulled)),
        {"C_lambda": (2000.0, "N"), "S_h": (0.01, "1"), "D_l": (50.0, "N")},
    )


def identify_friction(pulls: Array, mass: float) -> Estimate:
    """Return the coefficient of kinetic friction from pulls [N] at a mass [kg]."""
    ratios, level = pulls / (mass * GRAVITY), {"mu": (0.1, "1")}
    return fit_curve(
        lambda x, mu: mu + 0.0 * x, np.zeros(ratios.size), ratios, 0.0,
        SweepNoise().force / (mass * GRAVITY), level,
    )["mu"]  # fmt: skip


def derive_factor(name: str, slope: Estimate, peak: Estimate, C: float, unit: str) -> Estimate:
    """Return B by P3 eq 4 from slope, largest force and C [1], with interval and correlation."""
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


SPEED_NOISE = 0.05
"""Standard deviation of a measured sprocket speed [rad/s] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoltageStep:
    """Response of a lifted track to a voltage step."""

    side: Literal["left", "right"]
    voltage: float
    """Height of the step [V]."""
    time: Array
    """Time since the step [s]."""
    speed: Array
    """Measured speed of the sprocket [rad/s]."""


def identify_step(step: VoltageStep, damping: float = 1.0) -> tuple[Estimate, Estimate | None]:
    """Return K(V) and, if the track moved, J, from one step and the damping B_D [N m s/rad]."""
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
