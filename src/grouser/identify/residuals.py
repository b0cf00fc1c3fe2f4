"""Residuals of a family against records.

On a slope it matters which way a robot looks, so families that are simulated must start right. A
first simulation starts about right; the early part of what was observed then says how far off.

Where a window starts is not known better than anything in it, so every window is moved and
turned to where it fits best before its residuals are taken. Residuals of different windows are
then independent, whatever noise there is within them: that is what intervals build on.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import rotate, wrap_angle
from grouser.identify.family import Family, Parameter, Predicted, Setting
from grouser.identify.record import Record
from grouser.identify.windows import LARGEST_OFFSET, Windows


def middle_angle(angles: NDArray[np.float64]) -> float:
    """Return the median of angles that may be wrapped [rad].

    Args:
        angles: Around a common direction [rad].
    """
    about = np.angle(np.median(np.cos(angles)) + 1j * np.median(np.sin(angles)))
    return float(about + np.median(wrap_angle(angles - about)))


EARLY = 3.0
"""Time from the first observation over which a simulation is laid onto it [s]."""


SAME = (0.01, 0.01, 0.01)
"""By how much another start is worth no other simulation [m, m, rad]."""


def place_start(path: Predicted, record: Record, time_offset: float = 0.0) -> Record:
    """Return the record with its start; as it is if no poses were observed, or it has that start.

    Args:
        path: One simulated motion, about right, at the first times of the record.
        record: What happened.
        time_offset: Of the clock of what observes [s].
    """
    seen = record.observation
    known = np.isfinite(seen.values).all(axis=0)
    if seen.kind != "pose" or not known.any():
        return record
    known &= seen.time <= seen.time[known][0] + EARLY
    at = seen.time[known] - time_offset
    times = record.time[: path.x.shape[1]]
    x, y, yaw = (np.interp(at, times, row[0]) for row in (path.x, path.y, path.yaw))
    x0, y0, yaw0 = (float(row[0, 0]) for row in (path.x, path.y, path.yaw))
    turn = middle_angle(seen.values[2, known] - yaw)
    dx, dy = rotate(x - x0, y - y0, turn)
    shift_x = float(np.median(seen.values[0, known] - x0 - dx))
    shift_y = float(np.median(seen.values[1, known] - y0 - dy))
    start = (x0 + shift_x, y0 + shift_y, yaw0 + turn)
    if record.start is not None and np.all(np.abs(np.subtract(start, record.start)) < SAME):
        return record
    return replace(record, start=start)


Array = NDArray[np.float64]
KEPT = 32
"""How many simulated motions are kept."""


@dataclass(frozen=True, eq=False)
class Misfit:
    """A family beside records, as a function of its parameters and of what sensors add.

    After the family's own parameters follow `time_offset` (of all that are not steady states)
    and `gyro_bias`, if a gyroscope is what observed.
    """

    family: Family
    """Whose parameters."""
    records: tuple[Record, ...]
    """What happened."""
    windows: tuple[Windows, ...]
    """Which observations count, for each record."""
    setting: Setting
    """What is known before."""
    _kept: dict[tuple[int, bytes], Predicted] = field(default_factory=dict, repr=False)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """All that is to be found."""
        found = list(self.family.parameters(self.setting, self.records))
        if not self.records[0].steady:
            found.append(
                Parameter(
                    name="time_offset", unit="s", start=0.0, span=LARGEST_OFFSET,
                    low=-LARGEST_OFFSET, high=LARGEST_OFFSET,
                    manoeuvre="start, stop and change speed often",
                )
            )  # fmt: skip
        if self.records[0].observation.kind == "gyro":
            found.append(
                Parameter(
                    name="gyro_bias", unit="rad/s", start=0.0, span=0.2, low=-0.5, high=0.5,
                    manoeuvre="stand still for some seconds",
                )
            )  # fmt: skip
        return tuple(found)

    @cached_property
    def channel(self) -> NDArray[np.intp]:
        """For each residual, the scale it belongs to: x and y share one."""
        parts = []
        for record, windows in zip(self.records, self.windows, strict=True):
            kind, size = record.observation.kind, windows.rows.size
            groups = {"pose": (0, 0, 1), "position": (0, 0), "twist": (0, 1, 2), "gyro": (0,)}[kind]
            parts += [np.full(size, group) for group in groups]
        return np.concatenate(parts).astype(np.intp)

    @cached_property
    def window(self) -> NDArray[np.intp]:
        """For each residual, the window it is in; counted over all records."""
        parts, before = [], 0
        for record, windows in zip(self.records, self.windows, strict=True):
            parts += [windows.number + before] * len(record.observation.channels)
            before += len(windows)
        return np.concatenate(parts)

    @property
    def count(self) -> int:
        """How many windows there are."""
        return sum(map(len, self.windows))

    @cached_property
    def own(self) -> int:
        """How many of the parameters are the family's; they come first."""
        return len(self.family.parameters(self.setting, self.records))

    @cached_property
    def needed(self) -> tuple[Record, ...]:
        """The records, each up to its last window: what comes later no fit may see."""
        return tuple(_until(r, w) for r, w in zip(self.records, self.windows, strict=True))

    def placed(self, values: Array) -> "Misfit":
        """Return the same with simulations that start where the robot was; this one if they do.

        Args:
            values: Of all parameters; where a robot was is found with what they predict.
        """
        if not self.family.is_simulated:
            return self
        given = dict(zip((p.name for p in self.parameters), values.tolist(), strict=True))
        offset = given.get("time_offset", 0.0)
        pairs = zip(self.records, self.needed, strict=True)
        records = tuple(
            place_start(self.predict(values[None], short), record, offset)
            for record, short in pairs
        )
        same = all(new is old for new, old in zip(records, self.records, strict=True))
        return self if same else Misfit(self.family, records, self.windows, self.setting)

    def residuals(self, values: Array, weights: Array | None = None) -> Array:
        """Return observed less predicted, a row for each row of values; 0 where not measured.

        Args:
            values: Sets of parameters, in the order of `parameters`.
            weights: Of each residual, for the places of windows; equal if not given [1].
        """
        names = [parameter.name for parameter in self.parameters]
        distinct, back = np.unique(values[:, : self.own], axis=0, return_inverse=True)
        offset = values[:, names.index("time_offset")] if "time_offset" in names else None
        bias = values[:, names.index("gyro_bias")] if "gyro_bias" in names else np.zeros(1)
        weights = np.ones(self.channel.size) if weights is None else weights
        parts, begin = [], 0
        for record, windows in zip(self.needed, self.windows, strict=True):
            observed = record.observation.values[:, windows.rows]
            end = begin + observed.size
            known = np.where(np.isfinite(observed), weights[begin:end].reshape(observed.shape), 0.0)
            predicted = self.predict(distinct, record)
            seen = _look(predicted, back.reshape(-1), record, windows, offset)
            left = _compare(record.observation.kind, np.nan_to_num(observed), seen, windows, known,
                            bias)  # fmt: skip
            missing = ~np.isfinite(observed)
            left[:, missing] = 0.0
            parts.append(left.reshape(len(values), -1))
            begin = end
        return np.concatenate(parts, axis=1)

    def predict(self, values: Array, record: Record) -> Predicted:
        """Return the motions; a simulation that was done a moment ago is not done again.

        Args:
            values: Sets of parameters; those after the family's own do not count.
            record: One of `records` or of `needed`.
        """
        values = values[:, : self.own]
        if not self.family.is_simulated:
            return self.family.predict(values, record, self.setting)
        place = (*self.records, *self.needed).index(record)
        keys = [(place, row.tobytes()) for row in values]
        new = [k for k, key in enumerate(keys) if key not in self._kept]
        if new:
            found = self.family.predict(values[new], record, self.setting)
            self._kept.update({keys[k]: _rows(found, [n]) for n, k in enumerate(new)})
        chosen = [self._kept[key] for key in keys]
        for key in list(self._kept)[:-KEPT]:
            del self._kept[key]
        return Predicted(
            **{
                f.name: np.concatenate([getattr(c, f.name) for c in chosen])
                for f in fields(Predicted)
            }
        )

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """For each residual, whether it was measured."""
        pairs = zip(self.records, self.windows, strict=True)
        return np.concatenate(
            [np.isfinite(r.observation.values[:, w.rows]).reshape(-1) for r, w in pairs]
        )


def _until(record: Record, windows: Windows) -> Record:
    """Return a drive without the belts after its last window, whatever the clocks are."""
    if record.steady or not windows.rows.size:
        return record
    last = record.observation.time[windows.rows[-1]] + LARGEST_OFFSET
    return record.first(int(np.searchsorted(record.time, last)) + 1)


def _rows(predicted: Predicted, rows: list[int]) -> Predicted:
    return Predicted(**{f.name: getattr(predicted, f.name)[rows] for f in fields(Predicted)})


def _look(
    predicted: Predicted,
    back: NDArray[np.intp],
    record: Record,
    windows: Windows,
    offset: Array | None,
) -> Array:
    """Return the predicted channels at the times of the observations: (channel, set, sample)."""
    names = {"gyro_yaw_rate": "yaw_rate"}
    channels = [names.get(name, name) for name in record.observation.channels]
    table = np.stack([getattr(predicted, name) for name in channels])[:, back]
    if offset is None:
        return table[:, :, windows.rows]
    times = record.observation.time[windows.rows] - offset[:, None]
    return interpolate_rows(table, record.time, times)


def interpolate_rows(table: Array, time: Array, wanted: Array) -> Array:
    """Return tables (channel, set, sample) at other times (set, sample), linearly.

    Args:
        table: Values at `time` [any unit].
        time: Times of the samples, increasing [s].
        wanted: Where to look; clipped to the ends [s].
    """
    after = np.clip(np.searchsorted(time, wanted), 1, time.size - 1)
    share = np.clip((wanted - time[after - 1]) / (time[after] - time[after - 1]), 0.0, 1.0)
    sets = np.arange(table.shape[1])[:, None]
    before, behind = table[:, sets, after - 1], table[:, sets, after]
    return before + share * (behind - before)


def _compare(
    kind: str, observed: Array, seen: Array, windows: Windows, weights: Array, bias: Array
) -> Array:
    """Return residuals (set, channel, sample)."""
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
