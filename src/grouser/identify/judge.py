"""Errors of predictions on blocks that a fit has not seen.

Each fold of blocks is predicted with the values that the other folds give. Predictions start at the
first observations of a piece, or at random times of a long one, and end where the piece ends, after
fixed horizons, and at random times in between: at one horizon alone, which may be the period of a
drive, all families can look alike.

Families are compared by the error of the centre of a track: position and heading in one number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from grouser.geometry import Array, arc_displacement, rotate, wrap_angle
from grouser.identify.pieces import Blocks
from grouser.identify.record import Record
from grouser.identify.residuals import ResidualModel, interpolate_rows
from grouser.laws.smooth_slip import speed_and_contrast

HORIZONS = (1.0, 2.0, 5.0, 10.0)
"""Times after which prediction errors are taken, as far as pieces are long enough [s]."""
STEADY_HORIZONS = (1.0, 5.0, 10.0)
"""The same for steady states, each held for so long [s]."""
STEADY_JUDGED = 5.0
"""Horizon at which families are compared on steady states [s]."""
START_INTERVAL = 1.0
"""Mean time between the starts of predictions in a long piece [s]."""
AVERAGING_TIME = 0.1
"""Time at the start and at the end of a prediction over which poses are averaged [s]."""
MOST_AVERAGED = 5
"""Largest number of poses in such an average."""
MIN_HORIZON = 0.3
"""Shortest prediction [s]."""
MIN_SHARE = 0.6
"""Length of a piece over the judged horizon below which its end is not judged [1]."""
SEED = 7
"""Seed of random starts and ends."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cases:
    """Predictions to make: where they start and end, the same for all families."""

    start: NDArray[np.intp]
    """Observations averaged at the start (case, sample); -1 for none [1]."""
    end: NDArray[np.intp]
    """Observations averaged at the end (case, sample); -1 for none [1]."""
    block: NDArray[np.intp]
    """Block of each case [1]."""
    horizon: Array
    """Horizon of each case, as listed; 0 for a random one [s]."""
    length: Array
    """Time from start to end [s]."""
    travel: Array
    """Distance that the faster belt runs meanwhile [m]."""
    contrast: Array
    """Part of that distance that only turns the robot: 0 straight, 1 on the spot [1]."""
    judged: float
    """The longest horizon that the pieces hold [s]."""

    @property
    def is_judged(self) -> NDArray[np.bool_]:
        """Which cases compare families: those of the longest horizon, and random ones."""
        return (self.horizon == self.judged) | (self.horizon == 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoldOut:
    """Errors of predictions of blocks that were held out."""

    position: dict[float, float]
    """Mean position error, by horizon [m]."""
    heading: dict[float, float]
    """Mean size of the heading error, by horizon [rad]."""
    medians: dict[str, float] = field(default_factory=dict)
    """Median `position` [m] and `heading` [rad] error at the longest horizon."""
    per_metre: float
    """Position error at the longest horizon over distance; NaN without positions [1]."""
    starts: int
    """Number of predictions at the longest horizon."""
    errors: Array
    """Errors for the comparison of families [m, rad or N]."""
    blocks: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    """Block of each of `errors` [1]."""
    horizon: float
    """The longest horizon that the pieces hold, for `errors` [s]."""
    quantity: str
    """Quantity of `errors`: `position`, `heading` or `force`."""
    cases: Cases | None = None
    """The predictions."""
    position_errors: Array = field(default_factory=lambda: np.zeros(0))
    """Position error of each case; NaN without positions [m]."""
    heading_errors: Array = field(default_factory=lambda: np.zeros(0))
    """Heading error of each case, with its sign [rad]."""
    observed: Array = field(default_factory=lambda: np.zeros((3, 0)))
    """Observed x, y [m] and yaw [rad] at each observation; NaN for what was not observed."""
    predicted: Array = field(default_factory=lambda: np.zeros((3, 0)))
    """The same, predicted with values of the other folds, in a frame of its own in each piece [m,
    rad]."""

    @property
    def score(self) -> float:
        """Mean of `errors`; NaN if there are none [m, rad or N]."""
        finite = self.errors[np.isfinite(self.errors)]
        return float(np.mean(finite)) if finite.size else float("nan")

    @property
    def unit(self) -> str:
        """Unit of `errors`."""
        return {"position": "m", "heading": "rad", "force": "N"}[self.quantity]


NO_HOLD_OUT = HoldOut(
    position={}, heading={}, per_metre=float("nan"), starts=0, errors=np.zeros(0), horizon=0.0,
    quantity="position",
)  # fmt: skip
"""For fits without held-out data."""


def choose_cases(record: Record, blocks: Blocks) -> Cases | None:
    """Return the predictions to make in a record; None if it is too short for any."""
    values, times = record.observation.values, record.observation.time
    needed = values[:2] if record.observation.kind == "position" else values
    if record.observation.kind == "twist":
        needed = values[[0, 2]]
    known = np.isfinite(needed).all(axis=0) & (blocks.cell >= 0)
    rows = np.flatnonzero(known)
    edges = np.flatnonzero(np.diff(blocks.cell[rows], prepend=-2, append=-2))
    cells = [rows[a:b] for a, b in pairwise(edges) if b - a > 1]
    lengths = np.array([times[cell[-1]] - times[cell[0]] for cell in cells])
    if not np.any(lengths >= MIN_HORIZON):
        return None
    usual = float(np.median(lengths[lengths >= MIN_HORIZON]))
    judged = HORIZONS[-1] if usual > HORIZONS[-1] else float(f"{usual:.3g}")
    generator = np.random.default_rng(SEED)
    found = []
    for cell, length in zip(cells, lengths, strict=True):
        for horizon, begin, end in _cuts(float(length), judged, generator):
            found.append((cell, horizon, times[cell[0]] + begin, times[cell[0]] + end))
    if not found:
        return None
    start, end = (
        np.stack([_near(cell, times, at[k], sign) for cell, _, *at in found])
        for k, sign in ((0, 1.0), (1, -1.0))
    )
    begins, ends = (np.array([case[k] for case in found]) for k in (2, 3))
    half = 0.5 * np.abs(record.right - record.left)
    speeds = np.maximum(np.abs(record.left), np.abs(record.right)), half
    travel, turning = (
        np.interp(ends, record.time, way) - np.interp(begins, record.time, way)
        for way in (np.cumsum(speed * record.steps) for speed in speeds)
    )
    return Cases(
        start=start, end=end, block=blocks.number[start[:, 0]],
        horizon=np.array([case[1] for case in found]), length=ends - begins,
        travel=travel, contrast=turning / np.maximum(travel, 1e-9), judged=judged,
    )  # fmt: skip


def _cuts(
    length: float, judged: float, generator: np.random.Generator
) -> list[tuple[float, float, float]]:
    """Return horizon (0 if random), start and end [s] of predictions in a stretch of a length."""
    found = []
    for horizon in (*(h for h in HORIZONS if h < 0.95 * judged), judged):
        last = length - horizon
        if horizon == judged and MIN_SHARE * judged <= length < 1.2 * judged:
            starts, ends = np.zeros(1), np.full(1, length)  # the whole piece
        elif last >= 0.0:
            starts = np.arange(0.0, last + 1e-9, START_INTERVAL)
            starts[1:] += generator.uniform(-0.5, 0.5, starts.size - 1) * START_INTERVAL
            starts = np.clip(starts, 0.0, last)
            ends = starts + horizon
        else:
            continue
        found += [(horizon, a, b) for a, b in zip(starts, ends, strict=True)]
        if horizon == judged:
            shares = generator.uniform(0.25, 1.0, starts.size)
            cut = starts + np.maximum(shares * (ends - starts), MIN_HORIZON)
            found += [(0.0, a, b) for a, b in zip(starts, np.minimum(cut, ends), strict=True)]
    return found


def _near(cell: NDArray[np.intp], times: Array, at: float, sign: float) -> NDArray[np.intp]:
    """Return the observations of a cell from a time on, or before it, padded with -1."""
    ahead = sign * (times[cell] - at)
    near = cell[(ahead >= -1e-9) & (ahead <= AVERAGING_TIME)]
    near = near[:: int(sign)][:MOST_AVERAGED]
    if not near.size:
        near = cell[[np.argmin(np.abs(times[cell] - at))]]
    return np.pad(near, (0, MOST_AVERAGED - near.size), constant_values=-1)


def judge(model: ResidualModel, folds: Sequence[Array], blocks: Blocks, record: Record) -> HoldOut:
    """Return prediction errors, with the values that each fold's training gave."""
    if record.steady:
        return _judge_steady(model, folds, blocks)
    cases = choose_cases(record, blocks)
    if cases is None:
        return NO_HOLD_OUT
    path, seen = _paths(model, folds, blocks)
    position, heading = _case_errors(cases, path, seen, record.observation.kind)
    found = _summarise(cases, position, heading, 0.5 * model.known_robot.gauge)
    return replace(found, observed=path, predicted=seen)


def _summarise(cases: Cases, position: Array, heading: Array, lever: float) -> HoldOut:
    has_place = bool(np.isfinite(position).any())
    has_heading = bool(np.isfinite(heading).any())
    both = np.abs(heading)
    if has_place:
        both = np.hypot(position, lever * heading) if has_heading else position
    horizons = sorted(set(cases.horizon.tolist()) - {0.0})
    places = {h: _mean(position[cases.horizon == h]) for h in horizons}
    end = cases.horizon == cases.judged
    travel = max(_mean(cases.travel[end]), 1e-9)
    return HoldOut(
        position=places if has_place else {},
        heading={h: _mean(np.abs(heading[cases.horizon == h])) for h in horizons}
        if has_heading
        else {},
        medians={
            name: float(_row_median(np.abs(errors[end])[None])[0])
            for name, errors in (("position", position), ("heading", heading))
            if np.isfinite(errors[end]).any()
        },
        per_metre=places[cases.judged] / travel if has_place else float("nan"),
        starts=int(end.sum()),
        errors=both[cases.is_judged],
        blocks=cases.block[cases.is_judged],
        horizon=cases.judged,
        quantity="position" if has_place else "heading",
        cases=cases,
        position_errors=position,
        heading_errors=heading,
    )


def _mean(errors: Array) -> float:
    finite = errors[np.isfinite(errors)]
    return float(np.mean(finite)) if finite.size else float("nan")


def _judge_steady(model: ResidualModel, folds: Sequence[Array], blocks: Blocks) -> HoldOut:
    """Return errors of steady states, each held over the horizons."""
    record = model.record
    seen = np.full((3, record.time.size), np.nan)
    for fold, values in enumerate(folds):
        held, predicted = blocks.held_out(fold), model.predict(values[None])
        for row, name in enumerate(("vx", "vy", "yaw_rate")):
            seen[row, held] = getattr(predicted, name)[0, held]
    vx, vy, yaw_rate = record.observation.values
    vy = np.where(np.isfinite(vy), vy, seen[1])  # where it was not measured
    position, heading, horizons, travel = [], [], [], []
    for horizon in STEADY_HORIZONS:
        ours = arc_displacement(vx, vy, yaw_rate, 0.0, horizon)
        theirs = arc_displacement(seen[0], seen[1], seen[2], 0.0, horizon)
        position.append(np.hypot(ours[0] - theirs[0], ours[1] - theirs[1]))
        heading.append(horizon * (yaw_rate - seen[2]))
        horizons.append(np.full(vx.size, horizon))
        travel.append(horizon * np.maximum(np.abs(record.left), np.abs(record.right)))
    rows = np.full((3 * vx.size, 1), -1)
    cases = Cases(
        start=rows, end=rows, block=np.tile(blocks.number, 3), horizon=np.concatenate(horizons),
        length=np.concatenate(horizons), travel=np.concatenate(travel),
        contrast=np.tile(np.abs(speed_and_contrast(record.left, record.right)[1]), 3),
        judged=STEADY_JUDGED,
    )  # fmt: skip
    lever = 0.5 * model.known_robot.gauge
    return _summarise(cases, np.concatenate(position), np.concatenate(heading), lever)


def _case_errors(cases: Cases, path: Array, seen: Array, kind: str) -> tuple[Array, Array]:
    """Return position error, and heading error with its sign, of each case."""
    gap = np.asarray(wrap_angle(path[2] - seen[2]))
    if kind == "position":
        turn, later = _turn_by_places(cases, path, seen), np.full(len(cases.block), np.nan)
    else:
        turn = _median_angle(gap, cases.start)
        later = _median_angle(gap, cases.end)
    shift = []
    for rows in (cases.start, cases.end):
        x, y = rotate(seen[0][rows], seen[1][rows], turn[:, None])
        parts = (path[0][rows] - x, path[1][rows] - y)
        shift.append([_row_median(np.where(rows >= 0, part, np.nan)) for part in parts])
    away = np.subtract(shift[1], shift[0])
    return np.hypot(*away), np.asarray(wrap_angle(later - turn))


def _median_angle(angles: Array, rows: NDArray[np.intp]) -> Array:
    """Return the median of angles over the rows of each case [rad]."""
    chosen = np.where(rows >= 0, angles[rows], np.nan)
    about = chosen[:, 0]
    return about + _row_median(np.asarray(wrap_angle(chosen - about[:, None])))


def _row_median(table: Array) -> Array:
    """Return the median of the known numbers of each row; NaN if there are none."""
    ordered, count = np.sort(table, axis=1), np.isfinite(table).sum(axis=1)
    rows = np.arange(len(table))
    low, high = (
        ordered[rows, np.maximum(count - 1, 0) // 2],
        ordered[rows, np.minimum(count // 2, table.shape[1] - 1)],
    )
    return 0.5 * (low + high)


TURNED_SHARE = 0.6
"""Share of a case on whose path its heading is aligned, where only places were observed [1]."""


def _turn_by_places(cases: Cases, path: Array, seen: Array) -> Array:
    """Return the angle that rotates the beginning of each predicted path onto the observed one."""
    known = np.isfinite(path[0]) & np.isfinite(seen[0])
    ours = np.where(known, path[0] + 1j * path[1], 0.0)
    theirs = np.where(known, seen[0] + 1j * seen[1], 0.0)
    sums = [np.cumsum(np.append(0.0, part)) for part in
            (np.conj(theirs) * ours, np.conj(theirs), ours, known.astype(float))]  # fmt: skip
    first, last = cases.start[:, 0], cases.end[:, 0]
    middle = first + np.maximum((TURNED_SHARE * (last - first)).astype(np.intp), 1)
    both, conjugate, other, count = (part[middle + 1] - part[first] for part in sums)
    return np.angle(both - conjugate * other / np.maximum(count, 1.0))


def _paths(model: ResidualModel, folds: Sequence[Array], blocks: Blocks) -> tuple[Array, Array]:
    """Return observed and predicted path (x, y, yaw) at the times of observation."""
    record = model.record
    times = record.observation.time
    seen, bias = np.full((3, times.size), np.nan), 0.0
    for fold, values in enumerate(folds):
        given = dict(zip(model.places, values, strict=True))
        predicted = model.predict(values[None])
        table = np.stack([predicted.x, predicted.y, predicted.yaw])
        held = blocks.held_out(fold)
        wanted = times[held] - given.get("time_offset", 0.0)
        seen[:, held] = interpolate_rows(table, record.time, wanted)[:, 0]
        bias += given.get("gyro_bias", 0.0) / len(folds)
    return _observed(record, bias), seen


def _observed(record: Record, bias: float) -> Array:
    """Return observed x, y and yaw; velocities are integrated, NaN for what was not observed."""
    values, times = record.observation.values, record.observation.time
    nothing = np.full(times.size, np.nan)
    if record.observation.kind == "pose":
        return values
    if record.observation.kind == "position":
        return np.stack([values[0], values[1], nothing])
    if record.observation.kind == "gyro":
        return np.stack([nothing, nothing, _integrate(values[0] - bias, times)])
    yaw = _integrate(values[2], times)
    vx, vy = rotate(values[0], values[1], yaw)
    return np.stack([_integrate(np.asarray(vx), times), _integrate(np.asarray(vy), times), yaw])


def _integrate(rates: NDArray[Any], times: Array) -> Array:
    """Return the integral of the known rates, without single outliers; NaN elsewhere."""
    known = np.isfinite(rates)
    total = np.full(rates.size, np.nan)
    if known.any():
        steps = np.diff(times[known], prepend=times[known][0])
        total[known] = np.cumsum(median_filter(rates[known], 5) * steps)
    return total
