"""What manoeuvres contribute to an identification, and the choice of those that give the most.

Windows of a record are independent, so information adds up over manoeuvres, and their order does
not matter. Each manoeuvre is simulated with noise, for several robots that may be the true one. At
the true parameters, the Jacobian of its residuals gives the information H, and the gradients of its
windows their covariance S. The covariance of the parameters of a drive is that of a fit,

    C = (sum H + P)^-1 (sum S + P) (sum H + P)^-1

with P for parameters that are known to half their span before the drive. If few windows determine a
parameter, its interval is wider by Student's quantile and by their leverage. Chosen are the
manoeuvres with the least mean of log C_kk over the parameters of a family, its robots and the
families: with the least geometric mean of the widths of intervals. It does not depend on units or
spans.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.geometry import Array
from grouser.identify.family import Family, KnownRobot
from grouser.identify.pieces import MAX_CLOCK_OFFSET, extend_record, piece_of_observations
from grouser.identify.record import Observation, Record
from grouser.identify.recovery import CAMERA_PERIOD, NOISE, SensorFaults
from grouser.identify.residuals import ResidualModel
from grouser.identify.solve import Solution, solve_robustly
from grouser.identify.uncertainty import FIXED_DEVIATION, information
from grouser.identify.windows import HELD_BELTS, cut_windows

FAULTS = SensorFaults()
"""Assumed faults of the sensors."""
REPEATS = 4
"""Number of simulations of each robot with other noise."""
PRIOR_INFORMATION = 1.0 / FIXED_DEVIATION**2
"""Information before the drive, over the spans [1]."""
LEAST_GAIN = 1e-6
"""Decrease of the criterion below which an exchange is not made [1]."""
MOST_PASSES = 4
"""Number of passes of exchanges, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorNoise:
    """Assumed noise of poses and belt speeds; outliers are those of the recovery test."""

    position: float = NOISE["x"]
    """Standard deviation of x and y [m] [A]."""
    heading: float = NOISE["yaw"]
    """Standard deviation of the heading [rad] [A]."""
    belt: float = 0.0
    """Standard deviation of a belt speed [m/s]."""
    pose_period: float = CAMERA_PERIOD
    """Time between two poses [s] [A]."""


def observe(
    family: Family,
    values: Array,
    known_robot: KnownRobot,
    belts: Record,
    noise: SensorNoise,
    generator: Generator,
    time_offset: float = 0.0,
) -> Record:
    """Return the record of a drive with these belt speeds by a robot with these parameters.

    Poses are taken while belts run, by a clock that is ahead by `time_offset` [s].
    """
    path = family.predict(values[None], belts, known_robot)
    ends = zip(belts.time[belts.first], belts.time[belts.last], strict=True)
    half = 0.5 * noise.pose_period
    times = np.concatenate([np.arange(a + half, b, noise.pose_period) for a, b in ends])
    rows = [np.interp(times, belts.time, row[0]) for row in (path.x, path.y, path.yaw)]
    seen = np.stack(rows)
    wrong = generator.random(times.size) < FAULTS.outliers
    size = np.where(wrong, np.hypot(1.0, FAULTS.outlier_size), 1.0)
    deviation = np.array([[noise.position], [noise.position], [noise.heading]])
    seen += deviation * size * generator.normal(size=seen.shape)
    left, right = (
        side + generator.normal(0.0, noise.belt, side.size) for side in (belts.left, belts.right)
    )
    observation = Observation(kind="pose", time=times + time_offset, values=seen)
    return replace(belts, left=left, right=right, observation=observation)


def solve_at(
    family: Family,
    values: Array,
    known_robot: KnownRobot,
    record: Record,
    window: float,
    most_steps: int | None = 0,
) -> Solution:
    """Return residuals and Jacobian of a record at parameters, or where steps from there lead."""
    windows = cut_windows(record, window)
    longer = extend_record(record, HELD_BELTS + MAX_CLOCK_OFFSET)
    model = ResidualModel(family, longer, windows, known_robot)
    whole = np.append(values, 0.0)  # The clock offset comes last.
    return solve_robustly(model, whole, list(range(whole.size)), most_steps)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contribution:
    """What each manoeuvre contributes to the fit of one family."""

    hessian: Array
    """Information H (robot, manoeuvre, p, p), over the spans [1]."""
    spread: Array
    """Covariance S of the gradient (robot, manoeuvre, p, p), over the spans [1]."""
    own: int
    """Number of the family's own parameters; the clock offset comes behind them."""
    windows: Array
    """Number of windows of each manoeuvre [1]."""

    def log_variances(self, design: Sequence[int], more: NDArray[np.intp] | None = None) -> Array:
        """Return the mean of log C_kk of a drive, with each one of `more` manoeuvres added."""
        kinds, counts = np.unique(np.array(design, dtype=np.intp), return_counts=True)
        rows, weights = kinds[None], counts[:, None].astype(float)
        if more is not None:
            rows = np.concatenate([np.repeat(rows, more.size, axis=0), more[:, None]], axis=1)
            weights = np.append(weights, [[1.0]], axis=0)
        prior = PRIOR_INFORMATION * np.eye(self.own + 1)
        total_information = np.sum(weights[..., None] * self.hessian[:, rows], axis=2)
        inverse = np.linalg.inv(total_information + prior)
        # Variance by each kind of manoeuvre: (robot, drive, kind, parameter).
        moved = inverse[:, :, None]
        parts = _diagonal(moved @ self.spread[:, rows] @ moved)[..., : self.own]
        before = _diagonal(PRIOR_INFORMATION * inverse @ inverse)[..., : self.own]
        total = np.sum(weights * parts, axis=2)
        squares = np.sum(weights * parts**2 / self.windows[rows][None, :, :, None], axis=2)
        count = np.divide(total**2, squares, out=np.ones_like(total), where=squares > 0.0)
        # No interval is narrower than for independent noise.
        variance = np.maximum(total + before, _diagonal(inverse)[..., : self.own])
        variance = np.maximum(variance, 1e-300) * _inflation(count) ** 2
        return np.log(variance).mean(axis=(0, 2))


def _inflation(count: Array) -> Array:
    """Return the width of an interval by so many windows over that by very many [1].

    That is Student's quantile, by the first terms of its expansion, and the leverage of a window.
    """
    freedom = np.maximum(count - 1.0, 1.0)
    return (1.0 + 1.21 / freedom + 1.1 / freedom**2) * (freedom + 1.0) / freedom


def _diagonal(matrices: Array) -> Array:
    return np.diagonal(matrices, axis1=-2, axis2=-1)


def measure_manoeuvres(
    family: Family,
    robots: Array,
    known_robot: KnownRobot,
    belts: Record,
    noise: SensorNoise,
    window: float,
    generator: Generator,
) -> Contribution:
    """Return what manoeuvres and their opposites contribute, a piece of `belts` each.

    Args:
        family: The family.
        robots: Parameters of robots that may be the true one, a row each [unit of each].
        known_robot: What is known of the robot.
        belts: Belt speeds of the manoeuvres.
        noise: Assumed noise.
        window: Window length of identification [s].
        generator: Source of the noise.
    """
    count, p = belts.first.size, robots.shape[1] + 1
    hessian, spread = (np.zeros((len(robots), count, p, p)) for _ in range(2))
    windows, opposite = np.ones(count), replace(belts, left=-belts.right, right=-belts.left)
    for number, values in enumerate(robots):
        for repeat in range(REPEATS):
            driven = belts if repeat % 2 == 0 else opposite
            record = observe(family, values, known_robot, driven, noise, generator)
            solution = solve_at(family, values, known_robot, record, window)
            cut = solution.model.windows
            piece = piece_of_observations(record)[cut.rows[cut.starts]]
            windows = np.bincount(piece, minlength=count).astype(float)
            parts, slope = information(solution, solution.model.window)
            np.add.at(hessian[number], piece, parts / REPEATS)
            np.add.at(spread[number], piece, slope[:, :, None] * slope[:, None, :] / REPEATS)
    return Contribution(hessian=hessian, spread=spread, own=robots.shape[1], windows=windows)


def choose_manoeuvres(
    contributions: Sequence[Contribution], durations: Array, total: float
) -> list[int]:
    """Return the indices of the manoeuvres of the best drive within a total time [s].

    A drive is filled with what gains most per second; then one or two of its manoeuvres at a time
    are exchanged for others, until no exchange improves it.
    """
    design = _fill(contributions, durations, total, [])
    best = _criterion(contributions, design)
    for _ in range(MOST_PASSES):
        before = best
        kinds = sorted(set(design))
        for removed in (*combinations(kinds, 1), *combinations_with_replacement(kinds, 2)):
            kept = _without(design, removed)
            if kept is None:
                continue
            tried = _fill(contributions, durations, total, kept)
            value = _criterion(contributions, tried)
            if value < best - LEAST_GAIN:
                design, best = tried, value
        if best > before - LEAST_GAIN:
            break
    return design


def _without(design: Sequence[int], removed: Sequence[int]) -> list[int] | None:
    """Return a drive without some manoeuvres; None if it does not have them."""
    kept = list(design)
    for one in removed:
        if one not in kept:
            return None
        kept.remove(one)
    return kept


def _criterion(contributions: Sequence[Contribution], design: Sequence[int]) -> float:
    return float(np.mean([one.log_variances(design)[0] for one in contributions]))


def _fill(
    contributions: Sequence[Contribution], durations: Array, total: float, design: list[int]
) -> list[int]:
    """Return a drive with manoeuvres added as long as there is time for one."""
    design = list(design)
    while True:
        left = total - float(durations[design].sum())
        able = np.flatnonzero(durations <= left + 1e-9)
        if not able.size:
            return design
        now = _criterion(contributions, design)
        then = np.mean([one.log_variances(design, able) for one in contributions], axis=0)
        gain = (now - then) / durations[able]
        design.append(int(able[np.argmax(gain)]))
