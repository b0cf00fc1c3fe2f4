"""From records to the parameters of one family."""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.identify.advise import advise
from grouser.identify.clock_offset import allowed_offsets, find_offset
from grouser.identify.credibility import find_doubts, share_of_outliers
from grouser.identify.estimate import Estimate
from grouser.identify.excitation import excited_deviations
from grouser.identify.family import Family, Parameter, Setting
from grouser.identify.fit import Fit, Residuals, Status
from grouser.identify.hold_out import NOTHING_HELD, choose_training
from grouser.identify.intervals import (
    PLAUSIBLE,
    Uncertainty,
    find_uncertainty,
    information,
    safe_inverse,
)
from grouser.identify.judge_prediction import judge_prediction
from grouser.identify.misfit import Misfit
from grouser.identify.record import UNITS, Record
from grouser.identify.search_widely import search_widely
from grouser.identify.soft_loss import soft_weights
from grouser.identify.solve_robustly import Solution, solve_robustly
from grouser.identify.windows import (
    FEWEST_WINDOWS,
    LARGEST_OFFSET,
    cut_windows,
    window_length,
)

Array = NDArray[np.float64]
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
