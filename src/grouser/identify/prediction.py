"""Prediction errors of a fit on held-out data, and the predicted path of a fit."""

from collections import defaultdict
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter, uniform_filter1d

from grouser.geometry import Array, arc_displacement, rotate, wrap_angle
from grouser.identify.families import FAMILIES
from grouser.identify.family import KnownRobot, Predicted
from grouser.identify.fit import Fit
from grouser.identify.record import UNITS, Observation, Record, Records
from grouser.identify.residuals import ResidualModel, circular_median, interpolate_rows
from grouser.identify.windows import PREDICTION_HORIZONS, HoldOut, training_mask, true_ranges
from grouser.log import Column, Log, Provenance

AVERAGING_TIME = 0.25
"""Time to each side of a start or an end over which poses are averaged [s]."""
START_INTERVAL = 1.0
"""Time from one start to the next [s]."""
COMPARED_HORIZON = 5.0
"""Horizon for the comparison of families, or the longest below it that the data covers [s]."""


def prediction_errors(model: ResidualModel, values: Array) -> HoldOut:
    """Return prediction errors on the held-out part of the records."""
    place: dict[float, list[float]] = defaultdict(list)
    heading: dict[float, list[float]] = defaultdict(list)
    ways: dict[float, list[float]] = defaultdict(list)
    for record in model.records:
        errors_of = _steady_errors if record.steady else _drive_errors
        for horizon, shift, turn, way in errors_of(model, record, values):
            place[horizon].append(shift**2)
            heading[horizon].append(turn**2)
            ways[horizon].append(way)
    has_place = any(np.isfinite(errors).any() for errors in place.values())
    compared = place if has_place else heading
    horizon = max((h for h in compared if h <= COMPARED_HORIZON), default=0.0)
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


def _steady_errors(model: ResidualModel, record: Record, values: Array) -> list[tuple[float, ...]]:
    """Return horizon, errors and distance for each held-out steady state, held over the horizon."""
    seen = model.predict(values[None], record)
    held = ~training_mask(record)
    held &= np.isfinite(record.observation.values[[0, 2]]).all(axis=0)
    vx, vy, yaw_rate = record.observation.values[:, held]
    vy = np.where(np.isfinite(vy), vy, seen.vy[0, held])  # where it was not measured
    found = []
    for horizon in PREDICTION_HORIZONS:
        ours = arc_displacement(vx, vy, yaw_rate, 0.0, horizon)
        theirs = arc_displacement(
            seen.vx[0, held], seen.vy[0, held], seen.yaw_rate[0, held], 0.0, horizon
        )
        shift = np.hypot(ours[0] - theirs[0], ours[1] - theirs[1])
        turn = horizon * (yaw_rate - seen.yaw_rate[0, held])
        way = horizon * np.hypot(vx, vy)
        found += [(horizon, *row) for row in zip(shift, turn, way, strict=True)]
    return found


def _drive_errors(model: ResidualModel, record: Record, values: Array) -> list[tuple[float, ...]]:
    """Return horizon, position and heading error, and distance for many starts of a drive."""
    path, way, seen = _paths(model, record, values)
    times = record.observation.time
    found = []
    for first, end in true_ranges(~training_mask(record)):
        known = np.isfinite(path[2, first:end])
        rows = np.arange(first, end)[known]
        if rows.size < 3:
            continue
        last = float(times[rows[-1]]) - AVERAGING_TIME
        first = float(times[rows[0]]) + AVERAGING_TIME
        # Starts only near observations: gaps may be long.
        begins = first + START_INTERVAL * np.unique(
            np.round((times[rows] - first) / START_INTERVAL)
        )
        for begin in begins[(begins >= first) & (begins < last)]:
            for horizon in PREDICTION_HORIZONS:
                if begin + horizon <= last:
                    near = [
                        rows[np.abs(times[rows] - (begin + dt)) <= AVERAGING_TIME]
                        for dt in (0.0, horizon)
                    ]
                    if all(part.size for part in near):
                        driven = float(way[near[1]].mean() - way[near[0]].mean())
                        found.append((horizon, *_pose_error(path, seen, *near), driven))
    return found


def _pose_error(
    path: Array, seen: Array, start: NDArray[np.intp], end: NDArray[np.intp]
) -> tuple[float, float]:
    """Return position and heading error at the end of a prediction aligned at its start."""
    gap = np.asarray(wrap_angle(path[2] - seen[2]))
    turn = circular_median(gap[start])
    rx, ry = rotate(seen[0], seen[1], turn)
    dx, dy = path[0] - rx, path[1] - ry
    shift = [np.median(part[end]) - np.median(part[start]) for part in (dx, dy)]
    return float(np.hypot(*shift)), float(wrap_angle(circular_median(gap[end]) - turn))


def _paths(model: ResidualModel, record: Record, values: Array) -> tuple[Array, Array, Array]:
    """Return observed path, distance driven and predicted path at the times of observation."""
    given = dict(zip(model.places, values, strict=True))
    predicted = model.predict(values[None], record)
    table = np.stack([predicted.x, predicted.y, predicted.yaw])
    speed = np.hypot(predicted.vx[0], predicted.vy[0])
    times = record.observation.time
    wanted = (times - given.get("time_offset", 0.0))[None]
    seen = interpolate_rows(table, record.time, wanted)[:, 0]
    way = np.interp(wanted[0], record.time, np.cumsum(speed * record.steps))
    return _observed(record, seen, given.get("gyro_bias", 0.0)), way, seen


def _observed(record: Record, seen: Array, bias: float) -> Array:
    """Return observed x, y and yaw; velocities are integrated, NaN positions for a gyroscope."""
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
    """Return the angle that rotates the predicted path onto the observed one near each sample."""
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
    """Return the integral of the known rates, without single outliers; NaN elsewhere."""
    known = np.isfinite(rates)
    total = np.full(rates.size, np.nan)
    if known.any():
        steps = np.diff(times[known], prepend=times[known][0])
        total[known] = np.cumsum(median_filter(rates[known], 5) * steps)
    return total


ALIGNED_SHARE = 0.2
"""Share of the observations on which a path is aligned with positions without headings [1]."""
ALIGNED_POSES = 15
"""Number of observed poses on which a path is aligned."""


def replay_fit(fit: Fit, record: Record, known_robot: KnownRobot, records: Records) -> Log:
    """Return time, pose and velocity predicted from the start of a record without correction."""
    family = FAMILIES[fit.family]
    names = [p.name for p in family.parameters(known_robot, records)]
    values = np.array([[fit.values[name] for name in names]])
    seen = family.predict(values, record, known_robot)
    time = record.time + fit.values.get("time_offset", 0.0)
    rows = {f.name: getattr(seen, f.name)[0] for f in fields(Predicted)}
    if record.observation.kind in ("pose", "position"):
        turn, dx, dy = _align(record.observation, time, rows["x"], rows["y"], rows["yaw"])
        x, y = rotate(rows["x"], rows["y"], turn)
        rows |= {"x": np.asarray(x + dx), "y": np.asarray(y + dy), "yaw": rows["yaw"] + turn}
    columns = {name: Column(row, UNITS[name]) for name, row in rows.items()}
    origin = Provenance(model=fit.model or fit.family)
    return Log({"time": Column(time, "s"), **columns}, origin)


def _align(
    seen: Observation, time: Array, x: Array, y: Array, yaw: Array
) -> tuple[float, float, float]:
    """Return rotation [rad] and shift [m] that align the start of a path with poses."""
    known = np.arange(seen.time.size)[:ALIGNED_POSES]
    if seen.kind == "position":
        count = max(ALIGNED_POSES, int(ALIGNED_SHARE * seen.time.size))
        known = np.flatnonzero(np.isfinite(seen.values).all(axis=0))[:count]
    ox, oy = seen.values[:2, known]
    px, py, pyaw = (np.interp(seen.time[known], time, row) for row in (x, y, yaw))
    if seen.kind == "pose":
        gap = seen.values[2, known] - pyaw
        turn = float(np.nanmedian(np.arctan2(np.sin(gap), np.cos(gap))))
    else:
        to, of = (ox - ox.mean()) + 1j * (oy - oy.mean()), (px - px.mean()) + 1j * (py - py.mean())
        turn = float(np.angle(np.vdot(of, to)))
    rx, ry = rotate(px, py, turn)
    return turn, float(np.nanmedian(ox - rx)), float(np.nanmedian(oy - ry))
