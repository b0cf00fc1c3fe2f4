"""A loss that gross errors do not bend.

rho(u) = c^2 / 2 log(1 + (u / c)^2), the loss of Cauchy's distribution, u a residual over the
scale of its channel, which is its own median. Of pure Gaussian noise it wastes 5 %.
"""

import numpy as np
from numpy.typing import NDArray

from grouser.identify.misfit import Misfit

Array = NDArray[np.float64]
SOFTNESS = 2.385
"""c [1]."""
TO_SIGMA = 1.4826
"""Standard deviation over median deviation, of Gaussian noise [1]."""
SMALLEST_SCALE = 1e-6
"""Scale below which noise is rounding: nothing is measured better [unit of the channel]."""


def noise_scale(misfit: Misfit, residuals: Array) -> Array:
    """Return the standard deviation of each channel by its median [unit of the channel]."""
    return np.array([_spread(errors) for errors in _errors(misfit, residuals)])


def first_scale(misfit: Misfit, residuals: Array) -> Array:
    """Return the same for a search that begins, by what is more than rounding.

    What a prediction meets exactly whatever the parameters are, such as a robot at rest, would
    make gross errors of all the rest.
    """
    errors = _errors(misfit, residuals)
    return np.array(
        [_spread(e[e > SMALLEST_SCALE] if np.any(e > SMALLEST_SCALE) else e) for e in errors]
    )


def _errors(misfit: Misfit, residuals: Array) -> list[Array]:
    groups = range(int(misfit.channel.max()) + 1)
    return [np.abs(residuals[(misfit.channel == g) & misfit.measured]) for g in groups]


def _spread(errors: Array) -> float:
    return max(TO_SIGMA * float(np.median(errors)), SMALLEST_SCALE) if errors.size else 1.0


def loss(residuals: Array) -> Array:
    """Return the loss of each row of residuals over their scale [1]."""
    return np.sum(each_loss(residuals), axis=1)


def each_loss(residuals: Array) -> Array:
    """Return the loss of each residual over its scale [1]."""
    return 0.5 * SOFTNESS**2 * np.log1p((residuals / SOFTNESS) ** 2)


def soft_weights(residuals: Array) -> Array:
    """Return the weight of each residual over its scale [1]."""
    return 1.0 / (1.0 + (residuals / SOFTNESS) ** 2)


def score(residuals: Array) -> Array:
    """Return the derivative of the loss by each residual over its scale [1]."""
    return residuals * soft_weights(residuals)


def curvature(residuals: Array) -> Array:
    """Return the second derivative of the loss by each residual over its scale [1]."""
    square = (residuals / SOFTNESS) ** 2
    return (1.0 - square) / (1.0 + square) ** 2
