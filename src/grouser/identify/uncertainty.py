"""Confidence intervals, excitation of a log, and unidentifiable parameters.

Residuals within a window need not be independent (camera noise, slip that varies from second to
second, model errors), nor are windows on the same ground. So windows form clusters: the groups that
a log names, else single windows, or several neighbours if their errors are correlated. Intervals
are found by a wild bootstrap over clusters: each keeps or flips the sign of its residuals, one
Newton step follows, and the quantile of the studentised change of the parameters gives the width
(bootstrap-t). The leverage of clusters is removed by a jackknife (CR3). As few clusters may agree
by chance, no interval is narrower than the one for independent noise in each sample, at the
estimated noise scale.

An unidentifiable parameter is fixed at its start value, with an assumed standard deviation of half
its span; the effect of that on the other parameters is added to their intervals.

Encoder quantisation and noise make belt speeds vary quickly even if a robot drives at constant
speed, and would look like excitation. So information counts only where it comes from slow changes
of belt speed more than from the ripple around them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from grouser.geometry import Array
from grouser.identify.families.kinematic import average_sides
from grouser.identify.family import Parameter
from grouser.identify.pieces import Blocks
from grouser.identify.solve import Solution, curvature, score, solve_robustly

DRAWS = 999
"""Number of bootstrap samples."""
DRAW_BATCH = 111
"""Number of bootstrap samples at once, to limit memory."""
MIN_EIGENVALUE, UNKNOWN_VARIANCE = 1e-10, 1e6
"""Eigenvalue of the information, over the largest, that counts as zero, and its variance [1]."""
SEED = 20
"""Seed of the bootstrap, fixed so that the same log gives the same intervals."""
FIXED_DEVIATION = 0.5
"""Standard deviation of a fixed parameter, over its span [1]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uncertainty:
    """Uncertainty of the free parameters, over their spans."""

    half_width: Array
    """Half widths of the 95 % intervals [1]."""
    covariance: Array
    """Covariance of the free parameters, given the fixed ones [1]."""

    @property
    def correlation(self) -> Array:
        """Correlation of the free parameters [1]."""
        deviation = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return self.covariance / np.outer(deviation, deviation)


def information(solution: Solution, cluster: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return Hessian (cluster, p, p) and gradient (cluster, p) of the loss of each cluster."""
    J, count = solution.jacobian, int(cluster.max()) + 1
    order = np.argsort(cluster, kind="stable")
    first = np.searchsorted(cluster[order], np.arange(count))
    J = J[order]
    curved, slopes = curvature(solution.residuals[order]), score(solution.residuals[order])
    slope = np.add.reduceat(J * slopes[:, None], first, axis=0)
    parts = np.empty((count, J.shape[1], J.shape[1]))
    for k in range(J.shape[1]):
        parts[:, k] = np.add.reduceat(J * (curved * J[:, k])[:, None], first, axis=0)
    return parts, slope


MIN_CLUSTERS = 12
"""Fewest clusters that neighbours are merged into."""
MOST_MERGERS = 3
"""How often neighbours are merged in pairs, at most."""


def cluster_windows(solution: Solution, blocks: Blocks) -> NDArray[np.intp]:
    """Return the cluster of each residual."""
    model = solution.model
    cluster = np.arange(len(model.windows))
    if blocks.is_named:
        of_window = blocks.number[model.windows.rows[model.windows.starts]]
        cluster = np.unique(of_window, return_inverse=True)[1]
    for _ in range(MOST_MERGERS):
        count = int(cluster.max()) + 1 if cluster.size else 0
        if blocks.is_named or count < 2 * MIN_CLUSTERS or model.record.steady:
            break
        _, slope = information(solution, cluster[model.window])
        if not _are_correlated(slope):
            break
        cluster = cluster // 2
    return cluster[model.window]


def _are_correlated(slope: Array) -> bool:
    """Return whether gradients of neighbouring clusters are correlated more than by chance."""
    if not slope.size:
        return False
    about = slope - slope.mean(axis=0)
    size = np.sqrt(np.mean(about**2, axis=0))
    about = about[:, size > 0.0] / size[size > 0.0]
    if not about.size:
        return False
    correlation = np.mean(about[1:] * about[:-1], axis=0)
    return float(np.mean(correlation)) > 2.0 / np.sqrt(len(slope))


def find_uncertainty(
    solution: Solution,
    cluster: NDArray[np.intp],
    kept: Array | None = None,
    confidence: float = 0.95,
) -> Uncertainty:
    """Return covariance and intervals.

    `kept` is the change of the scaled residuals if a fixed parameter is lower or higher by its
    standard deviation (2, parameter, residual) [1].
    """
    parts, slope = information(solution, cluster)
    if solution.penalty.any():
        slope = slope - slope.mean(axis=0)  # The penalty balances the rest of the gradient.
    inverse = safe_inverse(parts.sum(axis=0) + np.diag(solution.penalty))
    wide = _without_leverage(parts, slope, inverse)
    covariance = (len(wide) - 1) / len(wide) * inverse @ (wide.T @ wide) @ inverse
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (DRAWS, len(slope)))
    moved = -(signs @ wide) @ inverse
    batches = [slice(k, k + DRAW_BATCH) for k in range(0, DRAWS, DRAW_BATCH)]
    errors = np.concatenate(
        [_errors_of_draws(signs[k], moved[k], parts, wide, inverse) for k in batches]
    )
    t = np.abs(moved) / np.maximum(errors, 1e-300)
    normal = float(norm.ppf(0.5 + 0.5 * confidence))
    half = np.quantile(t, confidence, axis=0) * deviation
    half = np.maximum(half, normal * _independent(solution, inverse))
    # Shrunk parameters are off by what the penalty pulls.
    half = np.hypot(half, normal * np.abs(inverse @ solution.pull))
    if kept is not None:
        half = np.hypot(half, normal * _carried(solution, inverse, kept))
    return Uncertainty(half_width=half, covariance=covariance)


def _errors_of_draws(
    signs: Array, moved: Array, parts: Array, wide: Array, inverse: Array
) -> Array:
    """Return the standard errors of some bootstrap samples (draw, parameter) [1]."""
    again = np.einsum("wpq,bq->bwp", parts, moved)
    again += signs[:, :, None] * wide
    return np.sqrt(np.sum(np.square(again @ inverse), axis=1))


def _independent(solution: Solution, inverse: Array) -> Array:
    """Return standard errors for independent residuals [1]."""
    slope = (solution.jacobian * score(solution.residuals)[:, None]) @ inverse
    return np.sqrt(np.maximum(np.sum(np.square(slope), axis=0), np.diag(inverse)))


def _carried(solution: Solution, inverse: Array, kept: Array) -> Array:
    """Return the standard error of the free parameters due to the fixed ones [1]."""
    curved = np.maximum(curvature(solution.residuals), 0.0)
    moved = (kept * curved) @ solution.jacobian @ inverse
    return np.sqrt(np.sum(np.square(np.abs(moved).max(axis=0)), axis=0))


def safe_inverse(matrix: Array) -> Array:
    """Return the inverse, with `UNKNOWN_VARIANCE` in directions of zero eigenvalue."""
    if not matrix.size:
        return matrix
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    zero = values <= MIN_EIGENVALUE * max(float(values[-1]), 1e-300)
    variances = np.where(zero, UNKNOWN_VARIANCE, 1.0 / np.where(zero, 1.0, values))
    return (vectors * variances) @ vectors.T


def _without_leverage(parts: Array, slope: Array, inverse: Array) -> Array:
    """Return the gradients with the leverage of their own window removed (CR3)."""
    kept = np.eye(slope.shape[1]) - parts @ inverse
    return np.stack(
        [np.linalg.lstsq(k, s, rcond=1e-3)[0] for k, s in zip(kept, slope, strict=True)]
    )


def deviations_by_slow_belts(solution: Solution, free: list[int]) -> Array:
    """Return the standard error of each free parameter by slow belt motion, over its span [1].

    It is 0 for the clock offset, which fast changes identify, and for simulated families, whose
    bodies do not follow fast changes.
    """
    model, found = solution.model, np.zeros(len(free))
    rows = [k for k, p in enumerate(free) if model.parameters[p].name != "time_offset"]
    if model.family.is_simulated or not rows:
        return found
    left, right = average_sides(model.record)
    calm = replace(model, record=replace(model.record, left=left, right=right), _simulated={})
    places = [free[row] for row in rows]
    slow = solve_robustly(calm, solution.values, places, most_steps=0)
    slopes = slow.jacobian * (slow.scale / solution.scale)[model.channel, None]
    ripple = solution.jacobian[:, rows] - slopes
    curved = np.maximum(curvature(solution.residuals), 0.0)[:, None]
    gained = slopes.T @ (curved * slopes) - ripple.T @ (curved * ripple)
    gained += np.diag(solution.penalty[rows])
    values, vectors = np.linalg.eigh(gained)
    inverse = safe_inverse((vectors * np.maximum(values, 0.0)) @ vectors.T)
    found[rows] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return found


MAX_CORRELATION = 0.95
"""Correlation above which two parameters are reported as identified only together [1]."""
FEW_WINDOWS = 10
"""Number of clusters below which intervals are reported as rough."""


def advise(
    parameters: Mapping[str, Parameter],
    kept: Mapping[str, tuple[str, ...]],
    names: Sequence[str],
    correlation: Array,
    windows: int,
    *,
    gyro_alone: bool = False,
) -> tuple[str, ...]:
    """Return sentences on unidentifiable parameters, and what to drive to identify them."""
    found = [
        _unknown(parameters[name], others, gyro_alone=gyro_alone) for name, others in kept.items()
    ]
    if gyro_alone and kept:
        found.append(
            "A gyroscope alone does not measure the speed of the robot: add poses or velocities."
        )
    for row in range(len(names)):
        for column in range(row):
            one, other = parameters[names[column]], parameters[names[row]]
            if abs(correlation[row, column]) > MAX_CORRELATION and not other.is_shrunk:
                found.append(
                    f"{one.name} and {other.name} are identified only together (correlation "
                    f"{correlation[row, column]:+.2f}); next, {other.manoeuvre or one.manoeuvre}."
                )
    if windows < FEW_WINDOWS:
        found.append(
            f"Only {windows} independent stretches: intervals are rough; drive for longer."
        )
    return tuple(found)


def _unknown(parameter: Parameter, others: tuple[str, ...], *, gyro_alone: bool) -> str:
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    kept = f"it was fixed at {parameter.start:.4g}{unit}"
    drive = f"; next, {parameter.manoeuvre}" if parameter.manoeuvre and not gyro_alone else ""
    if not others:
        return f"{parameter.name} is unidentifiable in this log: {kept}{drive}."
    names = " and ".join(others)
    return (
        f"{parameter.name} cannot be separated from {names} in this log: {kept}, and the intervals "
        f"of {names} include its uncertainty{drive}."
    )
