"""Fit of one family to records.

Confidence intervals cover noise only. A dead encoder, a wrong sign, or a track of another drive is
detected by parameters at their bounds, many outliers, or much unexplained motion.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Array, wrap_angle
from grouser.identify.clock_offset import allowed_offsets
from grouser.identify.family import Family, KnownRobot
from grouser.identify.fit import Estimate, Fit, Residuals, Status
from grouser.identify.folds import choose_ridge, fit_folds
from grouser.identify.judge import NO_HOLD_OUT, judge
from grouser.identify.prediction_limits import find_limits
from grouser.identify.prepare import Prepared, prepare
from grouser.identify.record import UNITS, Record
from grouser.identify.residuals import ResidualModel
from grouser.identify.solve import Solution, global_search, irls_weights, solve_robustly
from grouser.identify.uncertainty import (
    FIXED_DEVIATION,
    Uncertainty,
    advise,
    cluster_windows,
    deviations_by_slow_belts,
    find_uncertainty,
    information,
    safe_inverse,
)
from grouser.identify.windows import MIN_WINDOWS

OUTLIER_THRESHOLD = 4.0
"""Residual over its scale beyond which it is an outlier [1]."""
MAX_OUTLIER_SHARE = 0.2
"""Share of outliers above which a fit is doubtful [1]."""
MAX_UNEXPLAINED_SHARE = 0.3
"""Unexplained share of the motion, rms, above which a fit is doubtful [1]."""
BOUND_TOLERANCE = 1e-3
"""Distance from a bound, over the span, below which a parameter is at its bound [1]."""
ADVICE = "check the columns, signs and clocks of the log, or take another family"
MIN_SHARED_UNCERTAINTY = 0.2
"""Share in an unidentifiable direction above which a parameter is named [1]."""
MIN_INFORMATION = 4.0
"""Information, over the spans, of a standard deviation of half a span [1]."""


def outlier_share(solution: Solution) -> float:
    """Return the share of outliers among the residuals [1]."""
    measured = solution.residuals[solution.model.measured]
    return float(np.mean(np.abs(measured) > OUTLIER_THRESHOLD)) if measured.size else 0.0


def reasons_for_doubt(solution: Solution, free: list[int]) -> tuple[str, ...]:
    """Return reasons not to use a fit, in sentences; empty if there are none."""
    if not free:
        return ()
    found = []
    for place in free:
        parameter, value = solution.model.parameters[place], float(solution.values[place])
        if min(value - parameter.low, parameter.high - value) <= BOUND_TOLERANCE * parameter.span:
            unit = "" if parameter.unit == "1" else f" {parameter.unit}"
            found.append(
                f"{parameter.name} reached {value:.4g}{unit}, the end of its range: {ADVICE}."
            )
    for share, most, what in (
        (outlier_share(solution), MAX_OUTLIER_SHARE, "of the measurements are outliers"),
        (unexplained_share(solution), MAX_UNEXPLAINED_SHARE, "of the motion is unexplained"),
    ):
        if share > most:
            allowed = f"(at most {100.0 * most:.0f} % are allowed)"
            found.append(f"{100.0 * share:.0f} % {what} {allowed}: {ADVICE}.")
    return tuple(found)


def unexplained_share(solution: Solution) -> float:
    """Return rms residual over rms motion; angles count times half the gauge [1]."""
    model = solution.model
    shape, channels = model.shape, model.record.observation.channels
    raw = (solution.residuals * solution.scale[model.channel]).reshape(shape)
    weights = np.where(model.measured, irls_weights(solution.residuals), 0.0).reshape(shape)
    lever = np.array([[0.5 * model.known_robot.gauge if "yaw" in c else 1.0] for c in channels])
    total = max(float(weights.sum()) / len(channels), 1e-12)
    left = float(np.sum(weights * (lever * raw) ** 2)) / total
    motion = float(np.sum(weights * (lever * _motions(model)) ** 2)) / total
    known = max(motion, _belt_motion(model))
    return float(np.sqrt(left / known)) if known > 0.0 else 0.0


def _motions(model: ResidualModel) -> Array:
    """Return the observed channels; positions and headings less their mean in each window."""
    if model.record.observation.kind in ("twist", "gyro"):
        return np.nan_to_num(model.observed)
    windows, about = model.windows, np.zeros(model.shape)
    for row, name in enumerate(model.record.observation.channels):
        seen, known = model.observed[row], np.isfinite(model.observed[row])
        first = np.nan_to_num(seen)[windows.starts][windows.number]
        away = np.where(known, wrap_angle(seen - first) if name == "yaw" else seen - first, 0.0)
        count = np.maximum(np.add.reduceat(known.astype(float), windows.starts), 1.0)
        mean = np.add.reduceat(away, windows.starts) / count
        about[row] = np.where(known, away - mean[windows.number], 0.0)
    return about


def _belt_motion(model: ResidualModel) -> float:
    """Return the mean square of the belt speeds, or of belt travel about its mean in a window."""
    record, windows = model.record, model.windows
    speed = float(np.mean(np.square((record.left, record.right))))
    if record.observation.kind in ("twist", "gyro") or not windows.rows.size:
        return speed
    times = record.observation.time[windows.rows]
    ends = np.append(windows.starts[1:], times.size) - 1
    return speed * float(np.mean(np.square(times[ends] - times[windows.starts]))) / 12.0


def fit_family(
    family: Family,
    records: Sequence[Record],
    known_robot: KnownRobot,
    tell: Callable[[str], None] = lambda words: None,
    seed: int = 0,
    known: Collection[str] = (),
    *,
    holds_out: bool = True,
) -> Fit:
    """Return the family's parameters with intervals, and its prediction errors.

    `known` names parameters that keep their start value (`time_offset` may be among them);
    `holds_out` measures prediction errors on held-out blocks. InvalidValue if the records are too
    short or the family needs a robot, InvalidLog if a number is out of range.
    """
    prepared = prepare(records, known_robot, known)
    return fit_prepared(family, prepared, tell, seed, holds_out=holds_out)


def fit_prepared(
    family: Family,
    prepared: Prepared,
    tell: Callable[[str], None] = lambda words: None,
    seed: int = 0,
    *,
    holds_out: bool = True,
) -> Fit:
    """Return the same for a record that was prepared for several families."""
    model, known = prepared.model(family), prepared.known
    if len(model.windows) < MIN_WINDOWS:
        found = f"{len(model.windows)} windows with observations"
        raise InvalidValue(
            prepared.record.name, found, f"have at least {MIN_WINDOWS}: drive longer"
        )
    values = prepared.start_values(model)
    if family.is_simulated:
        model = model.with_start_poses(values)
        values = global_search(model, values, tell, seed)
    tell("least squares")
    if any(parameter.is_shrunk for parameter in model.parameters):
        model, values = choose_ridge(model, values, prepared.blocks, known)
    solution, free, fixed = _solve(model, values, prepared)
    cluster = cluster_windows(solution, prepared.blocks)
    fit = _describe(
        solution, free, fixed, _uncertainty(solution, free, fixed, cluster), int(cluster.max()) + 1
    )
    given = {p.name: p.start for p in model.parameters if p.name in known}
    details = getattr(family, "details", None)
    more = {} if details is None else details(prepared.linear, prepared.record)
    if model.ridge:
        more = {**more, "ridge": model.ridge}
    fit = replace(fit, fixed={**given, **fit.fixed}, details={**fit.details, **more})
    if not holds_out or prepared.blocks.count < 2:
        return fit
    tell("held-out blocks")
    folds = fit_folds(solution, free, prepared.blocks)
    hold_out = judge(solution.model, folds, prepared.blocks, prepared.record)
    limits = find_limits(hold_out, prepared.blocks.fold)
    return replace(fit, hold_out=hold_out, limits=limits)


def _solve(
    model: ResidualModel, values: Array, prepared: Prepared
) -> tuple[Solution, list[int], dict[str, tuple[str, ...]]]:
    """Return the solution, free parameters and unidentifiable ones, which are fixed one by one."""
    parameters = model.parameters
    free = [k for k, p in enumerate(parameters) if p.name not in prepared.known]
    fixed: dict[str, tuple[str, ...]] = {}
    solution = solve_robustly(model, values, free)
    clock = model.places.get("time_offset")
    if clock in free:
        cluster = cluster_windows(solution, prepared.blocks)
        low, high = allowed_offsets(solution, free, clock, cluster)
        if not high - low < parameters[clock].span:  # less than half of the range is excluded
            fixed["time_offset"] = ()
            solution = _without(solution, free, clock)
    while free:
        parts, slope = information(solution, solution.model.window)
        total = parts.sum(axis=0) + np.diag(solution.penalty)
        inverse = safe_inverse(total)
        spread = inverse @ (slope.T @ slope) @ inverse
        deviation = np.sqrt(np.maximum(np.diag(spread), np.diag(inverse)))
        deviation = np.maximum(deviation, deviations_by_slow_belts(solution, free))
        deviation[[parameters[k].is_shrunk for k in free]] = 0.0  # their penalty bounds them
        worst = int(np.argmax(deviation))
        if 2.0 * deviation[worst] < 1.0:
            break
        others = [parameters[free[row]].name for row in _inseparable(total, worst)]
        fixed[parameters[free[worst]].name] = tuple(others)
        solution = _without(solution, free, free[worst])
    return solution, free, fixed


def _without(solution: Solution, free: list[int], place: int) -> Solution:
    """Return the solution with one parameter fixed at its start value."""
    free.remove(place)
    values = solution.values.copy()
    values[place] = solution.model.parameters[place].start
    return solve_robustly(solution.model, values, free)


def _uncertainty(
    solution: Solution,
    free: list[int],
    fixed: dict[str, tuple[str, ...]],
    cluster: NDArray[np.intp],
) -> Uncertainty:
    """Return the uncertainty of the free parameters, over their spans."""
    if not free:
        return Uncertainty(half_width=np.zeros(0), covariance=np.zeros((0, 0)))
    model = solution.model
    moved = _moved(solution, [model.places[name] for name in fixed]) if fixed else None
    known = find_uncertainty(solution, cluster, moved)
    if (clock := model.places.get("time_offset")) in free:
        found, span = float(solution.values[clock]), model.parameters[clock].span
        ends = np.abs(np.subtract(allowed_offsets(solution, free, clock, cluster), found)) / span
        row = free.index(clock)
        known.half_width[row] = max(known.half_width[row], *ends)
    return known


def _inseparable(information: Array, worst: int) -> list[int]:
    """Return the parameters that can change together with the worst at nearly the same loss."""
    values, vectors = np.linalg.eigh(information)
    flat = vectors[:, values < MIN_INFORMATION]
    share = np.abs(flat @ flat[worst])
    least = MIN_SHARED_UNCERTAINTY * share[worst]
    return [k for k in range(share.size) if k != worst and share[k] > least]


def _moved(solution: Solution, places: list[int]) -> Array:
    """Return the change of residuals if some fixed parameters are lower or higher."""
    model, found = solution.model, []
    for sign in (-FIXED_DEVIATION, FIXED_DEVIATION):
        sets = np.repeat(solution.values[None], len(places), axis=0)
        for row, place in enumerate(places):
            p = model.parameters[place]
            sets[row, place] = np.clip(sets[row, place] + sign * p.span, p.low, p.high)
        found.append(model.residuals(sets, irls_weights(solution.residuals)))
    return np.stack(found) / solution.scale[model.channel] - solution.residuals


def _describe(
    solution: Solution,
    free: list[int],
    fixed: dict[str, tuple[str, ...]],
    known: Uncertainty,
    clusters: int,
) -> Fit:
    model, estimates = solution.model, {}
    by_name = {p.name: p for p in model.parameters}
    for place, half in zip(free, known.half_width.tolist(), strict=True):
        p, value = model.parameters[place], float(solution.values[place])
        low, high = max(value - half * p.span, p.low), min(value + half * p.span, p.high)
        estimates[p.name] = Estimate(name=p.name, value=value, low=low, high=high, unit=p.unit)
    doubts = reasons_for_doubt(solution, free)
    if doubts:
        status = Status.DOUBTFUL
    elif not solution.converged:
        status = Status.NOT_CONVERGED
    else:
        status = Status.PARTIAL if fixed else Status.COMPLETE
    return Fit(
        family=model.family.name,
        model=model.family.model,
        status=status,
        parameters=estimates,
        fixed={name: by_name[name].start for name in fixed},
        correlation=known.correlation,
        residuals=_residuals(solution),
        hold_out=NO_HOLD_OUT,
        unidentifiable=fixed,
        doubts=doubts,
        advice=advise(
            by_name,
            fixed,
            list(estimates),
            known.correlation,
            clusters,
            gyro_alone=model.record.observation.kind == "gyro",
        ),
        samples=int(model.measured.sum()),
        windows=len(model.windows),
        clusters=clusters,
        outliers=outlier_share(solution),
        unexplained=unexplained_share(solution),
    )


def _residuals(solution: Solution) -> tuple[Residuals, ...]:
    model, seen = solution.model, solution.model.record.observation
    raw = (solution.residuals * solution.scale[model.channel]).reshape(model.shape)
    scales = solution.scale[model.channel].reshape(model.shape)
    measured, time = model.measured.reshape(model.shape), seen.time[model.windows.rows]
    return tuple(
        Residuals(
            channel=name, unit=UNITS[name], time=time[known], values=left[known],
            scale=float(scale[0]) if scale.size else 1.0,
        )
        for name, left, known, scale in zip(seen.channels, raw, measured, scales, strict=True)
    )  # fmt: skip
