"""Records: belt speeds and observed motion of drives in pieces, on one increasing time axis."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.limits import ANGLE, COORDINATE, DURATION, SPEED

Kind: TypeAlias = Literal["pose", "position", "twist", "gyro"]
"""Kind of observation: position and heading, position alone, velocity, or yaw rate alone."""

CHANNELS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "pose": ("x", "y", "yaw"),
        "position": ("x", "y"),
        "twist": ("vx", "vy", "yaw_rate"),
        "gyro": ("gyro_yaw_rate",),
    }
)
"""The columns of a log that each kind of observation needs; the most informative kind first."""
UNITS: Mapping[str, str] = MappingProxyType(
    {
        "x": "m",
        "y": "m",
        "yaw": "rad",
        "vx": "m/s",
        "vy": "m/s",
        "yaw_rate": "rad/s",
        "gyro_yaw_rate": "rad/s",
    }
)

COLUMN_LIMITS: Mapping[str, float] = MappingProxyType(
    {"belt_speed": SPEED, "vx": SPEED, "vy": SPEED, "x": COORDINATE, "y": COORDINATE}
)
"""Largest absolute value of columns that are not angles [m, m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observation:
    """Observed motion of the body with its own times; NaN where nothing was measured."""

    kind: Kind
    time: Array
    """Times by the observer's own clock [s]."""
    values: Array
    """A row for each channel of `CHANNELS[kind]` [unit of the channel]."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the rows."""
        return CHANNELS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """Drives of one robot in pieces, or one table of steady states.

    A piece is a stretch of belt speeds without a gap. All pieces lie on one increasing time axis;
    where a record was joined from several logs, there are `PIECE_GAP` seconds between them. A belt
    speed applies to the interval that ends at its sample, as counted by an encoder. In a table of
    steady states, time is the index of the row.
    """

    name: str
    """Name of the source, for messages."""
    time: Array
    """Times of the belt speeds, increasing [s]."""
    left: Array
    """Mean belt speed of the left side [m/s]."""
    right: Array
    """Mean belt speed of the right side [m/s]."""
    observation: Observation
    commanded: Array | None = None
    """Commanded belt speed of the left and the right side (2, sample); None if not logged [m/s]."""
    pitch: Array | None = None
    """Pitch at the times of the belt speeds, positive nose down; None if level [rad]."""
    wheels: Mapping[str, Array] = field(default_factory=dict)
    """Speed of each track or wheel, by name [m/s]."""
    first: NDArray[np.intp] = field(default_factory=lambda: np.zeros(1, dtype=np.intp))
    """Index of the first belt speed of each piece, increasing from 0 [1]."""
    group: NDArray[np.intp] | None = None
    """Group of each piece: pieces of one group are not independent; None if not known [1]."""
    starts: Array | None = None
    """x [m], y [m] and yaw [rad] at the first time of each piece (piece, 3), for simulations; None
    if not known."""
    steady: bool = False
    """Whether the rows are independent steady states."""

    @property
    def has_measured_belts(self) -> bool:
        """Whether belt speeds are more than the commands themselves."""
        sides = np.stack([self.left, self.right])
        return self.commanded is None or not np.array_equal(sides, self.commanded)

    @property
    def piece(self) -> NDArray[np.intp]:
        """Index of the piece of each belt speed [1]."""
        return np.repeat(np.arange(self.first.size), np.diff(self.first, append=self.time.size))

    @property
    def last(self) -> NDArray[np.intp]:
        """Index of the last belt speed of each piece [1]."""
        return np.append(self.first[1:], self.time.size) - 1

    @property
    def steps(self) -> Array:
        """Time from the sample before to each one; 0 for the first of a piece [s]."""
        steps = np.diff(self.time, prepend=self.time[0])
        steps[self.first] = 0.0
        return steps

    @property
    def period(self) -> float:
        """Median time between two belt speeds of a piece [s]."""
        steps = np.delete(np.diff(self.time), self.first[1:] - 1)
        return float(np.median(steps)) if steps.size else 0.0

    @property
    def durations(self) -> Array:
        """Time from the first sample of each piece to its last [s]."""
        return self.time[self.last] - self.time[self.first]

    @property
    def duration(self) -> float:
        """Time driven, over all pieces [s]."""
        return float(self.durations.sum())

    def check(self) -> None:
        """Raise InvalidLog if time does not increase, or a number is too large."""
        for what, times in (("", self.time), (" of the observations", self.observation.time)):
            if not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0.0):
                raise InvalidLog(self.name, f"time{what} must increase from row to row")
            if times.size and not times[-1] - times[0] <= DURATION:
                found = f"time{what} spans {times[-1] - times[0]:.3g} s"
                raise InvalidLog(self.name, f"{found}, and may span {DURATION:g} s")
        seen = zip(self.observation.channels, self.observation.values, strict=True)
        for column, values in (("belt_speed", self.left), ("belt_speed", self.right), *seen):
            limit = COLUMN_LIMITS.get(column, ANGLE)
            known = np.abs(values[np.isfinite(values)])
            if np.any(np.isinf(values)) or np.any(known > limit):
                largest = float(np.max(np.abs(np.nan_to_num(values))))
                problem = f"column {column} holds {largest:.3g}, and may hold {limit:g}"
                raise InvalidLog(self.name, f"{problem} at most")


Records: TypeAlias = tuple[Record, ...]


PIECE_GAP = 10.0
"""Time between two pieces that were joined [s]."""
MAX_BELT_GAP = 0.5
"""Longest time between two belt speeds within a piece; longer ones separate pieces [s]."""
MAX_GAP_PERIODS = 3.5
"""The same for slow logs, over the median time between two belt speeds [1]."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeAxis:
    """Shift of the times of each named piece onto one increasing axis."""

    shifts: dict[float, float]
    """What is added to times, by the number of the piece [s]."""

    @classmethod
    def of(cls, time: Array, piece: Array, name: str) -> "TimeAxis":
        """Return the axis of these rows; InvalidLog if a piece comes twice or time goes back."""
        if not np.isfinite(piece).all():
            raise InvalidLog(name, "column piece has rows without a number; name every row's piece")
        begin = np.flatnonzero(np.diff(piece, prepend=np.nan))
        numbers, end = piece[begin], np.append(begin[1:], piece.size)
        if np.unique(numbers).size < numbers.size:
            found = numbers[np.flatnonzero(np.diff(np.sort(numbers)) == 0)[0]]
            raise InvalidLog(name, f"column piece has {found:g} in rows apart; sort rows by piece")
        first = np.array([np.nanmin(time[a:b]) for a, b in zip(begin, end, strict=True)])
        last = np.array([np.nanmax(time[a:b]) for a, b in zip(begin, end, strict=True)])
        if np.all(first[1:] > last[:-1]):
            return cls(dict.fromkeys(numbers.tolist(), 0.0))
        starts = np.cumsum(np.append(0.0, (last - first)[:-1] + PIECE_GAP))
        return cls(dict(zip(numbers.tolist(), (starts - first).tolist(), strict=True)))

    def place(self, time: Array, piece: Array | None) -> Array:
        """Return times on the axis; without pieces, those of the first [s]."""
        if piece is None:
            return time + next(iter(self.shifts.values()))
        numbers, back = np.unique(piece, return_inverse=True)
        shifts = [self.shifts.get(float(number), np.nan) for number in numbers]
        return time + np.array(shifts)[back]


def first_of_pieces(time: Array, piece: Array) -> NDArray[np.intp]:
    """Return the index of the first belt speed of each piece; a gap in time begins a new one."""
    steps = np.diff(time)
    inside = steps[np.diff(piece) == 0.0]
    period = float(np.median(inside)) if inside.size else 0.0
    longest = max(MAX_BELT_GAP, MAX_GAP_PERIODS * period)
    return np.concatenate([[0], np.flatnonzero((steps > longest) | (np.diff(piece) != 0.0)) + 1])
