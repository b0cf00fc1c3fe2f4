"""All sensors of a robot: which there are, and how they are read once per tick."""

import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from grouser.description import Course, Robot
from grouser.description.sensors import Encoder, Imu
from grouser.log.declaration import Declaration, numbers_declaration
from grouser.models import Motion
from grouser.simulation.sensors.sensor import Columns, Reading, Schedule, Sensor

FIRST = (Encoder, Imu)
"""Tables of sensors that share the generator of the simulation's seed: logs of earlier versions
replay bit for bit. All others have a generator of their own, by seed and name."""


class SensorSuite:
    """All sensors of a robot, read once per tick."""

    def __init__(self, robot: Robot, course: Course, seed: int) -> None:
        """Make the sensors that a robot's file names."""
        self.sensors = tuple(_make_sensors(robot, course, seed))
        """The sensors, in the order of their columns."""
        self._schedules = [Schedule(sensor) for sensor in self.sensors]
        self.columns: Columns = tuple(
            column for sensor in self.sensors for column in sensor.columns
        )
        """Name and unit of each value of a reading."""
        self._unknown = [(np.nan,) * len(sensor.columns) for sensor in self.sensors]
        self._previous: Motion | None = None

    @property
    def declarations(self) -> dict[str, tuple[Declaration, ...]]:
        """Messages of each sensor, by its name."""
        return {
            sensor.name: sensor.declarations or (numbers_declaration(sensor.name, sensor.columns),)
            for sensor in self.sensors
        }

    def describe(self) -> dict[str, Any]:
        """Return rate [1/s], latency [s] and messages of each sensor, as plain JSON values."""
        messages = self.declarations
        return {
            sensor.name: {
                "rate": sensor.rate,
                "latency": sensor.latency,
                "messages": [declared.to_dict() for declared in messages[sensor.name]],
            }
            for sensor in self.sensors
        }

    @property
    def columns_by_sensor(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of each sensor, by its name, in the order of a sample's values."""
        return {sensor.name: tuple(name for name, _ in sensor.columns) for sensor in self.sensors}

    def read(self, time: float, motion: Motion, tick: float) -> Reading:
        """Return the readings at a time, one tick after the last ones [s]."""
        previous = motion if self._previous is None else self._previous
        self._previous = motion
        fresh = [schedule.read(time, motion, previous, tick) for schedule in self._schedules]
        known = [schedule.latest for schedule in self._schedules]
        values = [
            value
            for sample, unknown in zip(known, self._unknown, strict=True)
            for value in (unknown if sample is None else sample.values)
        ]
        return Reading(
            columns=self.columns,
            values=tuple(values),
            fresh=tuple([sample for sample in fresh if sample is not None]),
            known=tuple([sample for sample in known if sample is not None]),
        )


def _make_sensors(robot: Robot, course: Course, seed: int) -> Iterator[Sensor]:
    shared = np.random.default_rng(seed)
    for table in robot.sensors.tables:
        kind = table.simulated_by
        if isinstance(kind, str):
            module, _, name = kind.partition(":")
            kind = getattr(import_module(module), name)
        own = np.random.default_rng((seed, zlib.crc32(table.name.encode())))
        generator = shared if isinstance(table, FIRST) else own
        yield kind(robot, course, table, generator)
