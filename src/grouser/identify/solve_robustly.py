"""Least squares that gross errors do not bend: Gauss-Newton with weights that fall off softly.

rho(u) = c^2 / 2 log(1 + (u / c)^2), the loss of Cauchy's distribution, u a residual over the
scale of its channel, which is its own median. Of pure Gaussian noise it wastes 5 %.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.identify.misfit import Misfit

Array = NDArray[np.float64]
SOFTNESS = 2.385
"""c [1]."""
TO_SIGMA = 1.4826
"""Standard deviation over median deviation, of Gaussian noise [1]."""
STEP = 1e-4
"""Step of differences, over the span of a parameter [1]."""
ROUGH_STEP, SMALLEST, LARGEST = 0.05, 0.02, 0.3
"""The same for families whose contacts make residuals rough: at first, and at least and at most
once it is known how well each parameter is known: half its standard error [1]."""
ROUGH_STEPS = 12
"""Steps that such families are granted: a search came before."""
RENEWAL = 4
"""After how many steps such families are placed and differentiated anew: that costs many
simulations, and near the solution derivatives hardly change."""
AT_REST = 0.1
"""Step, over the standard error, below which such a solution is at rest: contacts chatter [1]."""
SHARES = np.array([1.0, 0.3, 0.1, 0.03, 0.003])
"""Parts of a step that are tried [1]."""
OFFSET_STEP = 0.1
"""Step of the difference by the offset of clocks where rates were observed, over its span [1]:
longer than what belts' noise remembers, or that noise would be mistaken for a lag."""
TOLERANCE = 1e-3
"""By which share a full step may raise the loss: weights move with the step [1]."""
SMALLEST_SCALE = 1e-9
"""Scale below which noise is rounding [unit of the channel]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Values, and what is left there."""

    misfit: Misfit
    """What was minimised, with simulations that start where these values place them."""
    values: Array
    """Of all parameters [unit of each]."""
    residuals: Array
    """Observed less predicted, over the scale of the channel [1]."""
    jacobian: Array
    """Of those residuals by the free parameters, over their spans [1]."""
    scale: Array
    """Standard deviation of the noise of each channel [unit of the channel]."""
    converged: bool
    """Whether further steps would not change anything."""

    @property
    def score(self) -> Array:
        """Derivative of the loss by each residual [1]."""
        return self.residuals / (1.0 + (self.residuals / SOFTNESS) ** 2)

    @property
    def curvature(self) -> Array:
        """Second derivative of the loss by each residual [1]."""
        square = (self.residuals / SOFTNESS) ** 2
        return (1.0 - square) / (1.0 + square) ** 2


def soft_weights(residuals: Array) -> Array:
    """Return the weight of each residual over its scale [1]."""
    return 1.0 / (1.0 + (residuals / SOFTNESS) ** 2)


def solve_robustly(
    misfit: Misfit, values: Array, free: list[int], most_steps: int = 30
) -> Solution:
    """Return the values with the least loss.

    Args:
        misfit: What to minimise.
        values: Where to begin; also what the parameters that are not free keep.
        free: Places of the parameters to be found.
        most_steps: After how many steps to give up.
    """
    low, high, span = (
        np.array([getattr(p, name) for p in misfit.parameters]) for name in ("low", "high", "span")
    )
    rough = misfit.family.is_rough
    weights, converged = np.ones(misfit.channel.size), not free
    steps, fresh = np.array([_step(misfit, place) for place in free]), 0
    jacobian = np.zeros((misfit.channel.size, len(free)))
    for number in range(min(most_steps, ROUGH_STEPS) if rough else most_steps):
        if converged:
            break
        if number >= fresh + RENEWAL or number == fresh or not rough:
            misfit, fresh = misfit.placed(values), number
            raw, jacobian = differentiate(misfit, values, free, steps, weights)
        else:
            raw = misfit.residuals(values[None], weights)[0]
        per = noise_scale(misfit, raw)[misfit.channel]
        weights = soft_weights(raw / per)
        root = np.sqrt(weights) / per
        if rough:
            steps = np.clip(0.5 * _errors(root, jacobian), SMALLEST, LARGEST)
        found = np.linalg.lstsq(root[:, None] * jacobian, -root * raw, rcond=1e-7)[0]
        step = np.zeros(values.size)
        step[free] = found * span[free]
        tried = np.clip(values + SHARES[:, None] * step, low, high)
        taken = _take_step(misfit, tried, weights, per, float(loss(raw[None] / per)[0]))
        if taken is None and number == fresh:
            converged = bool(np.max(np.abs(step / span)) < 1e-3)
            break
        if taken is None:
            fresh = number + 1  # Derivatives were old: with new ones, once more.
            continue
        before, values = values, taken
        if np.all(np.abs(values - before)[free] / span[free] < _enough(misfit, root, jacobian)):
            converged = misfit.placed(values) is misfit
            fresh = number + 1
    return _finish(misfit, values, free, steps, weights, converged=converged)


def _finish(
    misfit: Misfit, values: Array, free: list[int], steps: Array, weights: Array, *, converged: bool
) -> Solution:
    raw, jacobian = differentiate(misfit, values, free, steps, weights)
    scale = noise_scale(misfit, raw)
    per = scale[misfit.channel]
    return Solution(
        misfit=misfit, values=values, residuals=raw / per, jacobian=jacobian / per[:, None],
        scale=scale, converged=converged,
    )  # fmt: skip


def _take_step(
    misfit: Misfit, tried: Array, weights: Array, per: Array, before: float
) -> Array | None:
    """Return the first of the tried values that lowers the loss; or none."""
    for number, values in enumerate(tried):
        bound = before * (1.0 + TOLERANCE) if number == 0 else before
        if loss(misfit.residuals(values[None], weights) / per)[0] <= bound:
            return values
    return None


def differentiate(
    misfit: Misfit, values: Array, free: list[int], steps: Array, weights: Array
) -> tuple[Array, Array]:
    """Return residuals, and their derivatives by the free parameters over their spans.

    Differences are central; forward where each set of values costs a simulation.
    """
    span = np.array([misfit.parameters[place].span for place in free])
    ahead = np.repeat(values[None], len(free), axis=0)
    ahead[np.arange(len(free)), free] += steps * span
    if misfit.family.is_rough:
        found = misfit.residuals(np.concatenate([values[None], ahead]), weights)
        return found[0], ((found[1:] - found[0]) / steps[:, None]).T
    behind = 2.0 * values - ahead
    found = misfit.residuals(np.concatenate([values[None], ahead, behind]), weights)
    after, before = found[1 : 1 + len(free)], found[1 + len(free) :]
    return found[0], ((after - before) / (2.0 * steps[:, None])).T


def _enough(misfit: Misfit, root: Array, jacobian: Array) -> Array:
    """Return the step of each parameter, over its span, below which a solution is at rest [1]."""
    if misfit.family.is_rough:
        return AT_REST * _errors(root, jacobian)
    rates = misfit.records[0].observation.kind in ("twist", "gyro")
    return np.full(jacobian.shape[1], 1e-4 if rates else 1e-6)


def _errors(root: Array, jacobian: Array) -> Array:
    """Return the standard error of each free parameter, over its span [1]."""
    weighted = root[:, None] * jacobian
    return np.sqrt(np.diag(np.linalg.pinv(weighted.T @ weighted)))


def _step(misfit: Misfit, place: int) -> float:
    """Return the step of a difference, over the span [1]."""
    rates = misfit.records[0].observation.kind in ("twist", "gyro")
    if rates and misfit.parameters[place].name == "time_offset":
        return OFFSET_STEP
    return ROUGH_STEP if misfit.family.is_rough else STEP


def noise_scale(misfit: Misfit, residuals: Array) -> Array:
    """Return the standard deviation of each channel by its median [unit of the channel]."""
    groups = range(int(misfit.channel.max()) + 1)
    picked = [np.abs(residuals[(misfit.channel == g) & misfit.measured]) for g in groups]
    return np.array(
        [max(TO_SIGMA * float(np.median(p)), SMALLEST_SCALE) if p.size else 1.0 for p in picked]
    )


def loss(residuals: Array) -> Array:
    """Return the loss of each row of residuals over their scale [1]."""
    return 0.5 * SOFTNESS**2 * np.sum(np.log1p((residuals / SOFTNESS) ** 2), axis=1)
