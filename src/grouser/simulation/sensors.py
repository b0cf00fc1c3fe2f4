"""Simulated sensors: encoders, gyroscope and an overhead camera; their columns of a log."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Rig, Robot
from grouser.geometry import Pose, Scalar, arc_displacement
from grouser.laws.camera import overhead_view, pose_from_pixels
from grouser.models import Motion

Columns: TypeAlias = tuple[tuple[str, str], ...]
"""Name and unit of each column of a log."""


class Sensor(Protocol):
    """A simulated sensor, made from a robot that has it and a generator of random numbers."""

    @property
    def columns(self) -> Columns:
        """Name and unit of each column that it adds to a log."""
        ...

    def measure(self, motion: Motion, duration: float) -> Sequence[float]:
        """Return a value for each column, `duration` after the last call [s]."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Readings of all sensors of a robot."""

    columns: Columns
    """Name and unit of each value."""
    values: tuple[float, ...]
    """Values in the order of the columns [unit of the column]."""

    def __getitem__(self, name: str) -> tuple[float, ...]:
        """Return the value of a column, or those of all columns `name.<member>`; none if absent."""
        pairs = zip(self.columns, self.values, strict=True)
        return tuple(value for (column, _), value in pairs if column.partition(".")[0] == name)


class Encoders:
    """Whole counts of belt travel; the speed is the difference of two counts.

    Counts are rounded from the belt's whole travel, so no step is ever lost.
    """

    def __init__(self, robot: Robot, generator: Generator) -> None:
        encoder = robot.sensors.encoder
        assert encoder is not None  # made only for robots that have one
        self._steps = [encoder.travel_per_step(drive.side) for drive in robot.drives]
        self._noise = encoder.speed_noise
        self._generator = generator
        self.counts = tuple(0.0 for _ in robot.drives)
        families = (("encoder", "1"), ("belt_speed_measured", "m/s"))
        self.columns = tuple(
            (f"{family}.{drive.name}", unit) for family, unit in families for drive in robot.drives
        )

    def measure(self, motion: Motion, duration: float) -> Sequence[float]:
        """Return counts since the start [1], then mean speeds since the last call [m/s]."""
        speeds = self.read(motion.belt_travels, duration)
        return *self.counts, *speeds

    def read(self, belt_travels: Sequence[Scalar], duration: float) -> tuple[float, ...]:
        """Return the measured belt speeds over the last `duration` seconds [m/s].

        Args:
            belt_travels: Travel of each belt since the start [m].
            duration: Time since the last reading [s].
        """
        before = self.counts
        lengths = zip(belt_travels, self._steps, strict=True)
        self.counts = tuple([_floor(float(travel) / step) for travel, step in lengths])
        changes = zip(self.counts, before, self._steps, strict=True)
        speeds = [(now - then) * step / duration for now, then, step in changes]
        if self._noise > 0.0:
            speeds = [speed + self._generator.normal(0.0, self._noise) for speed in speeds]
        return tuple(speeds)


def _floor(number: float) -> float:
    return number // 1.0 if math.isfinite(number) else number


class Gyroscope:
    """Angular rates with constant bias per axis, noise, quantisation and saturation."""

    columns = tuple((f"gyro_{axis}_rate", "rad/s") for axis in ("roll", "pitch", "yaw"))

    def __init__(self, robot: Robot, generator: Generator) -> None:
        imu = robot.sensors.imu
        assert imu is not None  # made only for robots that have one
        self._range, self._noise = imu.gyro_range, imu.gyro_noise
        self._step = 2.0 * imu.gyro_range / 2.0**imu.gyro_bits
        self._generator = generator
        # Always drawn, so that a known offset does not change the noise sequence.
        drawn = generator.uniform(-imu.gyro_bias, imu.gyro_bias, 3)
        self.offset = drawn if imu.gyro_offset is None else np.array(imu.gyro_offset)
        self._offsets: list[float] = self.offset.tolist()
        self._rate, self._time, self._samples = imu.rate, 0.0, 0
        self._last: tuple[float, ...] = (0.0, 0.0, 0.0)

    def measure(self, motion: Motion, duration: float) -> Sequence[float]:
        """Return the latest sample of roll, pitch and yaw rate, in the body frame [rad/s]."""
        twist = motion.twist
        rates = twist.roll_rate, twist.pitch_rate, twist.yaw_rate
        return self.sample(rates, duration)  # type: ignore[arg-type]

    def sample(self, rates: tuple[float, ...], duration: float) -> tuple[float, ...]:
        """Advance its time by `duration` [s]; return the latest sample [rad/s]."""
        self._time += duration
        # Tolerance of a millionth of a sample: equal tick and sample rates must not drift apart.
        due = int(self._time * self._rate + 1e-6)
        if due > self._samples:
            self._samples, self._last = due, self.read(rates)
        return self._last

    def read(self, rates: tuple[float, ...]) -> tuple[float, ...]:
        """Return a new sample at these roll, pitch and yaw rates [rad/s]."""
        noise = self._generator.normal(0.0, self._noise, 3).tolist()
        parts = zip(rates, self._offsets, noise, strict=True)
        return tuple([self._quantise(float(rate) + offset + n) for rate, offset, n in parts])

    def _quantise(self, rate: float) -> float:
        steps = min(max(rate, -self._range), self._range) / self._step
        # Rounding to a whole number loses the sign of zero.
        return rate if math.isnan(rate) else math.copysign(round(steps), rate) * self._step


SENSORS: dict[str, Callable[[Robot, Generator], Sensor]] = {
    "encoder": Encoders,
    "imu": Gyroscope,
}
"""Simulated sensors by the name of their table below `[sensors]` in a robot file."""


class SensorSuite:
    """All sensors of a robot, read once per tick."""

    def __init__(self, robot: Robot, generator: Generator) -> None:
        has = {name for name in SENSORS if getattr(robot.sensors, name, None) is not None}
        self._sensors = [make(robot, generator) for name, make in SENSORS.items() if name in has]
        self.columns: Columns = tuple(
            column for sensor in self._sensors for column in sensor.columns
        )
        """Name and unit of each value of a reading."""

    def read(self, motion: Motion, duration: float) -> Reading:
        """Return the readings, `duration` after the last ones [s]."""
        values = [v for sensor in self._sensors for v in sensor.measure(motion, duration)]
        return Reading(columns=self.columns, values=tuple(values))


SLACK = 1e-9
"""Times that differ by less are equal [s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """A pose measured by a camera."""

    time: float
    """Time of exposure [s]."""
    pose: NDArray[np.float64]
    """x, y and yaw [m and rad]."""
    deviations: NDArray[np.float64]
    """Their standard deviations [m and rad]."""


class OverheadCamera:
    """Measures the pose at the camera's rate; each measurement arrives after its latency.

    Nothing is rendered: marker corners are projected, noise is added, and the pose is solved for
    as in a real picture. Left out: occlusion, and the edge of the picture.
    """

    def __init__(self, rig: Rig, generator: Generator) -> None:
        self._rig, self._generator, self._view = rig, generator, overhead_view(rig)
        self._points = np.concatenate([marker.corners() for marker in rig.markers])
        self._taken = 0
        self._coming: deque[Sighting] = deque()

    def look(self, time: float, motion: Motion) -> list[Sighting]:
        """Return the measurements that arrived since the last call.

        Args:
            time: Current time, not before that of the last call [s].
            motion: Current motion, taken as constant since the last call.
        """
        while self._taken / self._rig.camera.rate <= time + SLACK:
            moment = self._taken / self._rig.camera.rate
            self._coming.append(self._picture(moment, time - moment, motion))
            self._taken += 1
        known = []
        while self._coming and self._coming[0].time + self._rig.camera.latency <= time + SLACK:
            known.append(self._coming.popleft())
        return known

    def _picture(self, moment: float, age: float, motion: Motion) -> Sighting:
        pose, twist = motion.pose, motion.twist
        dx, dy = arc_displacement(twist.vx, twist.vy, twist.yaw_rate, pose.yaw, -age)
        x, y, yaw = (
            float(part) for part in (pose.x + dx, pose.y + dy, pose.yaw - twist.yaw_rate * age)
        )
        there = Pose(x=x, y=y, z=pose.z, roll=pose.roll, pitch=pose.pitch, yaw=yaw)
        place = np.array((x, y, pose.z), dtype=np.float64)
        pixels = self._view.project(there.rotation.apply(self._points) + place)
        noise = self._rig.camera.corner_noise
        pixels = pixels + self._generator.normal(0.0, noise, pixels.shape)
        found = pose_from_pixels(self._view, self._points, pixels, Pose(x=x, y=y, yaw=yaw))
        seen = np.array((found.pose.x, found.pose.y, found.pose.yaw), dtype=np.float64)
        # Even with noise-free corners the assumed deviations stay above zero.
        deviations = max(noise, 0.05) * np.sqrt(np.diag(found.spread))
        return Sighting(time=moment, pose=seen, deviations=deviations)
