"""Sensors on the robot."""

import math
from typing import Annotated

from annotated_types import Interval
from pydantic import Field, Strict

from grouser.description.schema import (
    Count,
    Degrees,
    Factor,
    NotNegative,
    NotNegativeDegrees,
    Positive,
    PositiveDegrees,
    Side,
    Table,
)


class Encoder(Table):
    """Counts the turns of every drive in steps."""

    ticks_per_revolution: Count
    """Steps in one turn of the wheel."""
    wheel_radius: Positive = Field(alias="wheel_radius_m")
    """Travel of the belt per angle of the wheel [m]."""
    speed_noise: NotNegative = Field(default=0.0, alias="speed_noise_m_s")
    """Standard deviation of a measured speed, beside the steps [m/s]."""
    scale_left: Factor = 1.0
    """True travel of the left belt over what its steps and `wheel_radius` say [1]."""
    scale_right: Factor = 1.0
    """True travel of the right belt over what its steps and `wheel_radius` say [1]."""

    def travel_per_step(self, side: Side, ticks_per_revolution: int | None = None) -> float:
        """Return how far the belt of a side runs in one step [m].

        Args:
            side: Which belt.
            ticks_per_revolution: Steps that somebody else counts in one turn; its own if not
                given.
        """
        scale = self.scale_left if side == "left" else self.scale_right
        steps = ticks_per_revolution or self.ticks_per_revolution
        return 2.0 * math.pi * self.wheel_radius * scale / steps

    def mirrored(self) -> "Encoder":
        """Return the encoders with left and right exchanged."""
        exchanged = {"scale_left": self.scale_right, "scale_right": self.scale_left}
        return self.model_copy(update=exchanged)


class Imu(Table):
    """Measures the angular rates of the body."""

    gyro_range: PositiveDegrees = Field(alias="gyro_range_deg_s")
    """Largest rate that it can show, either way [rad/s]."""
    gyro_bits: Annotated[int, Strict(), Interval(ge=1, le=64)]
    """Bits of a reading, which covers the range both ways."""
    gyro_bias: NotNegativeDegrees = Field(default=0.0, alias="gyro_bias_deg_s")
    """Largest constant offset, either way; one device has one offset within it [rad/s]."""
    gyro_offset: tuple[Degrees, Degrees, Degrees] | None = Field(
        default=None, alias="gyro_offset_deg_s"
    )
    """What this device shows about x, y, z at rest; None if that was not measured [rad/s]."""
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

    def mirrored(self) -> "Sensors":
        """Return the sensors with left and right exchanged."""
        return self.model_copy(
            update={"encoder": None if self.encoder is None else self.encoder.mirrored()}
        )
