"""Inertial measurement unit: a gyroscope, and an accelerometer if its range is given."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Imu
from grouser.geometry import Array
from grouser.laws.inertial import specific_force_in_body
from grouser.laws.sensor_noise import RandomWalk, saturate_and_quantise
from grouser.log.declaration import Declaration
from grouser.simulation.sensors.mounting import Mounting
from grouser.simulation.sensors.sensor import Columns, Moment, Sensor

RATES = ("gyro_roll_rate", "gyro_pitch_rate", "gyro_yaw_rate")
"""Columns of the angular rates."""
FORCES = ("accelerometer_x", "accelerometer_y", "accelerometer_z")
"""Columns of the specific force."""
NOT_MEASURED = [-1.0, *[0.0] * 8]
"""A covariance that marks a quantity as not measured, by sensor_msgs/Imu."""


def diagonal(deviations: Sequence[float]) -> list[float]:
    """Return a covariance of three independent quantities as a message has it, nine numbers."""
    return np.diag(np.square(deviations)).ravel().tolist()


def _declare(table: Imu, frame: str) -> Declaration:
    """Return the message; attitude, and force without an accelerometer, are not measured."""
    columns = {f"angular_velocity.{a}": c for a, c in zip("xyz", RATES, strict=True)}
    constants = {"orientation.w": 1.0, "orientation_covariance": list(NOT_MEASURED)}
    rate = math.sqrt(table.rate)
    if deviation := math.hypot(table.gyro_noise, table.gyro_noise_density * rate):
        constants["angular_velocity_covariance"] = diagonal([deviation] * 3)
    if table.accelerometer_range is None:
        constants["linear_acceleration_covariance"] = list(NOT_MEASURED)
    else:
        columns |= {f"linear_acceleration.{a}": c for a, c in zip("xyz", FORCES, strict=True)}
        if deviation := table.accelerometer_noise_density * rate:
            constants["linear_acceleration_covariance"] = diagonal([deviation] * 3)
    kind = "sensor_msgs/msg/Imu"
    return Declaration(
        topic=table.name, kind=kind, frame=frame, columns=columns, constants=constants
    )


class Gyroscope(Sensor):
    """Angular rates and specific force with bias, noise, random walk, steps and saturation.

    The specific force is the mean over the last tick. Left out: errors of scale and of alignment
    that are not known, temperature, vibration.
    """

    def __init__(
        self, robot: Robot, course: Course | None, table: Imu, generator: Generator
    ) -> None:
        self.name, self.latency, self.rate = table.name, table.latency, table.rate
        self._range, self._noise = table.gyro_range, table.gyro_noise
        self._density = table.gyro_noise_density
        self._step = 2.0 * table.gyro_range / 2.0**table.gyro_bits
        self._generator = generator
        # Always drawn, so that a known offset does not change the noise sequence.
        drawn = generator.uniform(-table.gyro_bias, table.gyro_bias, 3)
        self.offset = drawn if table.gyro_offset is None else np.array(table.gyro_offset)
        self._mounting = Mounting(table)
        # Generators of their own: what they draw does not change the noise of the gyroscope.
        walk, force = generator.spawn(2)
        self._walk = RandomWalk(table.gyro_random_walk, walk, size=3)
        self._accelerometer = _Accelerometer(table, self._mounting, force)
        columns: Columns = tuple((name, "rad/s") for name in RATES)
        if self._accelerometer.is_there:
            columns += tuple((name, "m/s^2") for name in FORCES)
        self.columns = columns
        self.declarations = (_declare(table, self._mounting.frame),)

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return rates about the sensor's axes [rad/s], and the specific force [m/s^2]."""
        twist = moment.motion.twist
        rates = twist.roll_rate, twist.pitch_rate, twist.yaw_rate
        if self._mounting.is_turned:
            rates = tuple((self._mounting.turn_to_body.T @ np.array(rates)).tolist())
        self._walk.advance(moment.duration)
        shown = self.read(rates, moment.duration)  # type: ignore[arg-type]
        return (*shown, *self._accelerometer.read(moment))

    def read(self, rates: tuple[float, ...], duration: float = math.inf) -> tuple[float, ...]:
        """Return a new sample at these roll, pitch and yaw rates [rad/s].

        Args:
            rates: True rates about the axes of the sensor [rad/s].
            duration: Time since the last sample, over which white noise averages out [s].
        """
        deviation = math.hypot(self._noise, self._density / math.sqrt(duration))
        noise = self._generator.normal(0.0, deviation, 3).tolist()
        offsets = (self.offset + self._walk.value).tolist()
        parts = zip(rates, offsets, noise, strict=True)
        return tuple([self._quantise(float(rate) + offset + n) for rate, offset, n in parts])

    def _quantise(self, rate: float) -> float:
        steps = min(max(rate, -self._range), self._range) / self._step
        # Rounding to a whole number loses the sign of zero.
        return rate if math.isnan(rate) else math.copysign(round(steps), rate) * self._step


class _Accelerometer:
    def __init__(self, table: Imu, mounting: Mounting, generator: Generator) -> None:
        self.is_there = table.accelerometer_range is not None
        self._range, self._bits = table.accelerometer_range or 0.0, table.accelerometer_bits
        self._density, self._mounting = table.accelerometer_noise_density, mounting
        bias = table.accelerometer_bias
        self._offset: Array = generator.uniform(-bias, bias, 3)
        noise, walk = generator.spawn(2)
        self._generator = noise
        self._walk = RandomWalk(table.accelerometer_random_walk, walk, size=3)

    def read(self, moment: Moment) -> list[float]:
        if not self.is_there:
            return []
        before, now = moment.previous, moment.motion
        felt = self._mounting.turn_to_body.T @ specific_force_in_body(
            (before.pose, before.twist),
            (now.pose, now.twist),
            moment.tick,
            self._mounting.place_in_body,
        )
        deviation = self._density / math.sqrt(moment.duration)
        noise = self._generator.normal(0.0, deviation, 3)
        drift = self._offset + self._walk.advance(moment.duration)
        return saturate_and_quantise(felt + drift + noise, self._range, self._bits).tolist()
