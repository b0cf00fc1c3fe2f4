"""Least squares that gross errors do not bend: Gauss-Newton with weights that fall off softly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.identify.misfit import Misfit
from grouser.identify.soft_loss import first_scale, loss, noise_scale, soft_weights

Array = NDArray[np.float64]
SHARES = (1.0, 0.3, 0.1, 0.03, 0.003)
"""Parts of a step that are tried [1]."""
OFFSET_STEP = 0.1
"""Step of the difference by the offset of clocks where rates were observed, over its span [1]:
longer than what belts' noise remembers, or that noise would be mistaken for a lag."""
COOLING = 0.3
"""By which factor the scale of noise may fall from step to step: at first, what is predicted
exactly whatever the values are must not make gross errors of the rest [1]."""
TOLERANCE = 1e-3
"""By which share a full step may raise the loss: weights move with the step [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solving:
    """How a misfit is minimised: what is dear is asked for less often."""

    most_steps: int
    """After how many steps to give up."""
    renewal: int
    """After how many steps derivatives are taken anew."""
    is_central: bool
    """Whether differences are central, or forward for half the price."""
    difference: float
    """Step of differences, over the span of a parameter, at first [1]."""
    differences: tuple[float, float] | None
    """The same at least and at most, once it is known how well each parameter is known: half its
    standard error; None if it stays [1]."""
    at_rest: float | None
    """Step, over the standard error, below which a solution is at rest; None for rounding [1]."""


SMOOTH = Solving(
    most_steps=30, renewal=1, is_central=True, difference=1e-4, differences=None, at_rest=None
)
"""For families with formulas."""
SIMULATED = Solving(
    most_steps=12, renewal=4, is_central=False, difference=0.05, differences=(0.02, 0.3),
    at_rest=0.1,
)  # fmt: skip
"""For families that are simulated: a search came before, each set of values costs a simulation,
near the solution derivatives hardly change, and contacts chatter."""


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


def solve_robustly(
    misfit: Misfit, values: Array, free: list[int], most_steps: int | None = None
) -> Solution:
    """Return the values with the least loss.

    Args:
        misfit: What to minimise.
        values: Where to begin; also what the parameters that are not free keep.
        free: Places of the parameters to be found.
        most_steps: After how many steps to give up; as the family is solved if not given.
    """
    span = np.array([p.span for p in misfit.parameters])
    how = SIMULATED if misfit.family.is_simulated else SMOOTH
    weights, converged = np.ones(misfit.channel.size), not free
    steps, fresh = np.array([_first_step(misfit, place, how) for place in free]), 0
    jacobian = np.zeros((misfit.channel.size, len(free)))
    scale: Array | None = None
    for number in range(how.most_steps if most_steps is None else most_steps):
        if converged:
            break
        if number in (fresh, fresh + how.renewal):
            misfit, fresh = misfit.placed(values), number
            raw, jacobian = _differentiate(misfit, values, free, steps, weights, how)
        else:
            raw = misfit.residuals(values[None], weights)[0]
        wanted = noise_scale(misfit, raw)
        last = first_scale(misfit, raw) if scale is None else COOLING * scale
        scale = np.maximum(wanted, last)
        per, is_cool = scale[misfit.channel], bool(np.all(scale <= wanted))
        weights = soft_weights(raw / per)
        root = np.sqrt(weights) / per
        if how.differences is not None:
            steps = np.clip(0.5 * _errors(root, jacobian), *how.differences)
        step = _gauss_newton(root, raw, jacobian, free, span)
        taken = _take_step(misfit, values, step, weights, per, float(loss(raw[None] / per)[0]))
        if taken is None and not is_cool:
            continue
        if taken is None and number == fresh:
            converged = bool(np.max(np.abs(step / span)) < 1e-3)
            break
        if taken is None:
            fresh = number + 1  # Derivatives were old: with new ones, once more.
            continue
        before, values = values, taken
        enough = _enough(misfit, root, jacobian, how)
        if is_cool and np.all(np.abs(values - before)[free] / span[free] < enough):
            converged, fresh = misfit.placed(values) is misfit, number + 1
    raw, jacobian = _differentiate(misfit, values, free, steps, weights, how)
    return _describe(misfit, values, raw, jacobian, converged=converged)


def _describe(
    misfit: Misfit, values: Array, raw: Array, jacobian: Array, *, converged: bool
) -> Solution:
    scale = noise_scale(misfit, raw)
    per = scale[misfit.channel]
    return Solution(
        misfit=misfit, values=values, residuals=raw / per, jacobian=jacobian / per[:, None],
        scale=scale, converged=converged,
    )  # fmt: skip


def _gauss_newton(root: Array, raw: Array, jacobian: Array, free: list[int], span: Array) -> Array:
    """Return the step of all values that would lead to the least squares, were all linear."""
    step = np.zeros(span.size)
    step[free] = np.linalg.lstsq(root[:, None] * jacobian, -root * raw, rcond=1e-7)[0]
    return step * span


def _take_step(
    misfit: Misfit, values: Array, step: Array, weights: Array, per: Array, bound: float
) -> Array | None:
    """Return the values after the largest part of a step that lowers the loss; or none."""
    low, high = (
        np.array([getattr(p, name) for p in misfit.parameters]) for name in ("low", "high")
    )
    for share in SHARES:
        tried = np.clip(values + share * step, low, high)
        enough = bound * (1.0 + TOLERANCE) if share == 1.0 else bound
        if loss(misfit.residuals(tried[None], weights) / per)[0] <= enough:
            return tried
    return None


def _differentiate(
    misfit: Misfit, values: Array, free: list[int], steps: Array, weights: Array, how: Solving
) -> tuple[Array, Array]:
    """Return residuals, and their derivatives by the free parameters over their spans."""
    span, high = (
        np.array([getattr(misfit.parameters[place], name) for place in free])
        for name in ("span", "high")
    )
    if not how.is_central:
        # Simulations refuse what makes no sense: at the upper limit they look back.
        steps = np.where(values[free] + steps * span > high, -steps, steps)
    ahead = np.repeat(values[None], len(free), axis=0)
    ahead[np.arange(len(free)), free] += steps * span
    if not how.is_central:
        found = misfit.residuals(np.concatenate([values[None], ahead]), weights)
        return found[0], ((found[1:] - found[0]) / steps[:, None]).T
    behind = 2.0 * values - ahead
    found = misfit.residuals(np.concatenate([values[None], ahead, behind]), weights)
    after, before = found[1 : 1 + len(free)], found[1 + len(free) :]
    return found[0], ((after - before) / (2.0 * steps[:, None])).T


def _enough(misfit: Misfit, root: Array, jacobian: Array, how: Solving) -> Array:
    """Return the step of each parameter, over its span, below which a solution is at rest [1]."""
    if how.at_rest is not None:
        return how.at_rest * _errors(root, jacobian)
    return np.full(jacobian.shape[1], 1e-4 if _sees_rates(misfit) else 1e-6)


def _errors(root: Array, jacobian: Array) -> Array:
    """Return the standard error of each free parameter, over its span [1]."""
    weighted = root[:, None] * jacobian
    return np.sqrt(np.diag(np.linalg.pinv(weighted.T @ weighted)))


def _first_step(misfit: Misfit, place: int, how: Solving) -> float:
    """Return the step of a difference, over the span [1]."""
    if _sees_rates(misfit) and misfit.parameters[place].name == "time_offset":
        return OFFSET_STEP
    return how.difference


def _sees_rates(misfit: Misfit) -> bool:
    return misfit.records[0].observation.kind in ("twist", "gyro")
