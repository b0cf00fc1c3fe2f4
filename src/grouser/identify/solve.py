"""Least squares that outliers do not bend, and a wide search before it for simulated families.

The loss is that of Cauchy's distribution,

    rho(u) = c^2 / 2 log(1 + (u / c)^2)

with u a residual over the scale of its channel, which is its own median; of pure Gaussian noise it
wastes 3 %. It is minimised by Gauss-Newton steps with weights that fall off softly, one step for
each scale of noise. (`scipy.optimize.least_squares` with the same loss solves to the end at each
scale: up to five times the predictions, and other estimates where a gyroscope alone was recorded.)
Reweighted steps converge linearly, so a solution has converged when a step is a small part of the
standard error of each parameter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.extras import require_extra
from grouser.geometry import Array
from grouser.identify.pieces import beginning
from grouser.identify.residuals import ResidualModel
from grouser.identify.windows import cut_windows, window_length

CAUCHY_SCALE = 3.0
"""c [1]."""
TO_SIGMA = 1.4826
"""Standard deviation over median deviation, of Gaussian noise [1]."""
SMALLEST_SCALE = 1e-6
"""Residual below which a prediction is exact whatever the parameters are [unit of the channel]."""
NOISE_FLOOR = 0.03
"""Least noise of a channel over that of the noisiest, angles times half the gauge: one exact
channel does not decide alone, as belts and models are never that exact [1]."""


def noise_scale(model: ResidualModel, residuals: Array) -> Array:
    """Return the standard deviation of each channel by its median [unit of the channel]."""
    found = np.array([_spread(errors) for errors in _channel_errors(model, residuals)])
    lever = model.levers
    return np.maximum(found, NOISE_FLOOR * float(np.max(lever * found)) / lever)


def first_scale(model: ResidualModel, residuals: Array) -> Array:
    """Return the same for a search that begins, by what is more than rounding.

    What a prediction meets exactly whatever the parameters are, such as a robot at rest, would
    make outliers of all the rest.
    """
    errors = _channel_errors(model, residuals)
    return np.array(
        [_spread(e[e > SMALLEST_SCALE] if np.any(e > SMALLEST_SCALE) else e) for e in errors]
    )


def _channel_errors(model: ResidualModel, residuals: Array) -> list[Array]:
    groups = range(int(model.channel.max()) + 1)
    return [np.abs(residuals[(model.channel == g) & model.measured]) for g in groups]


def _spread(errors: Array) -> float:
    return max(TO_SIGMA * float(np.median(errors)), SMALLEST_SCALE) if errors.size else 1.0


def total_loss(residuals: Array) -> Array:
    """Return the loss of each row of residuals over their scale [1]."""
    return np.sum(cauchy_loss(residuals), axis=1)


def cauchy_loss(residuals: Array) -> Array:
    """Return the loss of each residual over its scale [1]."""
    return 0.5 * CAUCHY_SCALE**2 * np.log1p((residuals / CAUCHY_SCALE) ** 2)


def irls_weights(residuals: Array) -> Array:
    """Return the weight of each residual over its scale [1]."""
    return 1.0 / (1.0 + (residuals / CAUCHY_SCALE) ** 2)


def score(residuals: Array) -> Array:
    """Return the derivative of the loss by each residual over its scale [1]."""
    return residuals * irls_weights(residuals)


def curvature(residuals: Array) -> Array:
    """Return the second derivative of the loss by each residual over its scale [1]."""
    square = (residuals / CAUCHY_SCALE) ** 2
    return (1.0 - square) / (1.0 + square) ** 2


STEP_SHARES = (1.0, 0.3, 0.1, 0.03, 0.003)
"""Parts of a step that are tried [1]."""
OFFSET_STEP = 0.1
"""Step of the difference by the offset of clocks where rates were observed, over its span [1]:
longer than what belts' noise remembers, or that noise would be mistaken for a lag."""
OFFSET_TOLERANCE = 0.15
"""Step of the offset of clocks below which it has converged, over the period of belt speeds [1]."""
DAMPED_AFTER = 15
"""Number of steps after which they become shorter: where the loss has corners, full ones would go
to and fro for ever."""
COOLING = 0.3
"""By which factor the scale of noise may fall from step to step: at first, what is predicted
exactly whatever the values are must not make outliers of the rest [1]."""
LOSS_TOLERANCE = 1e-3
"""By which share a full step may raise the loss: weights move with the step [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverOptions:
    """How a model is minimised: slow predictions are made less often."""

    most_steps: int
    """After how many steps to give up."""
    renewal: int
    """After how many steps derivatives are taken anew."""
    difference: float
    """Step of differences, over the span of a parameter, at first [1]."""
    differences: tuple[float, float] | None
    """The same at least and at most, once it is known how well each parameter is known: half its
    standard error; None if it stays [1]."""
    at_rest: float
    """Step, over the standard error, below which a solution has converged [1]."""


SMOOTH = SolverOptions(most_steps=80, renewal=1, difference=1e-5, differences=None, at_rest=0.01)
"""For families with formulas."""
SIMULATED = SolverOptions(
    most_steps=20, renewal=4, difference=0.05, differences=(0.02, 0.3),
    at_rest=0.3,
)  # fmt: skip
"""For families that are simulated: a search came before, each set of values costs a simulation,
near the solution derivatives hardly change, and contacts chatter."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Values, and what is left there."""

    model: ResidualModel
    """What was minimised, with simulations that start where these values place them."""
    values: Array
    """Of all parameters [unit of each]."""
    residuals: Array
    """Observed less predicted, over the scale of the channel [1]."""
    jacobian: Array
    """Of those residuals by the free parameters, over their spans [1]."""
    scale: Array
    """Standard deviation of the noise of each channel [unit of the channel]."""
    penalty: Array
    """Weight of the penalty on each free parameter, over its span [1]."""
    pull: Array
    """Derivative of the penalty by each free parameter, over its span [1]."""
    converged: bool
    """Whether further steps would not change anything."""


def solve_robustly(
    model: ResidualModel, values: Array, free: list[int], most_steps: int | None = None
) -> Solution:
    """Return the free values with the least loss, the others as given."""
    span = np.array([p.span for p in model.parameters])
    how = SIMULATED if model.family.is_simulated else SMOOTH
    weights, converged, fresh = np.ones(model.channel.size), not free, 0
    penalty, start = model.penalty(free), np.array([p.start for p in model.parameters])
    steps = _difference_steps(model, free, how)
    jacobian, step, scale = np.zeros((0, 0)), np.zeros(span.size), None
    for number in range(how.most_steps if most_steps is None else most_steps):
        if converged:
            break
        if number in (fresh, fresh + how.renewal):
            model, fresh = model.with_start_poses(values), number
            raw, jacobian = _differentiate(model, values, free, steps, weights)
        else:
            raw = model.residuals(values[None], weights)[0]
        wanted = noise_scale(model, raw)
        last = first_scale(model, raw) if scale is None else COOLING * scale
        scale = np.maximum(wanted, last)
        per, is_cool = scale[model.channel], bool(np.all(scale <= wanted))
        weights = irls_weights(raw / per)
        normal = Normal.of(
            jacobian, raw, weights / per**2, penalty, (values - start)[free] / span[free]
        )
        if how.differences is not None:
            steps = np.clip(0.5 * normal.standard_errors, *how.differences)
        step[free] = min(1.0, DAMPED_AFTER / (number + 1)) * normal.step * span[free]
        taken = _take_step(model, values, step, weights, per, penalty, free)
        if taken is None and not is_cool:
            continue
        if taken is None and number == fresh:
            converged = bool(np.all(np.abs(normal.step) < normal.standard_errors))
            break
        if taken is None:
            fresh = number + 1  # Derivatives were old: with new ones, once more.
            continue
        before, values = values, taken
        moved = np.abs(values - before)[free] / span[free]
        if is_cool and np.all(moved <= _enough(model, free, normal.standard_errors, how)):
            converged, fresh = model.with_start_poses(values) is model, number + 1
    raw, jacobian = _differentiate(model, values, free, steps, weights)
    return _describe(model, values, raw, jacobian, free, converged=converged)


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """Normal equations of weighted least squares with a ridge penalty, over the spans."""

    matrix: Array
    """Information with the penalty [1]."""
    gradient: Array
    """Derivative of half the weighted squares by the parameters [1]."""

    @classmethod
    def of(
        cls, jacobian: Array, residuals: Array, weights: Array, penalty: Array, shift: Array
    ) -> "Normal":
        """Return the equations; `shift` is the distance from the start over the span [1]."""
        weighted = jacobian * weights[:, None]
        gradient = weighted.T @ residuals
        matrix = weighted.T @ jacobian
        ridge = penalty * ridge_unit(matrix)
        return cls(matrix + np.diag(ridge), gradient + ridge * shift)

    @property
    def step(self) -> Array:
        """Step to the minimum, over the spans [1]."""
        return -_solve_symmetric(self.matrix, self.gradient)

    @property
    def standard_errors(self) -> Array:
        """Standard error of each parameter, over its span [1]."""
        return np.sqrt(np.maximum(np.diag(np.linalg.pinv(self.matrix, hermitian=True)), 0.0))


def ridge_unit(information: Array) -> float:
    """Return what a penalty of 1 means: the mean information of the parameters [1]."""
    return float(np.trace(information)) / max(len(information), 1)


def _solve_symmetric(matrix: Array, right: Array) -> Array:
    """Return the solution of least norm of a symmetric system that may be singular."""
    if not matrix.size:
        return np.zeros(0)
    values, vectors = np.linalg.eigh(matrix)
    usable = values > 1e-13 * max(float(values[-1]), 1e-300)
    return vectors[:, usable] @ ((vectors[:, usable].T @ right) / values[usable])


def _describe(
    model: ResidualModel,
    values: Array,
    raw: Array,
    jacobian: Array,
    free: Sequence[int],
    *,
    converged: bool,
) -> Solution:
    scale = noise_scale(model, raw)
    per = scale[model.channel]
    jacobian = jacobian / per[:, None]
    weighted = jacobian * irls_weights(raw / per)[:, None]
    penalty = model.penalty(free) * ridge_unit(weighted.T @ jacobian)
    shift = [(values[k] - p.start) / p.span for k, p in enumerate(model.parameters)]
    return Solution(
        model=model, values=values, residuals=raw / per, jacobian=jacobian, scale=scale,
        penalty=penalty, pull=penalty * np.array(shift)[list(free)], converged=converged,
    )  # fmt: skip


def _take_step(
    model: ResidualModel,
    values: Array,
    step: Array,
    weights: Array,
    per: Array,
    penalty: Array,
    free: list[int],
) -> Array | None:
    """Return the values after the largest part of a step that lowers the loss; or none."""
    low, high = (np.array([getattr(p, name) for p in model.parameters]) for name in ("low", "high"))
    if penalty.any():  # The loss with its penalty is convex enough: a full step always.
        return np.clip(values + step, low, high)
    bound = float(total_loss(model.residuals(values[None], weights) / per)[0])
    for share in STEP_SHARES:
        tried = np.clip(values + share * step, low, high)
        enough = bound * (1.0 + LOSS_TOLERANCE) if share == 1.0 else bound
        if total_loss(model.residuals(tried[None], weights) / per)[0] <= enough:
            return tried
    return None


def _differentiate(
    model: ResidualModel, values: Array, free: list[int], steps: Array, weights: Array
) -> tuple[Array, Array]:
    """Return residuals, and their derivatives by the free parameters over their spans."""
    span, high = (
        np.array([getattr(model.parameters[place], name) for place in free])
        for name in ("span", "high")
    )
    # Simulations accept no value beyond its limit: at the upper one the difference is backward.
    steps = np.where(values[free] + steps * span > high, -steps, steps)
    ahead = np.repeat(values[None], len(free), axis=0)
    ahead[np.arange(len(free)), free] += steps * span
    # A long difference by the offset of clocks is central: one side would be a bias.
    wide = _is_offset(model, free) & (np.abs(steps) == OFFSET_STEP)
    behind = 2.0 * values - ahead[wide]
    found = model.residuals(np.concatenate([values[None], ahead, behind]), weights)
    # Copies, as a view would keep all that was found in memory.
    first, slopes = found[0].copy(), found[1 : 1 + len(free)] - found[0]
    slopes[wide] = 0.5 * (found[1 : 1 + len(free)][wide] - found[1 + len(free) :])
    return first, (slopes / steps[:, None]).T


def _difference_steps(model: ResidualModel, free: list[int], how: SolverOptions) -> Array:
    """Return the steps of differences by the free parameters, over their spans [1]."""
    steps = np.full(len(free), how.difference)
    if _sees_rates(model):
        steps[_is_offset(model, free)] = OFFSET_STEP
    return steps


def _is_offset(model: ResidualModel, free: Sequence[int]) -> NDArray[np.bool_]:
    """Return which of the free parameters is the offset of clocks."""
    return np.array([model.parameters[k].name == "time_offset" for k in free], dtype=bool)


def _enough(model: ResidualModel, free: list[int], errors: Array, how: SolverOptions) -> Array:
    """Return the step of each free parameter, over its span, below which it has converged [1].

    Belt speeds that jump give the loss corners by the offset of clocks: it may go on by a share of
    their period. Its uncertainty is found by a profile.
    """
    least = how.at_rest * errors
    offset, span = _is_offset(model, free), np.array([model.parameters[k].span for k in free])
    least[offset] = np.maximum(least, OFFSET_TOLERANCE * model.record.period / span)[offset]
    return least


def _sees_rates(model: ResidualModel) -> bool:
    return model.record.observation.kind in ("twist", "gyro")


SEARCH_ROUNDS, SEARCH_SAMPLES = 6, 6
"""Rounds, and sets of values in each: all of a round move as one batch."""
SEARCH_SPREAD = 0.25
"""Standard deviation of the first samples, over the span [1]."""
SEARCH_DURATION = 30.0
"""Time driven that the search looks at [s]."""


def global_search(
    model: ResidualModel, start: Array, tell: Callable[[str], None], seed: int = 0
) -> Array:
    """Return better values of the family's own parameters."""
    require_extra("the search of a contact model's parameters", "identify", "cma")
    import cma

    model = _beginning(model)
    own = model.family.parameters(model.known_robot, (model.record,))
    span = np.array([p.span for p in own])
    low, high = (np.array([getattr(p, name) for p in own]) for name in ("low", "high"))
    first = start[: len(own)]

    def whole(shares: Array) -> Array:
        sets = np.repeat(start[None], len(shares), axis=0)
        sets[:, : len(own)] = np.clip(first + shares * span, low, high)
        return sets

    # One scale for the whole search, that of the start, lets the losses be compared.
    per = first_scale(model, model.residuals(start[None])[0])[model.channel]
    options = {
        "bounds": [((low - first) / span).tolist(), ((high - first) / span).tolist()],
        "popsize": SEARCH_SAMPLES,
        "seed": seed + 1,  # zero would take the clock
        "verbose": -9,
        "maxiter": SEARCH_ROUNDS,
    }
    strategy = cma.CMAEvolutionStrategy(np.zeros(len(own)), SEARCH_SPREAD, options)
    best, least = np.zeros(len(own)), np.inf
    for number in range(SEARCH_ROUNDS):
        shares = np.array(strategy.ask())
        losses = total_loss(model.residuals(whole(shares)) / per)
        strategy.tell(list(shares), losses.tolist())
        if losses.min() < least:
            best, least = shares[int(np.argmin(losses))], float(losses.min())
        tell(f"search, round {number + 1} of {SEARCH_ROUNDS}")
    return whole(best[None])[0]


def _beginning(model: ResidualModel) -> ResidualModel:
    """Return a few pieces alone: a neighbourhood needs few, and each costs its simulation."""
    record = beginning(model.record, SEARCH_DURATION)
    windows = cut_windows(record, window_length(record))
    return replace(model, record=record, windows=windows, _simulated={}) if len(windows) else model
