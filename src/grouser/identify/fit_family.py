"""Fit of one family to records.

Intervals say how far noise may have moved a parameter. They do not say that an encoder is dead, a
sign is turned, or that the track is that of another drive: then parameters run to their limits, or
much of the motion stays unexplained, however sure they look.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import wrap_angle
from grouser.identify.clock_offset import allowed_offsets, find_offset
from grouser.identify.family import Family, Parameter, Setting
from grouser.identify.fit import Estimate, Fit, Residuals, Status
from grouser.identify.prediction import judge_prediction
from grouser.identify.record import UNITS, Record
from grouser.identify.residuals import Misfit, middle_angle
from grouser.identify.solve import Solution, search_widely, soft_weights, solve_robustly
from grouser.identify.uncertainty import (
    PLAUSIBLE,
    Uncertainty,
    advise,
    excited_deviations,
    find_uncertainty,
    information,
    safe_inverse,
)
from grouser.identify.windows import (
    FEWEST_WINDOWS,
    LARGEST_OFFSET,
    NOTHING_HELD,
    Windows,
    choose_training,
    cut_windows,
    window_length,
)

Array = NDArray[np.float64]
OUTLIER = 4.0
"""Residual over its scale from which on it counts as a gross error [1]."""
MOST_OUTLIERS = 0.2
"""Share of gross errors from which on a fit is not believed [1]."""
MOST_UNEXPLAINED = 0.3
"""Share of the motion that a family may leave unexplained, rms [1]."""
AT_LIMIT = 1e-6
"""Distance from a limit, over the span, that is none [1]."""
ADVICE = "check the columns, signs and clocks of the log, or take another family"


def share_of_outliers(solution: Solution) -> float:
    """Return the share of the numbers that are gross errors [1]."""
    measured = solution.residuals[solution.misfit.measured]
    return float(np.mean(np.abs(measured) > OUTLIER)) if measured.size else 0.0


def find_doubts(solution: Solution, free: list[int]) -> tuple[str, ...]:
    """Return in sentences why a fit should not be believed; nothing if it may be.

    Args:
        solution: The fit.
        free: Places of the parameters that were found.
    """
    if not free:
        return ()
    found = []
    for place in free:
        parameter, value = solution.misfit.parameters[place], float(solution.values[place])
        if min(value - parameter.low, parameter.high - value) <= AT_LIMIT * parameter.span:
            found.append(
                f"{parameter.name} ran to {value:.4g} {_unit(parameter.unit)}, the end of its "
                f"range: {ADVICE}."
            )
    if (outliers := share_of_outliers(solution)) > MOST_OUTLIERS:
        found.append(
            f"{100.0 * outliers:.0f} % of the numbers do not fit the others (gross errors; at most "
            f"{100.0 * MOST_OUTLIERS:.0f} % are believed): {ADVICE}."
        )
    if (left := share_unexplained(solution)) > MOST_UNEXPLAINED:
        found.append(
            f"{100.0 * left:.0f} % of the motion stays unexplained (at most "
            f"{100.0 * MOST_UNEXPLAINED:.0f} % are believed): {ADVICE}."
        )
    return tuple(found)


def share_unexplained(solution: Solution) -> float:
    """Return what is left of the motion, over the motion that was observed or that belts made.

    Root mean squares, gross errors left out; angles count by half the gauge, so that one number
    holds for straights and for turns [1].
    """
    misfit = solution.misfit
    raw = solution.residuals * solution.scale[misfit.channel]
    weights = np.where(misfit.measured, soft_weights(solution.residuals), 0.0)
    lever = 0.5 * misfit.setting.gauge
    left = motion = belts = total = 0.0
    begin = 0
    for record, windows in zip(misfit.records, misfit.windows, strict=True):
        rows = windows.rows.size
        for name, seen in zip(record.observation.channels, _motions(record, windows), strict=True):
            scale = lever if "yaw" in name else 1.0
            weight = weights[begin : begin + rows]
            left += float(np.sum(weight * (scale * raw[begin : begin + rows]) ** 2))
            motion += float(np.sum(weight * (scale * seen) ** 2))
            total += float(np.sum(weight)) / len(record.observation.channels)
            begin += rows
        belts += rows * _belt_motion(record, windows)
    count = max(sum(windows.rows.size for windows in misfit.windows), 1)
    known = max(motion / max(total, 1e-12), belts / count)
    return float(np.sqrt(left / max(total, 1e-12) / known)) if known > 0.0 else 0.0


def _motions(record: Record, windows: Windows) -> list[Array]:
    """Return what was observed, for each channel: places and headings about those of a window."""
    seen = record.observation
    if seen.kind in ("twist", "gyro"):
        return [np.nan_to_num(row) for row in seen.values[:, windows.rows]]
    found = []
    for name, row in zip(seen.channels, seen.values[:, windows.rows], strict=True):
        about = np.zeros(row.size)
        for window in range(len(windows)):
            inside = (windows.number == window) & np.isfinite(row)
            if inside.any():
                part = row[inside]
                about[inside] = (
                    wrap_angle(part - middle_angle(part)) if name == "yaw" else part - part.mean()
                )
        found.append(about)
    return found


def _belt_motion(record: Record, windows: Windows) -> float:
    """Return the mean square of what belts alone would have moved: speeds, or ways in a window."""
    speed = float(np.mean(np.square((record.left, record.right))))
    if record.observation.kind in ("twist", "gyro") or not windows.rows.size:
        return speed
    times = record.observation.time[windows.rows]
    ends = np.append(windows.starts[1:], times.size) - 1
    return speed * float(np.mean(np.square(times[ends] - times[windows.starts]))) / 12.0


def _unit(unit: str) -> str:
    return "" if unit == "1" else unit


ENTANGLED = 0.2
"""Share in what is not known from which on another parameter is named [1]."""
BLIND = 4.0
"""Information, over the spans, below which a direction is not known: half a span [1]."""


def fit_family(
    family: Family,
    records: tuple[Record, ...],
    setting: Setting,
    tell: Callable[[str], None] = lambda words: None,
    seed: int = 0,
    known: Collection[str] = (),
    *,
    holds_out: bool = True,
) -> Fit:
    """Return the family's parameters with intervals, and how well they predict.

    Args:
        family: Whose parameters.
        records: What happened; all observed the same way.
        setting: What is known before.
        tell: Is told what is being done.
        seed: Of the search, for families that need one.
        known: Names of parameters that are not looked for, and stay as the setting has them;
            `time_offset` may be among them.
        holds_out: Whether a third is kept from the fit; without, nothing is judged.

    Raises:
        InvalidValue: The records are too short, or the setting lacks what the family needs.
        InvalidLog: A record holds numbers that no drive has.
    """
    name = ", ".join(record.name for record in records)
    for record in records:
        record.check()
    if not max(record.duration for record in records) > 0.0:
        raise InvalidValue(name, f"{records[0].time.size} rows", "have rows at different times")
    length = window_length(records)
    margin = 0.0 if "time_offset" in known else LARGEST_OFFSET
    windows = tuple(
        cut_windows(r, length, choose_training(r) if holds_out else _all(r), margin)
        for r in records
    )
    misfit = Misfit(family, records, windows, setting)
    if misfit.count < FEWEST_WINDOWS:
        found = f"{misfit.count} windows of {length:g} s with observations"
        raise InvalidValue(name, found, f"have at least {FEWEST_WINDOWS}: drive for longer")
    values = np.array([p.start for p in misfit.parameters])
    if family.is_simulated:
        misfit = misfit.placed(values)
        values = search_widely(misfit, values, tell, seed)
    tell("least squares")
    if "time_offset" not in known:
        values = find_offset(misfit, values, tuple(known))
    solution, free, kept = _solve(misfit, values, known)
    fit = _describe(solution, free, kept, _uncertainty(solution, free, kept))
    given = {p.name: p.start for p in misfit.parameters if p.name in known}
    fit = replace(fit, kept={**given, **fit.kept})
    return fit if holds_out else replace(fit, hold_out=NOTHING_HELD)


def _all(record: Record) -> NDArray[np.bool_]:
    return np.ones(record.observation.time.size, dtype=bool)


def _solve(
    misfit: Misfit, values: Array, known: Collection[str] = ()
) -> tuple[Solution, list[int], dict[str, tuple[str, ...]]]:
    """Return the solution after taking out, one by one, what the log does not tell."""
    parameters = misfit.parameters
    free, kept = [k for k, p in enumerate(parameters) if p.name not in known], {}
    solution = solve_robustly(misfit, values, free)
    clock = [place for place in free if parameters[place].name == "time_offset"]
    if clock and not _tells_offset(solution, free, clock[0]):
        kept["time_offset"] = ()
        solution = _without(solution, free, clock[0])
    while free:
        parts, slope = information(solution, misfit.window)
        inverse = safe_inverse(parts.sum(axis=0))
        spread = inverse @ (slope.T @ slope) @ inverse
        deviation = np.sqrt(np.maximum(np.diag(spread), np.diag(inverse)))
        deviation = np.maximum(deviation, excited_deviations(solution, free))
        worst = int(np.argmax(deviation))
        if 2.0 * deviation[worst] < 1.0:
            break
        others = _entangled(parts.sum(axis=0), worst)
        others = [parameters[free[row]].name for row in others]
        kept[parameters[free[worst]].name] = tuple(others)
        solution = _without(solution, free, free[worst])
    return solution, free, kept


def _without(solution: Solution, free: list[int], place: int) -> Solution:
    """Return the solution with one parameter less, which stays where it began."""
    free.remove(place)
    values = solution.values.copy()
    values[place] = solution.misfit.parameters[place].start
    return solve_robustly(solution.misfit, values, free)


def _tells_offset(solution: Solution, free: list[int], place: int) -> bool:
    """Return whether the log excludes half of the offsets that are looked for."""
    low, high = allowed_offsets(solution, free, place)
    return high - low < solution.misfit.parameters[place].span


def _uncertainty(
    solution: Solution, free: list[int], kept: dict[str, tuple[str, ...]]
) -> Uncertainty:
    """Return how well the free parameters are known, over their spans."""
    if not free:
        return Uncertainty(half_width=np.zeros(0), covariance=np.zeros((0, 0)))
    misfit = solution.misfit
    places = {p.name: place for place, p in enumerate(misfit.parameters)}
    moved = _moved(solution, [places[name] for name in kept]) if kept else None
    known = find_uncertainty(solution, misfit.window, moved)
    if (clock := places.get("time_offset")) in free:
        found, span = float(solution.values[clock]), misfit.parameters[clock].span
        ends = np.abs(np.subtract(allowed_offsets(solution, free, clock), found)) / span
        row = free.index(clock)
        known.half_width[row] = max(known.half_width[row], *ends)
    return known


def _entangled(information: Array, worst: int) -> list[int]:
    """Return which other parameters can change together with the worst, unnoticed."""
    values, vectors = np.linalg.eigh(information)
    blind = vectors[:, values < BLIND]
    share = np.abs(blind @ blind[worst])
    return [k for k in range(share.size) if k != worst and share[k] > ENTANGLED * share[worst]]


def _moved(solution: Solution, places: list[int]) -> Array:
    """Return how residuals change if parameters at some places are below or above their values."""
    misfit, found = solution.misfit, []
    for sign in (-PLAUSIBLE, PLAUSIBLE):
        sets = np.repeat(solution.values[None], len(places), axis=0)
        for row, place in enumerate(places):
            p = misfit.parameters[place]
            sets[row, place] = np.clip(sets[row, place] + sign * p.span, p.low, p.high)
        found.append(misfit.residuals(sets, soft_weights(solution.residuals)))
    return np.stack(found) / solution.scale[misfit.channel] - solution.residuals


def _describe(
    solution: Solution, free: list[int], kept: dict[str, tuple[str, ...]], known: Uncertainty
) -> Fit:
    misfit = solution.misfit
    parameters = misfit.parameters
    estimates = {
        parameters[place].name: _estimate(parameters[place], float(solution.values[place]), half)
        for place, half in zip(free, known.half_width.tolist(), strict=True)
    }
    by_name = {p.name: p for p in parameters}
    doubts = find_doubts(solution, free)
    if doubts:
        status = Status.DOUBTFUL
    elif not solution.converged:
        status = Status.UNSETTLED
    else:
        status = Status.PARTIAL if kept else Status.COMPLETE
    measured = misfit.measured
    return Fit(
        family=misfit.family.name,
        model=misfit.family.model,
        status=status,
        parameters=estimates,
        kept={name: by_name[name].start for name in kept},
        correlation=known.correlation,
        residuals=_residuals(solution),
        hold_out=judge_prediction(misfit, solution.values),
        entangled=kept,
        doubts=doubts,
        advice=advise(
            by_name,
            kept,
            list(estimates),
            known.correlation,
            misfit.count,
            gyro_alone=misfit.records[0].observation.kind == "gyro",
        ),
        samples=int(measured.sum()),
        windows=misfit.count,
        outliers=share_of_outliers(solution),
    )


def _estimate(parameter: Parameter, value: float, half: float) -> Estimate:
    """Return value and interval, inside what makes sense; half its width is over the span."""
    return Estimate(
        name=parameter.name,
        value=value,
        low=max(value - half * parameter.span, parameter.low),
        high=min(value + half * parameter.span, parameter.high),
        unit=parameter.unit,
    )


def _residuals(solution: Solution) -> tuple[Residuals, ...]:
    misfit = solution.misfit
    raw = solution.residuals * solution.scale[misfit.channel]
    channels = misfit.records[0].observation.channels
    times: dict[str, list[Array]] = {name: [] for name in channels}
    values: dict[str, list[Array]] = {name: [] for name in channels}
    scales, begin = {}, 0
    for record, windows in zip(misfit.records, misfit.windows, strict=True):
        for name in channels:
            end = begin + windows.rows.size
            measured = misfit.measured[begin:end]
            times[name].append(record.observation.time[windows.rows][measured])
            values[name].append(raw[begin:end][measured])
            scales[name] = float(solution.scale[misfit.channel[begin]]) if end > begin else 1.0
            begin = end
    return tuple(
        Residuals(
            channel=name, unit=UNITS[name], time=np.concatenate(times[name]),
            values=np.concatenate(values[name]), scale=scales.get(name, 1.0),
        )
        for name in channels
    )  # fmt: skip
