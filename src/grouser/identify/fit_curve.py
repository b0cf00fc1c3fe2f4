"""A curve through points of which both coordinates are noisy (errors in variables)."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from scipy.stats import t as student

from grouser.errors import InvalidValue
from grouser.identify.estimate import Estimate

BLIND = 1e-9
"""Share of the largest singular value that is none [1]."""


def fit_curve(
    curve: Callable[..., Any],
    x: ArrayLike,
    y: ArrayLike,
    x_noise: ArrayLike,
    y_noise: ArrayLike,
    guess: Mapping[str, tuple[float, str]],
    confidence: float = 0.95,
) -> dict[str, Estimate]:
    """Return the parameters of a curve by least squares in both coordinates.

    The true abscissae are unknowns too; residuals are divided by their noise. Intervals follow
    from the curvature at the minimum, widened where the points scatter more than stated.

    Args:
        curve: Returns y for x and the parameters by position, in the order of `guess`.
        x: Where it was measured.
        y: What was measured.
        x_noise: Standard deviation of x, for all points or for each; 0 for exact ones.
        y_noise: Standard deviation of y, likewise, but above 0.
        guess: Where to start, and the unit, of each parameter by name.
        confidence: Of the intervals [1].

    Raises:
        InvalidValue: There are not more points than parameters, a number is not finite, or the
            points cannot tell the parameters apart.
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

    def residuals(unknowns: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _covariance(jacobian: NDArray[np.float64], names: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the inverse of the information."""
    if np.all(np.isfinite(jacobian)):
        _, values, vectors = np.linalg.svd(jacobian, full_matrices=False)
        if values[-1] > BLIND * values[0]:
            return (vectors.T / values**2) @ vectors
    required = f"be spread so that they tell {', '.join(names)} apart"
    raise InvalidValue("points of a fit", "all alike", required)
