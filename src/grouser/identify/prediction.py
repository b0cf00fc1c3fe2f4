"""Prediction errors of a fit on held-out data."""

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter, uniform_filter1d

from grouser.geometry import arc_displacement, rotate, wrap_angle
from grouser.identify.families import FAMILIES
from grouser.identify.family import Setting
from grouser.identify.fit import Fit
from grouser.identify.record import Observation, Record
from grouser.identify.residuals import Misfit, interpolate_rows, middle_angle
from grouser.identify.windows import HORIZONS, HoldOut, choose_training, stretches
from grouser.log import Column, Log, Provenance

Array = NDArray[np.float64]
NEAR = 0.25
"""Time around a start or an end over which the place is averaged, to each side [s]."""
APART = 1.0
"""Time from one start to the next [s]."""
COMPARED = 5.0
"""Horizon by which families are compared, or the longest below that the data holds [s]."""


def judge_prediction(misfit: Misfit, values: Array) -> HoldOut:
    """Return errors on the part of the records that was held out.

    Args:
        misfit: Family and records.
        values: Of all parameters.
    """
    place: dict[float, list[float]] = defaultdict(list)
    heading: dict[float, list[float]] = defaultdict(list)
    ways: dict[float, list[float]] = defaultdict(list)
    for record in misfit.records:
        judge = _judge_rows if record.steady else _judge_drive
        for horizon, shift, turn, way in judge(misfit, record, values):
            place[horizon].append(shift**2)
            heading[horizon].append(turn**2)
            ways[horizon].append(way)
    has_place = any(np.isfinite(errors).any() for errors in place.values())
    compared = place if has_place else heading
    horizon = max((h for h in compared if h <= COMPARED), default=0.0)
    longest = max(place, default=0.0)
    return HoldOut(
        position={h: _root(e) for h, e in place.items()} if has_place else {},
        heading={h: _root(e) for h, e in heading.items()},
        per_metre=_root(place[longest]) / max(float(np.mean(ways[longest])), 1e-9)
        if has_place
        else float("nan"),
        starts=len(compared[horizon]) if horizon else 0,
        errors=tuple(compared[horizon]) if horizon else (),
        horizon=horizon,
        quantity="position" if has_place else "heading",
    )


def _root(squares: list[float]) -> float:
    finite = np.asarray(squares)[np.isfinite(squares)]
    return float(np.sqrt(np.mean(finite))) if finite.size else float("nan")


def _judge_rows(misfit: Misfit, record: Record, values: Array) -> list[tuple[float, ...]]:
    """Steady states: what a constant twist makes of each horizon, observed and predicted."""
    seen = misfit.predict(values[None], record)
    held = ~choose_training(record)
    held &= np.isfinite(record.observation.values[[0, 2]]).all(axis=0)
    vx, vy, yaw_rate = record.observation.values[:, held]
    vy = np.where(np.isfinite(vy), vy, seen.vy[0, held])  # where it was not measured
    found = []
    for horizon in HORIZONS:
        ours = arc_displacement(vx, vy, yaw_rate, 0.0, horizon)
        theirs = arc_displacement(
            seen.vx[0, held], seen.vy[0, held], seen.yaw_rate[0, held], 0.0, horizon
        )
        shift = np.hypot(ours[0] - theirs[0], ours[1] - theirs[1])
        turn = horizon * (yaw_rate - seen.yaw_rate[0, held])
        way = horizon * np.hypot(vx, vy)
        found += [(horizon, *row) for row in zip(shift, turn, way, strict=True)]
    return found


def _judge_drive(misfit: Misfit, record: Record, values: Array) -> list[tuple[float, ...]]:
    """Drives: from many starts, where the path is after each horizon."""
    path, way, seen = _paths(misfit, record, values)
    times = record.observation.time
    found = []
    for first, end in stretches(~choose_training(record)):
        known = np.isfinite(path[2, first:end])
        rows = np.arange(first, end)[known]
        if rows.size < 3:
            continue
        last = float(times[rows[-1]]) - NEAR
        first = float(times[rows[0]]) + NEAR
        # Only where something was seen: gaps may be long.
        begins = first + APART * np.unique(np.round((times[rows] - first) / APART))
        for begin in begins[(begins >= first) & (begins < last)]:
            for horizon in HORIZONS:
                if begin + horizon <= last:
                    near = [_near(times, rows, begin + dt) for dt in (0.0, horizon)]
                    if all(part.size for part in near):
                        driven = float(way[near[1]].mean() - way[near[0]].mean())
                        found.append((horizon, *_miss(path, seen, *near), driven))
    return found


def _near(times: Array, rows: NDArray[np.intp], when: float) -> NDArray[np.intp]:
    return rows[np.abs(times[rows] - when) <= NEAR]


def _miss(
    path: Array, seen: Array, start: NDArray[np.intp], end: NDArray[np.intp]
) -> tuple[float, float]:
    """Return how far the prediction from the start is off at the end, place and heading."""
    gap = np.asarray(wrap_angle(path[2] - seen[2]))
    turn = middle_angle(gap[start])
    rx, ry = rotate(seen[0], seen[1], turn)
    dx, dy = path[0] - rx, path[1] - ry
    shift = [np.median(part[end]) - np.median(part[start]) for part in (dx, dy)]
    return float(np.hypot(*shift)), float(wrap_angle(middle_angle(gap[end]) - turn))


def _paths(misfit: Misfit, record: Record, values: Array) -> tuple[Array, Array, Array]:
    """Return the observed path, the way driven, and the predicted path, at the observations."""
    names = [parameter.name for parameter in misfit.parameters]
    given = dict(zip(names, values, strict=True))
    predicted = misfit.predict(values[None], record)
    table = np.stack([predicted.x, predicted.y, predicted.yaw])
    speed = np.hypot(predicted.vx[0], predicted.vy[0])
    times = record.observation.time
    wanted = (times - given.get("time_offset", 0.0))[None]
    seen = interpolate_rows(table, record.time, wanted)[:, 0]
    way = np.interp(wanted[0], record.time, np.cumsum(speed * record.steps))
    return _observed(record, seen, given.get("gyro_bias", 0.0)), way, seen


def _observed(record: Record, seen: Array, bias: float) -> Array:
    """Return x, y and yaw as observed; velocities are integrated, a gyroscope has no place."""
    values, times = record.observation.values, record.observation.time
    if record.observation.kind == "pose":
        return values
    if record.observation.kind == "position":
        return np.stack([values[0], values[1], seen[2] + _local_turn(values, times, seen)])
    if record.observation.kind == "gyro":
        yaw = _integrate(values[0] - bias, times)
        return np.stack([np.full_like(yaw, np.nan)] * 2 + [yaw])
    yaw = _integrate(values[2], times)
    vx, vy = rotate(values[0], values[1], yaw)
    return np.stack([_integrate(np.asarray(vx), times), _integrate(np.asarray(vy), times), yaw])


def _local_turn(values: Array, times: Array, seen: Array) -> Array:
    """Return the angle that turns the predicted path onto the observed one, around each sample."""
    known = np.isfinite(values).all(axis=0)
    if np.count_nonzero(known) < 2:
        return np.full(times.size, np.nan)
    ours = values[0, known] + 1j * values[1, known]
    theirs = seen[0, known] + 1j * seen[1, known]
    size = max(3, round(2.0 / float(np.median(np.diff(times[known])))))

    def mean(part: NDArray[Any]) -> NDArray[Any]:
        real, imaginary = (uniform_filter1d(of(part), size) for of in (np.real, np.imag))
        return real + 1j * imaginary

    turned = mean(np.conj(theirs) * ours) - np.conj(mean(theirs)) * mean(ours)
    turn = np.full(times.size, np.nan)
    turn[known] = np.angle(turned)
    return turn


def _integrate(rates: Array, times: Array) -> Array:
    """Return the integral of what is known of rates, without lone gross errors; NaN elsewhere."""
    known = np.isfinite(rates)
    total = np.full(rates.size, np.nan)
    if known.any():
        steps = np.diff(times[known], prepend=times[known][0])
        total[known] = np.cumsum(median_filter(rates[known], 5) * steps)
    return total


BEGIN = 0.2
"""Share of the observations over which a path is laid on places without headings [1]."""
FIRST = 15
"""Observations that tell where the path begins."""


def replay_fit(fit: Fit, record: Record, setting: Setting, records: tuple[Record, ...]) -> Log:
    """Return time and pose as predicted from the start of the record on, never corrected.

    Args:
        fit: What predicts.
        record: Whose belts.
        setting: What was known before the fit.
        records: All records of the fit.
    """
    family = FAMILIES[fit.family]
    names = [p.name for p in family.parameters(setting, records)]
    values = np.array([[fit.values[name] for name in names]])
    seen = family.predict(values, record, setting)
    time = record.time + fit.values.get("time_offset", 0.0)
    x, y, yaw = seen.x[0], seen.y[0], seen.yaw[0]
    if record.observation.kind == "pose":
        at = record.observation.time[:FIRST]
        ox, oy, oyaw = record.observation.values[:, :FIRST]
        px, py, pyaw = (np.interp(at, time, row) for row in (x, y, yaw))
        gap = oyaw - pyaw
        turn = float(np.nanmedian(np.arctan2(np.sin(gap), np.cos(gap))))
        rx, ry = rotate(px, py, turn)
        x, y = rotate(x, y, turn)
        x, y = x + np.nanmedian(ox - rx), y + np.nanmedian(oy - ry)
        yaw = yaw + turn
    elif record.observation.kind == "position":
        turn, shift = _lay(record.observation, time, x, y)
        x, y = rotate(x, y, turn)
        x, y, yaw = x + shift[0], y + shift[1], yaw + turn
    columns = {
        "time": Column(time, "s"),
        "x": Column(np.asarray(x), "m"),
        "y": Column(np.asarray(y), "m"),
        "yaw": Column(yaw, "rad"),
        "vx": Column(seen.vx[0], "m/s"),
        "vy": Column(seen.vy[0], "m/s"),
        "yaw_rate": Column(seen.yaw_rate[0], "rad/s"),
    }
    return Log(columns, Provenance(model=fit.model or fit.family))


def _lay(
    seen: Observation, time: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[float, tuple[float, float]]:
    """Return turn [rad] and shift [m] that lay the begin of a path on the places seen."""
    count = max(FIRST, int(BEGIN * seen.time.size))
    known = np.flatnonzero(np.isfinite(seen.values).all(axis=0))[:count]
    ox, oy = seen.values[:, known]
    px, py = (np.interp(seen.time[known], time, row) for row in (x, y))
    to, of = (ox - ox.mean()) + 1j * (oy - oy.mean()), (px - px.mean()) + 1j * (py - py.mean())
    turn = float(np.angle(np.vdot(of, to)))
    rx, ry = rotate(px, py, turn)
    return turn, (float(np.median(ox - rx)), float(np.median(oy - ry)))
