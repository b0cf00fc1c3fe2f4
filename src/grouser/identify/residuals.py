"""Residuals of a model family against records, as a function of its parameters.

The pose at the start of a window is unknown, so each predicted window is shifted and rotated to
its best fit before residuals are taken. Residuals of different windows are then independent of
each other, whatever the noise within a window is; confidence intervals rely on that.

On a slope the motion depends on the heading, so simulated families must also start at the right
pose: it is fitted from a first simulation and the first observations.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array, rotate, wrap_angle
from grouser.identify.family import Family, KnownRobot, Parameter, Predicted
from grouser.identify.record import Record, Records
from grouser.identify.windows import MAX_CLOCK_OFFSET, Windows

START_FIT_DURATION = 3.0
"""Time from the first observation over which a start pose is fitted [s]."""
START_TOLERANCE = (0.01, 0.01, 0.01)
"""Change of a start pose below which nothing is simulated again [m, m, rad]."""
CACHED_SIMULATIONS = 32
"""Number of simulated motions in the cache."""
TIME_OFFSET = Parameter(
    name="time_offset", unit="s", start=0.0, span=MAX_CLOCK_OFFSET,
    low=-MAX_CLOCK_OFFSET, high=MAX_CLOCK_OFFSET, manoeuvre="start, stop and change speed often",
)  # fmt: skip
GYRO_BIAS = Parameter(
    name="gyro_bias", unit="rad/s", start=0.0, span=0.2, low=-0.5, high=0.5,
    manoeuvre="stand still for some seconds",
)  # fmt: skip
SCALE_GROUPS = {"pose": (0, 0, 1), "position": (0, 0), "twist": (0, 1, 2), "gyro": (0,)}
"""Index of the noise scale of each channel, by kind of observation: x and y share one."""


def circular_median(angles: Array) -> float:
    """Return the median of angles around a common direction, wrapped or not [rad]."""
    about = np.angle(np.median(np.cos(angles)) + 1j * np.median(np.sin(angles)))
    return float(about + np.median(wrap_angle(angles - about)))


def fit_start_pose(path: Predicted, record: Record, time_offset: float = 0.0) -> Record:
    """Return the record with a start pose fitted to the first observed poses.

    The record itself is returned if it has no poses, or if its start pose is within
    `START_TOLERANCE` of the fitted one. `path` is one simulated motion with about the right start;
    `time_offset` is the clock of the observations less that of the belt speeds [s].
    """
    seen = record.observation
    known = np.isfinite(seen.values).all(axis=0)
    if seen.kind != "pose" or not known.any():
        return record
    known &= seen.time <= seen.time[known][0] + START_FIT_DURATION
    at = seen.time[known] - time_offset
    times = record.time[: path.x.shape[1]]
    x, y, yaw = (np.interp(at, times, row[0]) for row in (path.x, path.y, path.yaw))
    x0, y0, yaw0 = (float(row[0, 0]) for row in (path.x, path.y, path.yaw))
    turn = circular_median(seen.values[2, known] - yaw)
    dx, dy = rotate(x - x0, y - y0, turn)
    shift_x = float(np.median(seen.values[0, known] - x0 - dx))
    shift_y = float(np.median(seen.values[1, known] - y0 - dy))
    start = (x0 + shift_x, y0 + shift_y, yaw0 + turn)
    old = (np.inf,) * 3 if record.start is None else record.start
    same = np.all(np.abs(np.subtract(start, old)) < START_TOLERANCE)
    return record if same else replace(record, start=start)


@dataclass(frozen=True, eq=False)
class ResidualModel:
    """Residuals of a family against records.

    The parameters are the family's own, then `time_offset` (unless the records are steady states)
    and `gyro_bias` (if a gyroscope made the observations).
    """

    family: Family
    records: Records
    """Belt speeds and observations."""
    windows: tuple[Windows, ...]
    """Windows of each record, which select its observations."""
    known_robot: KnownRobot
    _simulated: dict[tuple[int, bytes], Predicted] = field(default_factory=dict, repr=False)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters."""
        found = self.family.parameters(self.known_robot, self.records)
        if not self.records[0].steady:
            found = (*found, TIME_OFFSET)
        return (*found, GYRO_BIAS) if self.records[0].observation.kind == "gyro" else found

    @cached_property
    def places(self) -> dict[str, int]:
        """Index of each parameter, by name."""
        return {parameter.name: place for place, parameter in enumerate(self.parameters)}

    @cached_property
    def model_parameter_count(self) -> int:
        """Number of the family's own parameters, which come first."""
        return sum(parameter not in (TIME_OFFSET, GYRO_BIAS) for parameter in self.parameters)

    @cached_property
    def channel(self) -> NDArray[np.intp]:
        """For each residual, the index of its noise scale."""
        parts = [
            np.full(windows.rows.size, group)
            for record, windows in zip(self.records, self.windows, strict=True)
            for group in SCALE_GROUPS[record.observation.kind]
        ]
        return np.concatenate(parts).astype(np.intp)

    @cached_property
    def window(self) -> NDArray[np.intp]:
        """For each residual, the index of its window, counted over all records."""
        parts, before = [], 0
        for record, windows in zip(self.records, self.windows, strict=True):
            parts += [windows.number + before] * len(record.observation.channels)
            before += len(windows)
        return np.concatenate(parts)

    @property
    def window_count(self) -> int:
        """Number of windows."""
        return sum(map(len, self.windows))

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """For each residual, whether it was measured."""
        pairs = zip(self.records, self.windows, strict=True)
        return np.concatenate(
            [np.isfinite(r.observation.values[:, w.rows]).reshape(-1) for r, w in pairs]
        )

    @cached_property
    def training_records(self) -> Records:
        """The records, without belt speeds that no observation in a window can refer to."""
        found = list(self.records)
        for k, (record, windows) in enumerate(zip(self.records, self.windows, strict=True)):
            if not record.steady and windows.rows.size:
                last = record.observation.time[windows.rows[-1]] + MAX_CLOCK_OFFSET
                found[k] = record.first(int(np.searchsorted(record.time, last)) + 1)
        return tuple(found)

    def with_start_poses(self, values: Array) -> "ResidualModel":
        """Return the model with start poses fitted at these values; itself if none changes."""
        if not self.family.is_simulated:
            return self
        offset = float(values[self.places["time_offset"]]) if "time_offset" in self.places else 0.0
        records = tuple(
            fit_start_pose(self.predict(values[None], short), record, offset)
            for record, short in zip(self.records, self.training_records, strict=True)
        )
        same = all(new is old for new, old in zip(records, self.records, strict=True))
        return self if same else replace(self, records=records, _simulated={})

    def residuals(self, values: Array, weights: Array | None = None) -> Array:
        """Return observed less predicted, a row for each row of values; 0 where not measured.

        `weights` of the residuals apply when windows are aligned; equal if not given [1].
        """
        distinct, back = np.unique(
            values[:, : self.model_parameter_count], axis=0, return_inverse=True
        )
        offset = values[:, self.places["time_offset"]] if "time_offset" in self.places else None
        bias = values[:, self.places["gyro_bias"]] if "gyro_bias" in self.places else np.zeros(1)
        weights = np.ones(self.channel.size) if weights is None else weights
        found, begin = np.empty((len(values), self.channel.size)), 0
        for record, windows in zip(self.training_records, self.windows, strict=True):
            observed = record.observation.values[:, windows.rows]
            end = begin + observed.size
            known = np.where(np.isfinite(observed), weights[begin:end].reshape(observed.shape), 0.0)
            predicted = self.predict(distinct, record)
            channels = [c.removeprefix("gyro_") for c in record.observation.channels]
            seen = np.stack([getattr(predicted, c) for c in channels])[:, back.reshape(-1)]
            if offset is None:
                seen = seen[:, :, windows.rows]
            else:
                times = record.observation.time[windows.rows] - offset[:, None]
                seen = interpolate_rows(seen, record.time, times)
            kind = record.observation.kind
            left = _subtract(kind, np.nan_to_num(observed), seen, windows, known, bias)
            left[:, ~np.isfinite(observed)] = 0.0
            found[:, begin:end] = left.reshape(len(values), -1)
            begin = end
        return found

    def predict(self, values: Array, record: Record) -> Predicted:
        """Return the predicted motion for each row of values; recent simulations are cached."""
        values = values[:, : self.model_parameter_count]
        if not self.family.is_simulated:
            return self.family.predict(values, record, self.known_robot)
        place = (*self.records, *self.training_records).index(record)
        keys = [(place, row.tobytes()) for row in values]
        names = [f.name for f in fields(Predicted)]
        new = [k for k, key in enumerate(keys) if key not in self._simulated]
        if new:
            found = self.family.predict(values[new], record, self.known_robot)
            for row, k in enumerate(new):
                part = {name: getattr(found, name)[[row]] for name in names}
                self._simulated[keys[k]] = Predicted(**part)
        chosen = [self._simulated[key] for key in keys]
        for key in list(self._simulated)[:-CACHED_SIMULATIONS]:
            del self._simulated[key]
        return Predicted(**{n: np.concatenate([getattr(c, n) for c in chosen]) for n in names})


def interpolate_rows(table: Array, time: Array, wanted: Array) -> Array:
    """Return tables (channel, set, sample) at other times (set, sample) [s], ends held."""
    after = np.clip(np.searchsorted(time, wanted), 1, time.size - 1)
    share = np.clip((wanted - time[after - 1]) / (time[after] - time[after - 1]), 0.0, 1.0)
    sets = np.arange(table.shape[1])[:, None]
    before, behind = table[:, sets, after - 1], table[:, sets, after]
    return before + share * (behind - before)


def _subtract(
    kind: str, observed: Array, seen: Array, windows: Windows, weights: Array, bias: Array
) -> Array:
    """Return residuals (set, channel, sample); paths are aligned with the poses of each window."""
    if kind == "twist":
        return np.moveaxis(observed[:, None] - seen, 0, 1)
    if kind == "gyro":
        return np.moveaxis(observed[:, None] - seen - bias[None, :, None], 0, 1)
    at_place = np.minimum(weights[0], weights[1])
    x, y, px, py = observed[0], observed[1], seen[0], seen[1]
    if kind == "pose":
        gap = observed[2] - seen[2]
        turn = np.arctan2(
            _sum(weights[2] * np.sin(gap), windows), _sum(weights[2] * np.cos(gap), windows)
        )
    else:
        cx, cy = (part - _mean(part, at_place, windows) for part in (px, py))
        ox, oy = (part - _mean(part[None], at_place, windows) for part in (x, y))
        along = _sum(at_place * (cx * ox + cy * oy), windows)
        turn = np.arctan2(_sum(at_place * (cx * oy - cy * ox), windows), along)
    turn = turn[:, windows.number]
    rx, ry = rotate(px, py, turn)
    left = [part - _mean(part, at_place, windows) for part in (x - rx, y - ry)]
    if kind == "pose":
        left.append(np.asarray(wrap_angle(observed[2] - seen[2] - turn)))
    return np.stack(left, axis=1)


def _sum(values: Array, windows: Windows) -> Array:
    return np.add.reduceat(values, windows.starts, axis=1)


def _mean(values: Array, weights: Array, windows: Windows) -> Array:
    total = np.maximum(np.add.reduceat(weights, windows.starts), 1e-12)
    return (_sum(values * weights, windows) / total)[:, windows.number]
