"""A straight line through measured points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from grouser.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class StraightLine:
    """y = slope x + intercept, and how well it fits; errors count n - 2 degrees of freedom."""

    slope: float
    """Change of y per change of x [unit of y per unit of x]."""
    intercept: float
    """Value of y at x = 0 [unit of y]."""
    slope_error: float
    """Standard error of the slope [unit of y per unit of x]."""
    intercept_error: float
    """Standard error of the intercept [unit of y]."""
    r2: float
    """Share of the variance of y that the line explains [1]."""
    rmse: float
    """Root of the squared residuals' sum divided by n - 2 [unit of y]."""


def fit_straight_line(x: ArrayLike, y: ArrayLike, x_name: str, y_name: str) -> StraightLine:
    """Return the line with the least sum of squared residuals in y.

    Args:
        x: Where it was measured.
        y: What was measured.
        x_name: What to call x in an error.
        y_name: What to call y in an error.

    Raises:
        InvalidValue: Fewer than three points, not as many y as x, a number that is not finite,
            or all points at the same x.
    """
    abscissae, ordinates = points_to_fit(x, y, x_name, y_name)
    if np.ptp(abscissae) == 0.0:
        raise InvalidValue(x_name, float(abscissae[0]), "take at least two different values")
    from_mean = abscissae - abscissae.mean()
    spread = np.sum(from_mean**2)
    slope = np.sum(from_mean * ordinates) / spread
    intercept = ordinates.mean() - slope * abscissae.mean()
    r2, rmse = fit_quality(ordinates, slope * abscissae + intercept)
    return StraightLine(
        slope=float(slope),
        intercept=float(intercept),
        slope_error=float(rmse / np.sqrt(spread)),
        intercept_error=float(
            rmse * np.sqrt(1.0 / abscissae.size + abscissae.mean() ** 2 / spread)
        ),
        r2=r2,
        rmse=rmse,
    )


def points_to_fit(
    x: ArrayLike, y: ArrayLike, x_name: str, y_name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y as arrays if two parameters can be fitted to them.

    Raises:
        InvalidValue: Fewer than three points, not as many y as x, or a number that is not finite.
    """
    abscissae, ordinates = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if abscissae.ndim != 1 or abscissae.size < 3:
        raise InvalidValue(x_name, abscissae.size, "hold at least 3 values")
    if ordinates.shape != abscissae.shape:
        raise InvalidValue(y_name, ordinates.size, f"hold as many values as {x_name}")
    for name, values in ((x_name, abscissae), (y_name, ordinates)):
        if not np.all(np.isfinite(values)):
            raise InvalidValue(name, float(values[~np.isfinite(values)][0]), "be finite everywhere")
    return abscissae, ordinates


def fit_quality(measured: np.ndarray, fitted: np.ndarray) -> tuple[float, float]:
    """Return R^2 and the root mean square error, with n - 2 degrees of freedom."""
    unexplained = float(np.sum((measured - fitted) ** 2))
    total = float(np.sum((measured - measured.mean()) ** 2))
    # A line through equal values explains all there is to explain.
    r2 = 1.0 - unexplained / total if np.ptp(measured) > 0.0 else 1.0
    return r2, float(np.sqrt(unexplained / (measured.size - 2)))
