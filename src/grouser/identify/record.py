"""What a log says that parameters can be learned from: what belts did, and how the body moved."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog
from grouser.limits import ANGLE, COORDINATE, DURATION, SPEED

Kind: TypeAlias = Literal["pose", "position", "twist", "gyro"]
"""What was observed of the body: place and heading, place alone, velocity, or yaw rate alone."""

CHANNELS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "pose": ("x", "y", "yaw"),
        "position": ("x", "y"),
        "twist": ("vx", "vy", "yaw_rate"),
        "gyro": ("gyro_yaw_rate",),
    }
)
"""The columns of a log that each kind of observation needs, in the order of its channels."""
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
"""Unit of each channel."""

LARGEST: Mapping[str, float] = MappingProxyType(
    {"belt_speed": SPEED, "vx": SPEED, "vy": SPEED, "x": COORDINATE, "y": COORDINATE}
)
"""Largest number of columns that are not angles [m, m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observation:
    """How the body moved, at its own times; what was not measured is not a number."""

    kind: Kind
    """What was observed."""
    time: NDArray[np.float64]
    """When, by the clock of what observed [s]."""
    values: NDArray[np.float64]
    """A row for each channel of `CHANNELS[kind]` [unit of the channel]."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the rows."""
        return CHANNELS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """One drive, or one table of steady states.

    A belt speed holds from the sample before to its own: it is what an encoder counted
    in between. In a table of steady states, time only counts the rows.
    """

    name: str
    """Where it comes from."""
    time: NDArray[np.float64]
    """Times of the belt speeds, increasing [s]."""
    left: NDArray[np.float64]
    """Mean belt speed of the left side [m/s]."""
    right: NDArray[np.float64]
    """Mean belt speed of the right side [m/s]."""
    observation: Observation
    """How the body moved."""
    pitch: NDArray[np.float64] | None = None
    """Attitude at the times of the belt speeds, positive nose down; None if level [rad]."""
    wheels: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Speed of each drive by its name [m/s]."""
    start: tuple[float, float, float] | None = None
    """x [m], y [m] and yaw [rad] at the first time, for simulations; None if not known."""
    steady: bool = False
    """Whether rows are steady states that do not follow each other."""

    @property
    def steps(self) -> NDArray[np.float64]:
        """Time from the sample before to each one; 0 for the first [s]."""
        return np.diff(self.time, prepend=self.time[0])

    def check(self) -> None:
        """Refuse numbers that no drive has, of which nothing can be learned.

        Raises:
            InvalidLog: Time does not increase, or a number is too large.
        """
        for what, times in (("", self.time), (" of what was observed", self.observation.time)):
            if not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0.0):
                raise InvalidLog(self.name, f"time{what} must increase from row to row")
            if times.size and not times[-1] - times[0] <= DURATION:
                found = f"time{what} spans {times[-1] - times[0]:.3g} s"
                raise InvalidLog(self.name, f"{found}, and may span {DURATION:g} s")
        seen = zip(self.observation.channels, self.observation.values, strict=True)
        for column, values in (("belt_speed", self.left), ("belt_speed", self.right), *seen):
            limit = LARGEST.get(column, ANGLE)
            known = np.abs(values[np.isfinite(values)])
            if np.any(np.isinf(values)) or np.any(known > limit):
                largest = float(np.max(np.abs(np.nan_to_num(values))))
                problem = f"column {column} holds {largest:.3g}, and may hold {limit:g}"
                raise InvalidLog(self.name, f"{problem} at most")

    def first(self, count: int) -> "Record":
        """Return the record with so many of its first belt speeds; observations stay."""
        return replace(
            self,
            time=self.time[:count],
            left=self.left[:count],
            right=self.right[:count],
            pitch=None if self.pitch is None else self.pitch[:count],
            wheels={name: speeds[:count] for name, speeds in self.wheels.items()},
        )

    @property
    def duration(self) -> float:
        """Time from the first sample to the last [s]."""
        return float(self.time[-1] - self.time[0])
