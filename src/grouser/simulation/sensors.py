"""What the robot's own sensors would have said."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from grouser.description import Robot
from grouser.geometry import Scalar, clamp
from grouser.models import Motion


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of all sensors; empty for sensors that the robot does not have."""

    encoder_counts: tuple[float, ...] = ()
    """Counts of each drive's encoder since the start [1]."""
    belt_speeds: tuple[float, ...] = ()
    """Belt speed of each drive by its encoder, over the last tick [m/s]."""
    angular_rates: tuple[float, ...] = ()
    """Roll, pitch and yaw rate by the gyroscope, in the body frame [rad/s]."""


class Encoders:
    """Counts whole steps of each drive; speed is the difference of two counts.

    Counts are rounded from the belt's whole travel, so no step is ever lost.
    """

    def __init__(self, robot: Robot, generator: Generator) -> None:
        encoder = robot.sensors.encoder
        assert encoder is not None  # made only for robots that have one
        self._steps = [encoder.travel_per_step(drive.side) for drive in robot.drives]
        self._noise = encoder.speed_noise
        self._generator = generator
        self.counts = tuple(0.0 for _ in robot.drives)

    def read(self, belt_travels: Sequence[Scalar], duration: float) -> tuple[float, ...]:
        """Return the measured belt speeds over the last `duration` seconds [m/s].

        Args:
            belt_travels: Travel of each belt since the start [m].
            duration: Time since the last reading [s].
        """
        before = self.counts
        lengths = zip(belt_travels, self._steps, strict=True)
        self.counts = tuple(float(np.floor(travel / step)) for travel, step in lengths)
        changes = zip(self.counts, before, self._steps, strict=True)
        speeds = [(now - then) * step / duration for now, then, step in changes]
        if self._noise > 0.0:
            speeds = [speed + self._generator.normal(0.0, self._noise) for speed in speeds]
        return tuple(speeds)


class Gyroscope:
    """Angular rates with one offset per axis, noise, whole steps and a limited range."""

    def __init__(self, robot: Robot, generator: Generator) -> None:
        imu = robot.sensors.imu
        assert imu is not None  # made only for robots that have one
        self._range, self._noise = imu.gyro_range, imu.gyro_noise
        self._step = 2.0 * imu.gyro_range / 2.0**imu.gyro_bits
        self._generator = generator
        # Drawn in any case, so that a measured offset leaves all noise as it was.
        drawn = generator.uniform(-imu.gyro_bias, imu.gyro_bias, 3)
        self.offset = drawn if imu.gyro_offset is None else np.array(imu.gyro_offset)
        self._rate, self._time, self._samples = imu.rate, 0.0, 0
        self._last: tuple[float, ...] = (0.0, 0.0, 0.0)

    def sample(self, rates: tuple[float, ...], duration: float) -> tuple[float, ...]:
        """Return its last reading, `duration` later: a new one if one was due by then."""
        self._time += duration
        # A millionth of a sample early counts: ticks and samples of one rate must not beat.
        due = int(self._time * self._rate + 1e-6)
        if due > self._samples:
            self._samples, self._last = due, self.read(rates)
        return self._last

    def read(self, rates: tuple[float, ...]) -> tuple[float, ...]:
        """Return what it says at these roll, pitch and yaw rates [rad/s]."""
        noisy = np.asarray(rates) + self.offset + self._generator.normal(0.0, self._noise, 3)
        steps = np.round(clamp(noisy, -self._range, self._range) / self._step)
        return tuple(float(rate) for rate in steps * self._step)


class SensorSuite:
    """All sensors of a robot, read once per tick."""

    def __init__(self, robot: Robot, generator: Generator) -> None:
        sensors = robot.sensors
        self._encoders = Encoders(robot, generator) if sensors.encoder else None
        self._gyroscope = Gyroscope(robot, generator) if sensors.imu else None

    def read(self, motion: Motion, duration: float) -> Reading:
        """Return a reading after `duration` of that motion."""
        counts: tuple[float, ...] = ()
        speeds: tuple[float, ...] = ()
        rates: tuple[float, ...] = ()
        if self._encoders is not None:
            speeds = self._encoders.read(motion.belt_travels, duration)
            counts = self._encoders.counts
        if self._gyroscope is not None:
            twist = motion.twist
            rates = self._gyroscope.sample(
                (twist.roll_rate, twist.pitch_rate, twist.yaw_rate),  # type: ignore[arg-type]
                duration,
            )
        return Reading(encoder_counts=counts, belt_speeds=speeds, angular_rates=rates)
