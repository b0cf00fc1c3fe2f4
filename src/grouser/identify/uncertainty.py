"""Confidence intervals, excitation of a log, and unidentifiable parameters.

Windows are independent, what is in them need not be: noise of cameras, belts that slip a little
differently every second, even a model that is a bit wrong. So windows are what is drawn: each
keeps its residuals or turns their sign, one Newton step follows, and how far that moves the
parameters, in units of its own standard error, tells how wide an interval must be (bootstrap-t).
Windows with much influence count as if they had been left out (a jackknife, CR3). Few windows may
agree by chance, so no interval is narrower than noise alone, independent in each sample, makes it:
noise as its scale says, also where residuals are exactly zero.

A parameter that the log cannot tell is kept at what is plausible, which may be wrong by half its
span or so: what that does to the others is added to their intervals.

Steps of encoders and noise of belt speeds vary as fast as they can: beside them a robot that drives
on at one speed looks as if it changed its speed all the time. What parameters that explain such
changes are worth is worse than nothing, so directions count only in which slow belts tell more
than the ripple about them does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from grouser.identify.families.kinematic import average_sides
from grouser.identify.family import Parameter
from grouser.identify.record import Record
from grouser.identify.residuals import Misfit
from grouser.identify.solve import Solution, curvature, score, solve_robustly

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


def excited_deviations(solution: Solution, free: list[int]) -> Array:
    """Return the standard error of each free parameter, over its span, by slow belts alone [1].

    The offset of clocks, which lives of fast changes, has 0 here; so have parameters of families
    that are simulated, whose bodies are slow by themselves.

    Args:
        solution: Where.
        free: Places of the parameters.
    """
    misfit, found = solution.misfit, np.zeros(len(free))
    rows = [k for k, p in enumerate(free) if misfit.parameters[p].name != "time_offset"]
    if misfit.family.is_simulated or not rows:
        return found
    calm = Misfit(misfit.family, tuple(map(_calm, misfit.records)), misfit.windows, misfit.setting)
    places = [free[row] for row in rows]
    slow = solve_robustly(calm, solution.values, places, most_steps=0)
    slopes = slow.jacobian * (slow.scale / solution.scale)[misfit.channel, None]
    ripple = solution.jacobian[:, rows] - slopes
    curved = np.maximum(curvature(solution.residuals), 0.0)[:, None]
    told = slopes.T @ (curved * slopes) - ripple.T @ (curved * ripple)
    values, vectors = np.linalg.eigh(told)
    inverse = safe_inverse((vectors * np.maximum(values, 0.0)) @ vectors.T)
    found[rows] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return found


def _calm(record: Record) -> Record:
    left, right = average_sides(record)
    return replace(record, left=left, right=right)


TIGHT = 0.95
"""Correlation from which on two parameters are known only together [1]."""


def advise(
    parameters: Mapping[str, Parameter],
    kept: Mapping[str, tuple[str, ...]],
    names: Sequence[str],
    correlation: NDArray[np.float64],
    windows: int,
    *,
    gyro_alone: bool = False,
) -> tuple[str, ...]:
    """Return the sentences.

    Args:
        parameters: All parameters, by name.
        kept: Those that the log does not tell, each with the others it cannot be told from.
        names: Those that were found, in the order of `correlation`.
        correlation: Between those [1].
        windows: How many independent pieces of data there were.
        gyro_alone: Whether a gyroscope is all that observed.
    """
    found = [
        _unknown(parameters[name], others, gyro_alone=gyro_alone) for name, others in kept.items()
    ]
    if gyro_alone and kept:
        found.append(
            "A gyroscope alone does not see how fast the robot drives: add poses or velocities."
        )
    for row in range(len(names)):
        for column in range(row):
            if abs(correlation[row, column]) > TIGHT:
                one, other = parameters[names[column]], parameters[names[row]]
                found.append(
                    f"The log tells {one.name} and {other.name} only together (correlation "
                    f"{correlation[row, column]:+.2f}); next, {other.manoeuvre or one.manoeuvre}."
                )
    if windows < 10:
        found.append(
            f"Only {windows} independent pieces of data: intervals are rough; drive for longer."
        )
    return tuple(found)


def _unknown(parameter: Parameter, others: tuple[str, ...], *, gyro_alone: bool) -> str:
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    kept = f"it was kept at {parameter.start:.4g}{unit}"
    drive = f"; next, {parameter.manoeuvre}" if parameter.manoeuvre and not gyro_alone else ""
    if not others:
        return f"This log cannot tell {parameter.name}: {kept}{drive}."
    names = " and ".join(others)
    return (
        f"This log cannot tell {parameter.name} apart from {names}: {kept}, and intervals of "
        f"{names} hold what that may be{drive}."
    )
