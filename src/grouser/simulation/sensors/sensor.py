"""What sensors sense, what they measure, and how a sensor is written.

A sensor is sampled at its rate, at the times 0, 1/rate, 2/rate and so on, or at the first tick
after them. A sample is known after the sensor's latency; until the next one, its columns hold its
values. Before the first one they are NaN.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from grouser.log.declaration import Declaration
from grouser.models import Motion

Columns: TypeAlias = tuple[tuple[str, str], ...]
"""Name and unit of each column of a log."""
SLACK = 1e-9
"""Times that differ by less are equal [s]."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a sensor senses: the true motion at the end of a tick."""

    time: float
    """Simulated time [s]."""
    duration: float
    """Time since the sensor's last sample; the tick at the first one [s]."""
    motion: Motion
    """Motion of the robot now."""
    previous: Motion
    """Motion of the robot one tick ago."""
    tick: float
    """Length of a tick [s]."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement of a sensor."""

    sensor: str
    """Name of the sensor."""
    time: float
    """Simulated time at which it was taken [s]."""
    values: tuple[float, ...]
    """Value of each of the sensor's columns [unit of the column]."""
    array: NDArray[Any] | None = None
    """Ranges, points or pixels; None for sensors of numbers [unit of the sensor]."""

    def __deepcopy__(self, memo: Any) -> "Sample":
        """Return the sample itself, which never changes."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Readings of all sensors of a robot after a tick."""

    columns: Columns
    """Name and unit of each value."""
    values: tuple[float, ...]
    """Values in the order of the columns [unit of the column]."""
    fresh: tuple[Sample, ...] = ()
    """Samples that became known in this tick."""
    known: tuple[Sample, ...] = ()
    """Newest known sample of each sensor; none of a sensor that has none yet."""

    def __getitem__(self, name: str) -> tuple[float, ...]:
        """Return the value of a column, or those of all columns `name.<member>`; none if absent."""
        pairs = zip(self.columns, self.values, strict=True)
        return tuple(value for (column, _), value in pairs if column.partition(".")[0] == name)

    def latest(self, sensor: str) -> Sample | None:
        """Return the newest known sample of a sensor; None if there is none."""
        return next((sample for sample in self.known if sample.sensor == sensor), None)


class Sensor(ABC):
    """A simulated sensor.

    It is made from the robot, the course, its table in the robot's file and a generator of random
    numbers, in this order; the table names it by `simulated_by`.
    """

    name: str
    """Name of the sensor, unique on its robot."""
    columns: Columns
    """Name and unit of each column that it adds to a log."""
    rate: float | None = None
    """Samples per second; one in each tick if None [1/s]."""
    latency: float = 0.0
    """Time from a sample to when it is known [s]."""
    array: NDArray[Any] | None = None
    """What `sample` measured besides its numbers; replaced by each sample, never changed."""
    declarations: tuple[Declaration, ...] = ()
    """Its messages; without any, all columns are in one list."""

    @abstractmethod
    def sample(self, moment: Moment) -> Sequence[float]:
        """Return a new measurement: a value for each column."""

    def take(self, moment: Moment) -> Callable[[], Sample]:
        """Take a sample; return a function that returns it, which is called when it is known.

        A sensor that takes long may measure in a thread in the meantime.
        """
        values = tuple(self.sample(moment))
        sample = Sample(self.name, moment.time, values, self.array)
        return lambda: sample


class Schedule:
    """Samples one sensor at its rate, and returns each sample after the sensor's latency."""

    def __init__(self, sensor: Sensor) -> None:
        self.sensor = sensor
        self.latest: Sample | None = None
        """Newest known sample."""
        self._taken, self._ticks = 0, 0
        self._coming: deque[tuple[float, Callable[[], Sample]]] = deque()

    def __deepcopy__(self, memo: Any) -> "Schedule":
        """Return a schedule with a copy of the sensor; samples that are coming are shared."""
        copied = copy(self)
        copied.sensor = deepcopy(self.sensor, memo)
        copied._coming = deque(self._coming)
        return copied

    def read(self, time: float, motion: Motion, previous: Motion, tick: float) -> Sample | None:
        """Sample the sensor if it is due; return the sample that becomes known, if one does."""
        sensor = self.sensor
        self._ticks += 1
        # A millionth of a period of tolerance: equal rates must not drift apart.
        due = self._taken + 1 if sensor.rate is None else int(time * sensor.rate + 1e-6) + 1
        if due > self._taken:
            # Whole ticks: a difference of times would have a rounding error.
            moment = Moment(time, self._ticks * tick, motion, previous, tick)
            self._taken, self._ticks = due, 0
            self._coming.append((time + sensor.latency, sensor.take(moment)))
        known = None
        while self._coming and self._coming[0][0] <= time + SLACK:
            known = self.latest = self._coming.popleft()[1]()
        return known
