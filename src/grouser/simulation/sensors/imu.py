"""Inertial measurement unit: a gyroscope."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Imu
from grouser.log.declaration import Declaration
from grouser.simulation.sensors.sensor import Moment, Sensor

RATES = ("gyro_roll_rate", "gyro_pitch_rate", "gyro_yaw_rate")
"""Columns of the angular rates."""
NOT_MEASURED = (-1.0, *[0.0] * 8)
"""A covariance that marks a quantity as not measured, by sensor_msgs/Imu."""


def _declaration() -> Declaration:
    """Return the message of a gyroscope; attitude and acceleration are marked as not measured."""
    fields = zip(("x", "y", "z"), RATES, strict=True)
    return Declaration(
        topic="imu",
        kind="sensor_msgs/msg/Imu",
        columns={f"angular_velocity.{axis}": column for axis, column in fields},
        constants={
            "orientation.w": 1.0,
            "orientation_covariance": list(NOT_MEASURED),
            "linear_acceleration_covariance": list(NOT_MEASURED),
        },
    )


class Gyroscope(Sensor):
    """Angular rates with constant bias per axis, noise, quantisation and saturation."""

    columns = tuple((name, "rad/s") for name in RATES)
    declarations = (_declaration(),)

    def __init__(
        self, robot: Robot, course: Course | None, table: Imu, generator: Generator
    ) -> None:
        self.name, self.latency = table.name, table.latency
        self._range, self._noise = table.gyro_range, table.gyro_noise
        self._step = 2.0 * table.gyro_range / 2.0**table.gyro_bits
        self._generator = generator
        # Always drawn, so that a known offset does not change the noise sequence.
        drawn = generator.uniform(-table.gyro_bias, table.gyro_bias, 3)
        self.offset = drawn if table.gyro_offset is None else np.array(table.gyro_offset)
        self._offsets: list[float] = self.offset.tolist()
        self.rate = table.rate

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return roll, pitch and yaw rate, in the body frame [rad/s]."""
        twist = moment.motion.twist
        return self.read((twist.roll_rate, twist.pitch_rate, twist.yaw_rate))  # type: ignore[arg-type]

    def read(self, rates: tuple[float, ...]) -> tuple[float, ...]:
        """Return a new sample at these roll, pitch and yaw rates [rad/s]."""
        noise = self._generator.normal(0.0, self._noise, 3).tolist()
        parts = zip(rates, self._offsets, noise, strict=True)
        return tuple([self._quantise(float(rate) + offset + n) for rate, offset, n in parts])

    def _quantise(self, rate: float) -> float:
        steps = min(max(rate, -self._range), self._range) / self._step
        # Rounding to a whole number loses the sign of zero.
        return rate if math.isnan(rate) else math.copysign(round(steps), rate) * self._step
