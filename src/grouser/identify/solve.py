"""Least squares that outliers do not bend, and a wide search before it for simulated families.

The loss is that of Cauchy's distribution,

    rho(u) = c^2 / 2 log(1 + (u / c)^2)

with u a residual over the scale of its channel, which is its own median; of pure Gaussian noise it
wastes 5 %. It is minimised by Gauss-Newton steps with weights that fall off softly, one step for
each scale of noise. (`scipy.optimize.least_squares` with the same loss solves to the end at each
scale: up to five times the predictions, and other estimates where a gyroscope alone was recorded.)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.extras import require_extra
from grouser.geometry import Array
from grouser.identify.record import Observation, Record
from grouser.identify.residuals import ResidualModel
from grouser.identify.windows import cut_windows, training_mask, window_length

CAUCHY_SCALE = 2.385
"""c [1]."""
TO_SIGMA = 1.4826
"""Standard deviation over median deviation, of Gaussian noise [1]."""
SMALLEST_SCALE = 1e-6
"""Scale below which noise is rounding: nothing is measured better [unit of the channel]."""


def noise_scale(model: ResidualModel, residuals: Array) -> Array:
    """Return the standard deviation of each channel by its median [unit of the channel]."""
    return np.array([_spread(errors) for errors in _channel_errors(model, residuals)])


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
    is_central: bool
    """Whether differences are central, or forward at half the cost."""
    difference: float
    """Step of differences, over the span of a parameter, at first [1]."""
    differences: tuple[float, float] | None
    """The same at least and at most, once it is known how well each parameter is known: half its
    standard error; None if it stays [1]."""
    at_rest: float | None
    """Step, over the standard error, below which a solution is at rest; None for rounding [1]."""


SMOOTH = SolverOptions(
    most_steps=30, renewal=1, is_central=True, difference=1e-4, differences=None, at_rest=None
)
"""For families with formulas."""
SIMULATED = SolverOptions(
    most_steps=12, renewal=4, is_central=False, difference=0.05, differences=(0.02, 0.3),
    at_rest=0.1,
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
    converged: bool
    """Whether further steps would not change anything."""


def solve_robustly(
    model: ResidualModel, values: Array, free: list[int], most_steps: int | None = None
) -> Solution:
    """Return the free values with the least loss, the others as given."""
    span = np.array([p.span for p in model.parameters])
    how = SIMULATED if model.family.is_simulated else SMOOTH
    weights, converged, fresh = np.ones(model.channel.size), not free, 0
    steps = np.full(len(free), how.difference)
    if _sees_rates(model):
        steps[[model.parameters[p].name == "time_offset" for p in free]] = OFFSET_STEP
    jacobian, step, scale = np.zeros((0, 0)), np.zeros(span.size), None
    for number in range(how.most_steps if most_steps is None else most_steps):
        if converged:
            break
        if number in (fresh, fresh + how.renewal):
            model, fresh = model.with_start_poses(values), number
            raw, jacobian = _differentiate(model, values, free, steps, weights, how)
        else:
            raw = model.residuals(values[None], weights)[0]
        wanted = noise_scale(model, raw)
        last = first_scale(model, raw) if scale is None else COOLING * scale
        scale = np.maximum(wanted, last)
        per, is_cool = scale[model.channel], bool(np.all(scale <= wanted))
        weights = irls_weights(raw / per)
        root = np.sqrt(weights) / per
        if how.differences is not None:
            steps = np.clip(0.5 * _standard_errors(root, jacobian), *how.differences)
        step[free] = np.linalg.lstsq(root[:, None] * jacobian, -root * raw, rcond=1e-7)[0]
        step[free] *= span[free]
        taken = _take_step(model, values, step, weights, per, float(total_loss(raw[None] / per)[0]))
        if taken is None and not is_cool:
            continue
        if taken is None and number == fresh:
            converged = bool(np.max(np.abs(step / span)) < 1e-3)
            break
        if taken is None:
            fresh = number + 1  # Derivatives were old: with new ones, once more.
            continue
        before, values = values, taken
        enough = _enough(model, root, jacobian, how)
        if is_cool and np.all(np.abs(values - before)[free] / span[free] < enough):
            converged, fresh = model.with_start_poses(values) is model, number + 1
    raw, jacobian = _differentiate(model, values, free, steps, weights, how)
    return _describe(model, values, raw, jacobian, converged=converged)


def _describe(
    model: ResidualModel, values: Array, raw: Array, jacobian: Array, *, converged: bool
) -> Solution:
    scale = noise_scale(model, raw)
    per = scale[model.channel]
    return Solution(
        model=model, values=values, residuals=raw / per, jacobian=jacobian / per[:, None],
        scale=scale, converged=converged,
    )  # fmt: skip


def _take_step(
    model: ResidualModel, values: Array, step: Array, weights: Array, per: Array, bound: float
) -> Array | None:
    """Return the values after the largest part of a step that lowers the loss; or none."""
    low, high = (np.array([getattr(p, name) for p in model.parameters]) for name in ("low", "high"))
    for share in STEP_SHARES:
        tried = np.clip(values + share * step, low, high)
        enough = bound * (1.0 + LOSS_TOLERANCE) if share == 1.0 else bound
        if total_loss(model.residuals(tried[None], weights) / per)[0] <= enough:
            return tried
    return None


def _differentiate(
    model: ResidualModel,
    values: Array,
    free: list[int],
    steps: Array,
    weights: Array,
    how: SolverOptions,
) -> tuple[Array, Array]:
    """Return residuals, and their derivatives by the free parameters over their spans."""
    span, high = (
        np.array([getattr(model.parameters[place], name) for place in free])
        for name in ("span", "high")
    )
    if not how.is_central:
        # Simulations refuse what makes no sense: at the upper limit they look back.
        steps = np.where(values[free] + steps * span > high, -steps, steps)
    ahead = np.repeat(values[None], len(free), axis=0)
    ahead[np.arange(len(free)), free] += steps * span
    if not how.is_central:
        found = model.residuals(np.concatenate([values[None], ahead]), weights)
        return found[0].copy(), ((found[1:] - found[0]) / steps[:, None]).T
    behind = 2.0 * values - ahead
    found = model.residuals(np.concatenate([values[None], ahead, behind]), weights)
    slopes = found[1 : 1 + len(free)] - found[1 + len(free) :]
    slopes /= 2.0 * steps[:, None]
    return found[0].copy(), slopes.T  # a view would keep all that was found in memory


def _enough(model: ResidualModel, root: Array, jacobian: Array, how: SolverOptions) -> Array:
    """Return the step of each parameter, over its span, below which a solution is at rest [1]."""
    if how.at_rest is not None:
        return how.at_rest * _standard_errors(root, jacobian)
    return np.full(jacobian.shape[1], 1e-4 if _sees_rates(model) else 1e-6)


def _standard_errors(root: Array, jacobian: Array) -> Array:
    """Return the standard error of each free parameter, over its span [1]."""
    weighted = root[:, None] * jacobian
    return np.sqrt(np.diag(np.linalg.pinv(weighted.T @ weighted)))


def _sees_rates(model: ResidualModel) -> bool:
    return model.records[0].observation.kind in ("twist", "gyro")


SEARCH_ROUNDS, SEARCH_SAMPLES = 6, 6
"""Rounds, and sets of values in each: all of a round move as one batch."""
SEARCH_SPREAD = 0.25
"""Standard deviation of the first samples, over the span [1]."""
SEARCH_WINDOWS = 6
"""How many windows of each record, from its beginning, the search looks at."""


def global_search(
    model: ResidualModel, start: Array, tell: Callable[[str], None], seed: int = 0
) -> Array:
    """Return better values of the family's own parameters."""
    require_extra("the search of a contact model's parameters", "identify", "cma")
    import cma

    model = _beginning(model)
    own = model.family.parameters(model.known_robot, model.records)
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
    """Return the first windows alone: a neighbourhood needs few, and each costs its simulation."""
    length = window_length(model.records)
    cut = [_cut(record, (SEARCH_WINDOWS + 1) * length) for record in model.records]
    windows = [cut_windows(short, length, used) for short, used in cut]
    if not sum(map(len, windows)):
        return model
    records = tuple(short for short, _ in cut)
    return ResidualModel(model.family, records, tuple(windows), model.known_robot)


def _cut(record: Record, duration: float) -> tuple[Record, NDArray[np.bool_]]:
    """Return the beginning of a record, and which of its observations a fit may see."""
    seen = record.observation
    end = record.time[0] + duration
    observed = seen.time <= end
    early = Observation(kind=seen.kind, time=seen.time[observed], values=seen.values[:, observed])
    short = record.first(int(np.searchsorted(record.time, end, side="right")))
    return replace(short, observation=early), training_mask(record)[observed]
