"""Fit of one family to records.

Confidence intervals cover noise only. A dead encoder, a wrong sign, or a track of another drive is
detected by parameters at their bounds, many outliers, or much unexplained motion.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from grouser.errors import InvalidValue
from grouser.geometry import Array, wrap_angle
from grouser.identify.clock_offset import allowed_offsets, best_offset
from grouser.identify.family import Family, KnownRobot
from grouser.identify.fit import Estimate, Fit, Residuals, Status
from grouser.identify.prediction import prediction_errors
from grouser.identify.record import UNITS, Record
from grouser.identify.residuals import ResidualModel, circular_median
from grouser.identify.solve import Solution, global_search, irls_weights, solve_robustly
from grouser.identify.uncertainty import (
    FIXED_DEVIATION,
    Uncertainty,
    advise,
    deviations_by_slow_belts,
    find_uncertainty,
    information,
    safe_inverse,
)
from grouser.identify.windows import (
    MAX_CLOCK_OFFSET,
    MIN_WINDOWS,
    NO_HOLD_OUT,
    Windows,
    cut_windows,
    training_mask,
    window_length,
)

OUTLIER_THRESHOLD = 4.0
"""Residual over its scale beyond which it is an outlier [1]."""
MAX_OUTLIER_SHARE = 0.2
"""Share of outliers above which a fit is doubtful [1]."""
MAX_UNEXPLAINED_SHARE = 0.3
"""Unexplained share of the motion, rms, above which a fit is doubtful [1]."""
BOUND_TOLERANCE = 1e-6
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
    raw = solution.residuals * solution.scale[model.channel]
    weights = np.where(model.measured, irls_weights(solution.residuals), 0.0)
    lever = 0.5 * model.known_robot.gauge
    left = motion = belts = total = 0.0
    begin = 0
    for record, windows in zip(model.records, model.windows, strict=True):
        rows = windows.rows.size
        for name, seen in zip(record.observation.channels, _motions(record, windows), strict=True):
            scale = lever if "yaw" in name else 1.0
            weight = weights[begin : begin + rows]
            left += float(np.sum(weight * (scale * raw[begin : begin + rows]) ** 2))
            motion += float(np.sum(weight * (scale * seen) ** 2))
            total += float(np.sum(weight)) / len(record.observation.channels)
            begin += rows
        belts += rows * _belt_motion(record, windows)
    count = max(sum(windows.rows.size for windows in model.windows), 1)
    known = max(motion / max(total, 1e-12), belts / count)
    return float(np.sqrt(left / max(total, 1e-12) / known)) if known > 0.0 else 0.0


def _motions(record: Record, windows: Windows) -> list[Array]:
    """Return the observed channels; positions and headings less their mean in each window."""
    seen = record.observation
    if seen.kind in ("twist", "gyro"):
        return [np.nan_to_num(row) for row in seen.values[:, windows.rows]]
    found = []
    for name, row in zip(seen.channels, seen.values[:, windows.rows], strict=True):
        about = np.zeros(row.size)
        for window in range(len(windows)):
            inside = (windows.number == window) & np.isfinite(row)
            part = row[inside]
            if part.size and name == "yaw":
                about[inside] = wrap_angle(part - circular_median(part))
            elif part.size:
                about[inside] = part - part.mean()
        found.append(about)
    return found


def _belt_motion(record: Record, windows: Windows) -> float:
    """Return the mean square of the belt speeds, or of belt travel about its mean in a window."""
    speed = float(np.mean(np.square((record.left, record.right))))
    if record.observation.kind in ("twist", "gyro") or not windows.rows.size:
        return speed
    times = record.observation.time[windows.rows]
    ends = np.append(windows.starts[1:], times.size) - 1
    return speed * float(np.mean(np.square(times[ends] - times[windows.starts]))) / 12.0


def fit_family(
    family: Family,
    records: tuple[Record, ...],
    known_robot: KnownRobot,
    tell: Callable[[str], None] = lambda words: None,
    seed: int = 0,
    known: Collection[str] = (),
    *,
    holds_out: bool = True,
) -> Fit:
    """Return the family's parameters with intervals, and its prediction errors.

    `known` names parameters that keep their start value (`time_offset` may be among them);
    `holds_out` keeps a third of the data to measure prediction errors. InvalidValue if the records
    are too short or the family needs a robot, InvalidLog if a number is out of range.
    """
    name = ", ".join(record.name for record in records)
    for record in records:
        record.check()
    if not max(record.duration for record in records) > 0.0:
        raise InvalidValue(name, f"{records[0].time.size} rows", "have rows at different times")
    length = window_length(records)
    margin = 0.0 if "time_offset" in known else MAX_CLOCK_OFFSET
    windows = tuple(
        cut_windows(
            r, length, training_mask(r) if holds_out else np.ones_like(r.observation.time, bool),
            margin,
        )
        for r in records
    )  # fmt: skip
    model = ResidualModel(family, records, windows, known_robot)
    if model.window_count < MIN_WINDOWS:
        found = f"{model.window_count} windows of {length:g} s with observations"
        raise InvalidValue(name, found, f"have at least {MIN_WINDOWS}: drive for longer")
    values = np.array([p.start for p in model.parameters])
    if family.is_simulated:
        model = model.with_start_poses(values)
        values = global_search(model, values, tell, seed)
    tell("least squares")
    if "time_offset" not in known:
        values = best_offset(model, values, tuple(known))
    solution, free, fixed = _solve(model, values, known)
    fit = _describe(solution, free, fixed, _uncertainty(solution, free, fixed))
    given = {p.name: p.start for p in model.parameters if p.name in known}
    fit = replace(fit, fixed={**given, **fit.fixed})
    return fit if holds_out else replace(fit, hold_out=NO_HOLD_OUT)


def _solve(
    model: ResidualModel, values: Array, known: Collection[str] = ()
) -> tuple[Solution, list[int], dict[str, tuple[str, ...]]]:
    """Return the solution, free parameters and unidentifiable ones, which are fixed one by one."""
    parameters = model.parameters
    free, fixed = [k for k, p in enumerate(parameters) if p.name not in known], {}
    solution = solve_robustly(model, values, free)
    clock = model.places.get("time_offset")
    if clock in free:
        low, high = allowed_offsets(solution, free, clock)
        if not high - low < parameters[clock].span:  # less than half of the range is excluded
            fixed["time_offset"] = ()
            solution = _without(solution, free, clock)
    while free:
        parts, slope = information(solution, model.window)
        inverse = safe_inverse(parts.sum(axis=0))
        spread = inverse @ (slope.T @ slope) @ inverse
        deviation = np.sqrt(np.maximum(np.diag(spread), np.diag(inverse)))
        deviation = np.maximum(deviation, deviations_by_slow_belts(solution, free))
        worst = int(np.argmax(deviation))
        if 2.0 * deviation[worst] < 1.0:
            break
        others = _inseparable(parts.sum(axis=0), worst)
        others = [parameters[free[row]].name for row in others]
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
    solution: Solution, free: list[int], fixed: dict[str, tuple[str, ...]]
) -> Uncertainty:
    """Return the uncertainty of the free parameters, over their spans."""
    if not free:
        return Uncertainty(half_width=np.zeros(0), covariance=np.zeros((0, 0)))
    model = solution.model
    moved = _moved(solution, [model.places[name] for name in fixed]) if fixed else None
    known = find_uncertainty(solution, model.window, moved)
    if (clock := model.places.get("time_offset")) in free:
        found, span = float(solution.values[clock]), model.parameters[clock].span
        ends = np.abs(np.subtract(allowed_offsets(solution, free, clock), found)) / span
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
    solution: Solution, free: list[int], fixed: dict[str, tuple[str, ...]], known: Uncertainty
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
        hold_out=prediction_errors(model, solution.values),
        unidentifiable=fixed,
        doubts=doubts,
        advice=advise(
            by_name,
            fixed,
            list(estimates),
            known.correlation,
            model.window_count,
            gyro_alone=model.records[0].observation.kind == "gyro",
        ),
        samples=int(model.measured.sum()),
        windows=model.window_count,
        outliers=outlier_share(solution),
    )


def _residuals(solution: Solution) -> tuple[Residuals, ...]:
    model = solution.model
    raw = solution.residuals * solution.scale[model.channel]
    channels = model.records[0].observation.channels
    times, values = ({name: [] for name in channels} for _ in range(2))
    scales, begin = {}, 0
    for record, windows in zip(model.records, model.windows, strict=True):
        for name in channels:
            end = begin + windows.rows.size
            measured = model.measured[begin:end]
            times[name].append(record.observation.time[windows.rows][measured])
            values[name].append(raw[begin:end][measured])
            scales[name] = float(solution.scale[model.channel[begin]]) if end > begin else 1.0
            begin = end
    return tuple(
        Residuals(
            channel=name, unit=UNITS[name], time=np.concatenate(times[name]),
            values=np.concatenate(values[name]), scale=scales.get(name, 1.0),
        )
        for name in channels
    )  # fmt: skip
