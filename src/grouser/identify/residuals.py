"""Residuals of a model family against records, as a function of its parameters.

The pose at the start of a window is unknown, so each predicted window is shifted and rotated to
its best fit before residuals are taken. Residuals of different windows are then independent of
each other, whatever the noise within a window is; confidence intervals rely on that.

On a slope the motion depends on the heading, so simulated families must also start at the right
pose: it is fitted from a first simulation and the first observations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array, rotate, wrap_angle
from grouser.identify.family import Family, KnownRobot, Parameter, Predicted
from grouser.identify.pieces import (
    MAX_CLOCK_OFFSET,
    USUAL_CLOCK_OFFSET,
    piece_of_observations,
)
from grouser.identify.record import Record
from grouser.identify.windows import Windows

START_FIT_DURATION = 3.0
"""Time from the first observation over which a start pose is fitted [s]."""
START_TOLERANCE = (0.01, 0.01, 0.01)
"""Change of a start pose below which nothing is simulated again [m, m, rad]."""
CACHED_SIMULATIONS = 32
"""Number of simulated motions in the cache."""
TIME_OFFSET = Parameter(
    name="time_offset", unit="s", start=0.0, span=USUAL_CLOCK_OFFSET,
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


def fit_start_poses(path: Predicted, record: Record, time_offset: float = 0.0) -> Record:
    """Return the record with the start pose of each piece fitted to its first observed poses.

    The record itself is returned if it has no poses, or if all its start poses are within
    `START_TOLERANCE` of the fitted ones. `path` is one simulated motion with about the right
    starts; `time_offset` is the clock of the observations less that of the belt speeds [s].
    """
    seen = record.observation
    known = np.isfinite(seen.values).all(axis=0)
    if seen.kind != "pose" or not known.any():
        return record
    times, values = seen.time[known], seen.values[:, known]
    pieces = piece_of_observations(record)[known]
    table = np.stack([path.x, path.y, path.yaw])
    at = interpolate_rows(table, record.time, times - time_offset)[:, 0]
    old = record.starts
    starts = np.stack([row[0, record.first] for row in (path.x, path.y, path.yaw)], axis=1)
    for piece in np.unique(pieces[pieces >= 0]):
        rows = np.flatnonzero(pieces == piece)
        rows = rows[times[rows] <= times[rows[0]] + START_FIT_DURATION]
        x0, y0, yaw0 = starts[piece]
        turn = circular_median(values[2, rows] - at[2, rows])
        dx, dy = rotate(at[0, rows] - x0, at[1, rows] - y0, turn)
        shift = [np.median(values[0, rows] - x0 - dx), np.median(values[1, rows] - y0 - dy)]
        starts[piece] += (*shift, turn)
    same = old is not None and bool(np.all(np.abs(starts - old) < START_TOLERANCE))
    return record if same else replace(record, starts=starts)


@dataclass(frozen=True, eq=False)
class ResidualModel:
    """Residuals of a family against a record.

    The parameters are the family's own, then `time_offset` (unless the record is of steady states)
    and `gyro_bias` (if a gyroscope made the observations).
    """

    family: Family
    record: Record
    """Belt speeds, held long enough for every clock offset, and observations."""
    windows: Windows
    """Windows that select observations."""
    known_robot: KnownRobot
    ridge: float = 0.0
    """Weight of the penalty on parameters that are shrunk towards their start [1]."""
    _simulated: dict[bytes, Predicted] = field(default_factory=dict, repr=False)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters."""
        found = self.family.parameters(self.known_robot, (self.record,))
        if not self.record.steady:
            found = (*found, TIME_OFFSET)
        return (*found, GYRO_BIAS) if self.record.observation.kind == "gyro" else found

    @cached_property
    def places(self) -> dict[str, int]:
        """Index of each parameter, by name."""
        return {parameter.name: place for place, parameter in enumerate(self.parameters)}

    @cached_property
    def model_parameter_count(self) -> int:
        """Number of the family's own parameters, which come first."""
        return sum(parameter not in (TIME_OFFSET, GYRO_BIAS) for parameter in self.parameters)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Number of channels, and of observations in windows."""
        return len(self.record.observation.channels), self.windows.rows.size

    @cached_property
    def channel(self) -> NDArray[np.intp]:
        """For each residual, the index of its noise scale."""
        groups = SCALE_GROUPS[self.record.observation.kind]
        return np.repeat(np.array(groups, dtype=np.intp), self.windows.rows.size)

    @cached_property
    def levers(self) -> Array:
        """For each noise scale, half the gauge if it is of an angle, else 1 [m or 1]."""
        names, groups = self.record.observation.channels, self.channel[:: max(self.shape[1], 1)]
        half = 0.5 * self.known_robot.gauge
        found = dict(
            zip(groups.tolist(), (half if "yaw" in n else 1.0 for n in names), strict=False)
        )
        return np.array([found[k] for k in sorted(found)])

    @cached_property
    def window(self) -> NDArray[np.intp]:
        """For each residual, the index of its window."""
        return np.tile(self.windows.number, self.shape[0])

    @cached_property
    def observed(self) -> Array:
        """Observations in windows (channel, sample) [unit of the channel]."""
        return self.record.observation.values[:, self.windows.rows]

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """For each residual, whether it was measured."""
        return np.isfinite(self.observed).reshape(-1)

    def with_start_poses(self, values: Array) -> "ResidualModel":
        """Return the model with start poses fitted at these values; itself if none changes."""
        if not self.family.is_simulated:
            return self
        offset = float(values[self.places["time_offset"]]) if "time_offset" in self.places else 0.0
        record = fit_start_poses(self.predict(values[None]), self.record, offset)
        return self if record is self.record else replace(self, record=record, _simulated={})

    def penalty(self, free: Sequence[int]) -> Array:
        """Return the weight of the penalty on each free parameter, over its span [1]."""
        return self.ridge * np.array([float(self.parameters[k].is_shrunk) for k in free])

    def residuals(self, values: Array, weights: Array | None = None) -> Array:
        """Return observed less predicted, a row for each row of values; 0 where not measured.

        `weights` of the residuals apply when windows are aligned; equal if not given [1].
        """
        distinct, back = np.unique(
            values[:, : self.model_parameter_count], axis=0, return_inverse=True
        )
        bias = values[:, self.places["gyro_bias"]] if "gyro_bias" in self.places else np.zeros(1)
        weights = np.ones(self.channel.size) if weights is None else weights
        known = np.where(np.isfinite(self.observed), weights.reshape(self.shape), 0.0)
        predicted, kind = self.predict(distinct), self.record.observation.kind
        channels = [c.removeprefix("gyro_") for c in self.record.observation.channels]
        seen = np.stack([getattr(predicted, c) for c in channels])
        seen = seen if len(distinct) == len(values) == 1 else seen[:, back.reshape(-1)]
        seen = self._at_observations(seen, values)
        left = _subtract(kind, np.nan_to_num(self.observed), seen, self.windows, known, bias)
        left[:, ~np.isfinite(self.observed)] = 0.0
        return left.reshape(len(values), -1)

    def _at_observations(self, table: Array, values: Array) -> Array:
        """Return predictions (channel, set, belt speed) at the times of the observations."""
        if "time_offset" not in self.places:
            return table[:, :, self.windows.rows]
        offsets, back = np.unique(values[:, self.places["time_offset"]], return_inverse=True)
        times = self.record.observation.time[self.windows.rows]
        found = np.empty((len(table), len(values), times.size))
        for number, offset in enumerate(offsets):
            sets = back == number
            found[:, sets] = interpolate_rows(table[:, sets], self.record.time, times - offset)
        return found

    def predict(self, values: Array) -> Predicted:
        """Return the predicted motion for each row of values; recent simulations are cached."""
        values = values[:, : self.model_parameter_count]
        if not self.family.is_simulated:
            return self.family.predict(values, self.record, self.known_robot)
        keys = [row.tobytes() for row in values]
        names = [f.name for f in fields(Predicted)]
        new = [k for k, key in enumerate(keys) if key not in self._simulated]
        if new:
            found = self.family.predict(values[new], self.record, self.known_robot)
            for row, k in enumerate(new):
                part = {name: getattr(found, name)[[row]] for name in names}
                self._simulated[keys[k]] = Predicted(**part)
        chosen = [self._simulated[key] for key in keys]
        for key in list(self._simulated)[:-CACHED_SIMULATIONS]:
            del self._simulated[key]
        return Predicted(**{n: np.concatenate([getattr(c, n) for c in chosen]) for n in names})


def interpolate_rows(table: Array, time: Array, wanted: Array) -> Array:
    """Return tables (channel, set, sample) at other times [s], ends held."""
    after = np.clip(np.searchsorted(time, wanted), 1, time.size - 1)
    share = np.clip((wanted - time[after - 1]) / (time[after] - time[after - 1]), 0.0, 1.0)
    before = table[:, :, after - 1]
    return before + share * (table[:, :, after] - before)


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
    # Where one coordinate was not measured, the other one is aligned alone.
    own = [np.where(at_place > 0.0, at_place, weights[row]) for row in (0, 1)]
    left = [part - _mean(part, w, windows) for part, w in zip((x - rx, y - ry), own, strict=True)]
    if kind == "pose":
        left.append(np.asarray(wrap_angle(observed[2] - seen[2] - turn)))
    return np.stack(left, axis=1)


def _sum(values: Array, windows: Windows) -> Array:
    return np.add.reduceat(values, windows.starts, axis=1)


def _mean(values: Array, weights: Array, windows: Windows) -> Array:
    total = np.maximum(np.add.reduceat(weights, windows.starts), 1e-12)
    return (_sum(values * weights, windows) / total)[:, windows.number]
