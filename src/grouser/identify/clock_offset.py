"""Which offsets of two clocks a log allows: from one end of what is looked for to the other.

Beside steps of encoders the loss has many narrow valleys: the curvature of one says how deep it is
cut, not that there is no other. So the whole range is compared with the best offset, window by
window, the other parameters following. A robot that drives on at one speed looks alike at all of
them: then the log cannot tell the offset.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from grouser.identify.residuals import Misfit
from grouser.identify.solve import (
    TO_SIGMA,
    Solution,
    each_loss,
    first_scale,
    loss,
    soft_weights,
    solve_robustly,
)
from grouser.identify.windows import LARGEST_OFFSET

Array = NDArray[np.float64]
STEP = 0.02
"""Step of the offsets that are looked at [s]."""
NEAR = 0.5 * np.arange(-8, 9)
"""Offsets about the best one, over the period of the belt speeds: there steps of encoders make the
loss rough, be it smooth or not over longer distances [1]."""
AT_ONCE = 8
"""How many offsets are predicted at once: memory."""
CONFIDENCE = 0.95
"""Of what is excluded [1]."""
LEAST = 1.92
"""Rise of the loss that excludes an offset if nothing scatters: chi-square, one number [1]."""


def find_offset(misfit: Misfit, values: Array, known: Sequence[str] = ()) -> Array:
    """Return the values with an offset of clocks near the best, from a row of them.

    Args:
        misfit: What to minimise.
        values: Where to begin.
        known: Names of parameters that are not looked for.
    """
    names = [p.name for p in misfit.parameters]
    if "time_offset" not in names:
        return values
    place = names.index("time_offset")
    others = [k for k, name in enumerate(names) if k != place and name not in known]
    if not misfit.family.is_simulated:
        values = solve_robustly(misfit, values, others, most_steps=6).values
    row = np.linspace(-LARGEST_OFFSET, LARGEST_OFFSET, round(2 * LARGEST_OFFSET / STEP) + 1)
    sets = np.repeat(values[None], row.size, axis=0)
    sets[:, place] = row
    found = misfit.residuals(sets)
    per = first_scale(misfit, found[len(sets) // 2])[misfit.channel]
    # Where nothing tells, all offsets are alike: zero wins.
    best = int(np.argmin(loss(found / per) + 1e-9 * np.abs(sets[:, place])))
    return sets[best]


def allowed_offsets(solution: Solution, free: list[int], place: int) -> tuple[float, float]:
    """Return the least and the largest offset that the log does not exclude [s].

    An offset is excluded if the windows together fit worse there than at the best one, by more
    than they differ among each other (by their median: few windows with a turn may decide), and
    than the loss is rough.

    Args:
        solution: With the best offset.
        free: Places of the parameters that its Jacobian is of.
        place: That of the offset.
    """
    misfit, best = solution.misfit, float(solution.values[place])
    period = max(float(np.median(np.diff(record.time))) for record in misfit.records)
    near = np.clip(best + period * NEAR, -LARGEST_OFFSET, LARGEST_OFFSET)
    # Whole periods from the best one: between samples of belts, other offsets look better.
    step = period * np.ceil(STEP / period)
    far = best + step * np.arange(-2.0 * LARGEST_OFFSET // step, 2.0 * LARGEST_OFFSET // step + 1)
    offsets = np.concatenate((near, [0.0], far[np.abs(far) <= LARGEST_OFFSET]))
    losses = np.array(_profile(solution, free, place, offsets))
    rise = losses - losses[NEAR.size // 2]
    count = rise.shape[1]
    middle = np.median(rise, axis=1, keepdims=True)
    scatter = TO_SIGMA * np.median(np.abs(rise - middle), axis=1) * np.sqrt(count)
    scatter = np.hypot(scatter, _roughness(losses[: NEAR.size].sum(axis=1)))
    needed = student.ppf(0.5 + 0.5 * CONFIDENCE, count - 1) * scatter
    allowed = offsets[rise.sum(axis=1) <= np.maximum(needed, LEAST)]
    return float(allowed.min()), float(allowed.max())


def _roughness(losses: Array) -> float:
    """Return by how much two of a row of losses differ for no reason: by second differences [1]."""
    bends = np.diff(losses, 2)
    return float(TO_SIGMA * np.median(np.abs(bends - np.median(bends))) / np.sqrt(3.0))


def _profile(solution: Solution, free: list[int], place: int, offsets: Array) -> list[Array]:
    """Return the loss of each window at each offset, the other parameters where they fit best."""
    misfit, weights = solution.misfit, soft_weights(solution.residuals)
    per = solution.scale[misfit.channel]
    others = solution.jacobian[:, [k for k, p in enumerate(free) if p != place]]
    root = np.sqrt(weights)
    basis = np.linalg.qr(root[:, None] * others)[0] if others.size else others
    found = []
    for begin in range(0, offsets.size, AT_ONCE):
        part = offsets[begin : begin + AT_ONCE]
        sets = np.repeat(solution.values[None], part.size, axis=0)
        sets[:, place] = part
        left = misfit.residuals(sets, weights) / per
        left = left - ((left * root) @ basis) @ basis.T / root
        found += [
            np.bincount(misfit.window, each_loss(row), minlength=misfit.count) for row in left
        ]
    return found
