"""How well parameters are known, by a wild bootstrap over windows.

Windows are independent, what is in them need not be: noise of cameras, belts that slip a little
differently every second, even a model that is a bit wrong. So windows are what is drawn: each
keeps its residuals or turns their sign, one Newton step follows, and how far that moves the
parameters, in units of its own standard error, tells how wide an interval must be (bootstrap-t).
Windows with much influence count as if they had been left out (a jackknife, CR3). Few windows may
agree by chance, so no interval is narrower than noise alone, independent in each sample, makes it:
noise as its scale says, also where residuals are exactly zero.

A parameter that the log cannot tell is kept at what is plausible, which may be wrong by half its
span or so: what that does to the others is added to their intervals.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from grouser.identify.soft_loss import curvature, score
from grouser.identify.solve_robustly import Solution

Array = NDArray[np.float64]
DRAWS = 999
"""How often windows are drawn."""
BLIND, UNKNOWN = 1e-10, 1e6
"""Share of the largest information that is none, and the variance that stands for it [1]."""
SEED = 20
"""Of the drawing: the same log gives the same intervals."""
PLAUSIBLE = 0.5
"""Standard deviation of a parameter that was kept, over its span [1]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uncertainty:
    """Of the free parameters, over their spans."""

    half_width: Array
    """Of the 95 % intervals [1]."""
    covariance: Array
    """Of the parameters, with those that were kept as they are [1]."""

    @property
    def correlation(self) -> Array:
        """Of the parameters [1]."""
        deviation = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return self.covariance / np.outer(deviation, deviation)


def information(solution: Solution, window: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return what each window knows: curvature (window, p, p) and slope (window, p) of the loss.

    Args:
        solution: Where.
        window: The window of each residual.
    """
    J, count = solution.jacobian, int(window.max()) + 1
    p, curved = J.shape[1], curvature(solution.residuals)
    parts, slope = np.zeros((count, p, p)), np.zeros((count, p))
    np.add.at(slope, window, J * score(solution.residuals)[:, None])
    for k in range(p):
        np.add.at(parts[:, k], window, J * (curved * J[:, k])[:, None])
    return parts, slope


def find_uncertainty(
    solution: Solution,
    window: NDArray[np.intp],
    kept: Array | None = None,
    confidence: float = 0.95,
) -> Uncertainty:
    """Return covariance and intervals.

    Args:
        solution: Where the loss is least.
        window: The window of each residual.
        kept: How residuals over their scale change if a parameter that was kept is as far off as
            is plausible: below, above (2, parameter, residual) [1].
        confidence: Of the intervals [1].
    """
    parts, slope = information(solution, window)
    inverse = safe_inverse(parts.sum(axis=0))
    wide = _without_leverage(parts, slope, inverse)
    covariance = _spread(wide, inverse)
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (DRAWS, len(slope)))
    moved = -(signs @ wide) @ inverse
    again = signs[:, :, None] * wide + np.einsum("wpq,bq->bwp", parts, moved)
    errors = np.sqrt(np.sum(np.square(again @ inverse), axis=1))
    t = np.abs(moved) / np.maximum(errors, 1e-300)
    normal = float(norm.ppf(0.5 + 0.5 * confidence))
    half = np.quantile(t, confidence, axis=0) * deviation
    half = np.maximum(half, normal * _independent(solution, inverse))
    if kept is not None:
        half = np.hypot(half, normal * _carried(solution, inverse, kept))
    return Uncertainty(half_width=half, covariance=covariance)


def _independent(solution: Solution, inverse: Array) -> Array:
    """Return standard errors as if all residuals were independent [1]."""
    slope = (solution.jacobian * score(solution.residuals)[:, None]) @ inverse
    return np.sqrt(np.maximum(np.sum(np.square(slope), axis=0), np.diag(inverse)))


def _carried(solution: Solution, inverse: Array, kept: Array) -> Array:
    """Return the standard error that what was kept, maybe wrongly, makes of the others [1]."""
    curved = np.maximum(curvature(solution.residuals), 0.0)
    moved = (kept * curved) @ solution.jacobian @ inverse
    return np.sqrt(np.sum(np.square(np.abs(moved).max(axis=0)), axis=0))


def safe_inverse(matrix: Array) -> Array:
    """Return the inverse; what a matrix does not know becomes very uncertain, not an error."""
    if not matrix.size:
        return matrix
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    blind = values <= BLIND * max(float(values[-1]), 1e-300)
    return (vectors * np.where(blind, UNKNOWN, 1.0 / np.where(blind, 1.0, values))) @ vectors.T


def _without_leverage(parts: Array, slope: Array, inverse: Array) -> Array:
    """Return the slopes as if each window had had no say in the values."""
    p = slope.shape[1]
    kept = np.eye(p) - parts @ inverse
    return np.stack(
        [np.linalg.lstsq(k, s, rcond=1e-3)[0] for k, s in zip(kept, slope, strict=True)]
    )


def _spread(slope: Array, inverse: Array) -> Array:
    count = len(slope)
    return (count - 1) / count * inverse @ (slope.T @ slope) @ inverse
