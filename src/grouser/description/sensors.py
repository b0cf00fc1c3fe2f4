"""Sensors on the robot."""

from typing import Annotated

from annotated_types import Interval
from pydantic import Field, Strict

from grouser.description.schema import (
    NotNegative,
    NotNegativeDegrees,
    Positive,
    PositiveDegrees,
    Table,
)


class Encoder(Table):
    """Counts the turns of every drive in steps."""

    ticks_per_revolution: Annotated[int, Strict(), Interval(ge=1)]
    """Steps in one turn of the wheel."""
    wheel_radius: Positive = Field(alias="wheel_radius_m")
    """Travel of the belt per angle of the wheel [m]."""
    speed_noise: NotNegative = Field(default=0.0, alias="speed_noise_m_s")
    """Standard deviation of a measured speed, beside the steps [m/s]."""


class Imu(Table):
    """Measures the angular rates of the body."""

    gyro_range: PositiveDegrees = Field(alias="gyro_range_deg_s")
    """Largest rate that it can show, either way [rad/s]."""
    gyro_bits: Annotated[int, Strict(), Interval(ge=1, le=64)]
    """Bits of a reading, which covers the range both ways."""
    gyro_bias: NotNegativeDegrees = Field(default=0.0, alias="gyro_bias_deg_s")
    """Largest constant offset, either way; one device has one offset within it [rad/s]."""
    gyro_noise: NotNegativeDegrees = Field(default=0.0, alias="gyro_noise_deg_s")
    """Standard deviation of a reading [rad/s]."""
    rate: Positive = Field(alias="rate_hz")
    """Readings per second [1/s]."""


class Sensors(Table):
    """What the robot carries; None for what it does not."""

    encoder: Encoder | None = None
    """Encoders of the drives."""
    imu: Imu | None = None
    """Inertial measurement unit."""
