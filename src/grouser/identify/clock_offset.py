"""Clock offset between belt speeds and observations: best value and allowed range.

Offsets are tried up to `MAX_CLOCK_OFFSET`. One beyond `USUAL_CLOCK_OFFSET` is taken only if it is
clearly better than all usual ones: a drive that repeats itself fits nearly as well a period later.

Encoder quantisation gives the loss many narrow local minima, so its curvature at one of them does
not measure the uncertainty. Instead, a profile likelihood around the best offset is compared with
it, window by window. At constant speed all offsets fit equally well: then the offset is
unidentifiable.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from grouser.geometry import Array
from grouser.identify.pieces import MAX_CLOCK_OFFSET, USUAL_CLOCK_OFFSET
from grouser.identify.residuals import ResidualModel
from grouser.identify.solve import (
    TO_SIGMA,
    Solution,
    cauchy_loss,
    first_scale,
    irls_weights,
    solve_robustly,
    total_loss,
)

OFFSET_GRID_STEP = 0.02
"""Step of the offsets that are tried [s]."""
NEAR_OFFSETS = 0.5 * np.arange(-8, 9)
"""Offsets around the best one, over the period of the belt speeds, that show how rough encoder
quantisation makes the loss [1]."""
FAR_STEP = 0.25
"""Step of the offsets beyond the usual ones at which the other values are fitted first [s]."""
OFFSET_BATCH = 8
"""Number of offsets predicted at once, to limit memory."""
CLEARLY = 3.0
"""Standard errors by which an unusual offset must be better than all usual ones [1]."""
CONFIDENCE = 0.95
"""Confidence of the allowed range [1]."""
MIN_LOSS_RISE = 1.92
"""Least rise of the loss that excludes an offset: half the 95 % quantile of chi-square with one
degree of freedom [1]."""


def best_offset(model: ResidualModel, values: Array, known: Sequence[str] = ()) -> Array:
    """Return the values with the best clock offset, of a grid."""
    place = model.places.get("time_offset")
    if place is None:
        return values
    others = [k for name, k in model.places.items() if k != place and name not in known]
    values = solve_robustly(model, values, others, most_steps=6).values
    usual = _scan(model, values, place, 0.0, USUAL_CLOCK_OFFSET)
    fitted = solve_robustly(model, usual, others, most_steps=3).values
    per = first_scale(model, model.residuals(fitted[None])[0])[model.channel]
    count = round((MAX_CLOCK_OFFSET - USUAL_CLOCK_OFFSET) / FAR_STEP)
    far = []
    for offset in USUAL_CLOCK_OFFSET + FAR_STEP * np.arange(1, count + 1):
        for begin in (offset, -offset):
            tried = fitted.copy()
            tried[place] = begin
            far.append(solve_robustly(model, tried, others, most_steps=2).values)
    best = far[int(np.argmin([_losses(model, tried, per).sum() for tried in far]))]
    best = _scan(model, best, place, float(best[place]), FAR_STEP)
    best = solve_robustly(model, best, others, most_steps=3).values
    gain = _losses(model, fitted, per) - _losses(model, best, per)
    noise = float(np.std(gain)) * np.sqrt(gain.size)
    return best if float(gain.sum()) > CLEARLY * noise else usual


def _scan(model: ResidualModel, values: Array, place: int, middle: float, reach: float) -> Array:
    """Return the values with the best offset of a fine grid, the others unchanged."""
    count = round(2 * reach / OFFSET_GRID_STEP) + 1
    sets = np.repeat(values[None], count, axis=0)
    offsets = middle + np.linspace(-reach, reach, count)
    sets[:, place] = np.clip(offsets, -MAX_CLOCK_OFFSET, MAX_CLOCK_OFFSET)
    per = first_scale(model, model.residuals(sets[[count // 2]])[0])[model.channel]
    batches = (sets[k : k + OFFSET_BATCH] for k in range(0, count, OFFSET_BATCH))
    losses = np.concatenate([total_loss(model.residuals(batch) / per) for batch in batches])
    # Break ties towards zero offset.
    return sets[int(np.argmin(losses + 1e-9 * np.abs(sets[:, place])))]


def _losses(model: ResidualModel, values: Array, per: Array) -> Array:
    """Return the loss of each window for residuals over a scale `per` [1]."""
    loss = cauchy_loss(model.residuals(values[None])[0] / per)
    return np.bincount(model.window, loss, len(model.windows)).astype(np.float64)


def allowed_offsets(
    solution: Solution, free: list[int], place: int, cluster: NDArray[np.intp]
) -> tuple[float, float]:
    """Return the least and the largest offset that the log does not exclude [s].

    An offset is excluded if the loss over all windows rises from the best offset by more than its
    scatter: that between clusters of windows (by median deviation, as a few with turns may
    dominate) and the roughness of the loss. `cluster` is that of each residual.
    """
    model, best = solution.model, float(solution.values[place])
    period = model.record.period
    near = np.clip(best + period * NEAR_OFFSETS, -MAX_CLOCK_OFFSET, MAX_CLOCK_OFFSET)
    # Whole periods from the best one: interpolation between belt samples changes the loss.
    step = period * np.ceil(OFFSET_GRID_STEP / period)
    reach = abs(best) + USUAL_CLOCK_OFFSET
    far = best + step * np.arange(-reach // step, reach // step + 1)
    offsets = np.concatenate((near, [0.0], far[np.abs(far) <= MAX_CLOCK_OFFSET]))
    losses = np.array(_profile(solution, free, place, offsets, cluster))
    rise = losses - losses[NEAR_OFFSETS.size // 2]
    count = rise.shape[1]
    middle = np.median(rise, axis=1, keepdims=True)
    scatter = TO_SIGMA * np.median(np.abs(rise - middle), axis=1) * np.sqrt(count)
    # The roughness of the loss is its standard deviation without its trend, by second differences.
    bends = np.diff(losses[: NEAR_OFFSETS.size].sum(axis=1), 2)
    rough = float(TO_SIGMA * np.median(np.abs(bends - np.median(bends))) / np.sqrt(3.0))
    scatter = np.hypot(scatter, rough)
    needed = student.ppf(0.5 + 0.5 * CONFIDENCE, count - 1) * scatter
    allowed = offsets[rise.sum(axis=1) <= np.maximum(needed, MIN_LOSS_RISE)]
    return float(allowed.min()), float(allowed.max())


def _profile(
    solution: Solution, free: list[int], place: int, offsets: Array, cluster: NDArray[np.intp]
) -> list[Array]:
    """Return the loss of each cluster at each offset, minimised over the other parameters."""
    model, weights = solution.model, irls_weights(solution.residuals)
    per = solution.scale[model.channel]
    others = solution.jacobian[:, [k for k, p in enumerate(free) if p != place]]
    root = np.sqrt(weights)
    basis = np.linalg.qr(root[:, None] * others)[0] if others.size else others
    found = []
    for begin in range(0, offsets.size, OFFSET_BATCH):
        part = offsets[begin : begin + OFFSET_BATCH]
        sets = np.repeat(solution.values[None], part.size, axis=0)
        sets[:, place] = part
        left = model.residuals(sets, weights)
        left /= per
        explained = ((left * root) @ basis) @ basis.T
        explained /= root
        left -= explained
        found += [np.bincount(cluster, cauchy_loss(row)) for row in left]
    return found
