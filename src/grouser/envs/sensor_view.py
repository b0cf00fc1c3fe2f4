"""Observed sensors: what their numbers mean, and how the sensors of many robots are read.

A number that is not known (no sample yet, no fix) is observed as 0, and a ray that returned nothing
as the greatest distance: observations are always finite.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.sensors import Camera, Lidar, SensorTable
from grouser.envs.quantity import Quantity
from grouser.envs.task import LoadedTask
from grouser.errors import InvalidValue, TickFailed, UnknownName
from grouser.geometry import Pose, Twist
from grouser.models import Motion
from grouser.simulation.sensors import Reading, Sample, SensorSuite
from grouser.simulation.sensors.suite import FIRST

LARGEST = {
    "1": 1e6, "A": 1e3, "T": 1e-3, "deg": 360.0, "m": 1e4, "m/s": 100.0, "m/s^2": 1e3,
    "rad": float(np.pi), "rad/s": 100.0,
}  # fmt: skip
"""Largest observed value of a column, by its unit; that of `1` for other units [unit]."""
OWN = {"A": "limit", "m/s^2": "accelerometer_range", "rad/s": "gyro_range"}
"""Keys of tables of sensors that give a smaller one, by unit."""


@dataclass(frozen=True, slots=True)
class _Observed:
    """A sensor that is observed."""

    name: str
    quantities: tuple[Quantity, ...]
    unknown: float
    has_rays: bool

    @classmethod
    def of(cls, table: SensorTable, columns: Sequence[tuple[str, str]]) -> "_Observed":
        if isinstance(table, Lidar):
            near, far = table.range
            rays = tuple(
                Quantity(name=f"{table.name}_range.{number}", unit="m", low=near, high=far,
                         meaning=f"distance along ray {number} of `{table.name}`")
                for number in range(table.rings * table.rays)
            )  # fmt: skip
            return cls(table.name, rays, far, True)
        most = [_largest(table, unit) for _, unit in columns]
        numbers = tuple(
            Quantity(name=name, unit=unit, low=-high, high=high, meaning=f"shown by `{table.name}`")
            for (name, unit), high in zip(columns, most, strict=True)
        )
        return cls(table.name, numbers, 0.0, False)

    def numbers(self, sample: Sample | None) -> NDArray[np.float64]:
        """Return the numbers of a sample, one per quantity."""
        if sample is None:
            return np.full(len(self.quantities), self.unknown)
        if not self.has_rays:
            found = np.array(sample.values)
        else:
            assert sample.array is not None
            found = np.asarray(sample.array, np.float64)
            if found.ndim > 1:  # points of many rings
                found = np.sqrt(np.sum(np.square(found), axis=-1)).ravel()
        return np.where(np.isnan(found), self.unknown, found)


def _largest(table: SensorTable, unit: str) -> float:
    own = getattr(table, OWN.get(unit, ""), None)
    return LARGEST.get(unit, LARGEST["1"]) if own is None else own


class SensorView:
    """Numbers of the sensors that a task observes."""

    def __init__(self, loaded: LoadedTask) -> None:
        """Look the sensors up.

        Raises:
            UnknownName: The robot has no sensor of such a name.
            InvalidValue: A sensor takes pictures.
        """
        names, tables = loaded.task.observation, loaded.robot.sensors.tables
        known = {table.name: table for table in tables}
        for name in names:
            if name not in known:
                raise UnknownName(f"sensor of robot {loaded.robot.name!r}", str(name), known)
            if isinstance(known[name], Camera):
                required = (
                    "name sensors of numbers or distances; pictures are in "
                    "env.unwrapped.simulation.reading"
                )
                raise InvalidValue("observation", name, required)
        self.robot = _keep_sensors(loaded.robot, names)
        """The robot with the observed sensors, and those whose random numbers they share."""
        suite = SensorSuite(self.robot, loaded.course, 0)
        columns = {sensor.name: sensor.columns for sensor in suite.sensors}
        self._observed = [_Observed.of(known[name], columns[name]) for name in names]
        self.quantities = [q for observed in self._observed for q in observed.quantities]
        """Meaning of each number."""

    def numbers(self, readings: Sequence[Reading]) -> NDArray[np.float64]:
        """Return the newest numbers of robots: a row per quantity, a column per robot."""
        rows = [
            np.concatenate([o.numbers(reading.latest(o.name)) for o in self._observed])
            for reading in readings
        ]
        return np.array(rows).T


def _keep_sensors(robot: Robot, names: Sequence[str]) -> Robot:
    def is_kept(table: SensorTable) -> bool:
        return table.name in names or isinstance(table, FIRST)

    kept: dict[str, Any] = {}
    for kind in type(robot.sensors).model_fields:
        content = getattr(robot.sensors, kind)
        if isinstance(content, tuple):
            kept[kind] = tuple(table for table in content if is_kept(table))
        else:
            kept[kind] = content if content is not None and is_kept(content) else None
    return robot.model_copy(update={"sensors": robot.sensors.model_copy(update=kept)})


class FleetSensors:
    """Sensors of many robots, each with random numbers of its own, read tick by tick."""

    def __init__(self, loaded: LoadedTask, view: SensorView, count: int) -> None:
        self._loaded, self._robot = loaded, view.robot
        self._suites: list[SensorSuite | None] = [None] * count
        self._readings: list[Reading | None] = [None] * count

    @property
    def readings(self) -> list[Reading]:
        """Newest reading of each robot; none before the first restart of a robot."""
        return [reading for reading in self._readings if reading is not None]

    def restart(self, robots: Sequence[int], seeds: Sequence[int], motion: Motion) -> None:
        """Give some robots new sensors, and read them at the start.

        Args:
            robots: Numbers of the robots.
            seeds: Seed of the noise of each of them.
            motion: Motion of all robots.
        """
        motions = split_motion(motion, len(self._suites))
        for robot, seed in zip(robots, seeds, strict=True):
            suite = SensorSuite(self._robot, self._loaded.course, seed)
            self._suites[robot] = suite
            self._readings[robot] = suite.read(0.0, motions[robot], self._loaded.scenario.tick)

    def read(self, ticks: NDArray[np.int64], motion: Motion) -> None:
        """Read all sensors, one tick after the last time.

        Args:
            ticks: Ticks of each robot since its start [1].
            motion: Motion of all robots.
        """
        tick = self._loaded.scenario.tick
        rows = zip(self._suites, ticks.tolist(), split_motion(motion, len(ticks)), strict=True)
        for robot, (suite, number, one) in enumerate(rows):
            assert suite is not None  # made by the first reset, which is for all
            try:
                self._readings[robot] = suite.read(number * tick, one, tick)
            except Exception as error:  # a sensor may be anybody's
                what = f"a sensor of robot {robot}"
                raise TickFailed(number * tick, error, what) from error


def split_motion(motion: Motion, count: int) -> list[Motion]:
    """Return the motion of each of many robots, in numbers; contacts are left out."""

    def rows(values: Sequence[Any]) -> list[tuple[float, ...]]:
        lists = [np.broadcast_to(value, count).tolist() for value in values]
        return list(zip(*lists, strict=True)) if lists else [()] * count

    def parts(kind: type[Any], whole: Any) -> list[Any]:
        names = [field.name for field in fields(kind)]
        numbers = rows([getattr(whole, name) for name in names])
        return [kind(**dict(zip(names, row, strict=True))) for row in numbers]

    names = ("belt_speeds_commanded", "belt_speeds", "belt_travels", "flipper_angles", "slips",
             "works")  # fmt: skip
    tuples = [rows(getattr(motion, name)) for name in names]
    phases = np.broadcast_to(motion.phase, count).tolist()
    pairs = zip(parts(Pose, motion.pose), parts(Twist, motion.twist), phases, strict=True)
    return [
        Motion(pose=pose, twist=twist, phase=phase, **dict(zip(names, rest, strict=True)))
        for (pose, twist, phase), *rest in zip(pairs, *tuples, strict=True)
    ]
