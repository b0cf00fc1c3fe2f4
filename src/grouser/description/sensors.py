"""Sensors of a robot, as its file describes them, and those that measure the robot itself.

Frames are those of `sensor_table`. Files spell units in their keys.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from annotated_types import Interval
from pydantic import Field, Strict, model_validator

from grouser import limits
from grouser.description.outer_sensors import Camera, Compass, Gnss, Lidar, Share
from grouser.description.schema import (
    Count,
    Degrees,
    Factor,
    Mistakes,
    NotNegative,
    NotNegativeDegrees,
    PartName,
    Positive,
    PositiveDegrees,
    Side,
    Table,
)
from grouser.description.sensor_table import MountedSensor, SensorTable

__all__ = [
    "Bumper", "Camera", "Compass", "Encoder", "Gnss", "Imu", "Lidar", "MotorCurrent",
    "MountedSensor", "SensorTable", "Sensors",
]  # fmt: skip


class Encoder(SensorTable):
    """Counts the turns of every drive in steps."""

    simulated_by = "grouser.simulation.sensors.encoders:Encoders"
    name: PartName = "encoder"
    """Name of the sensor."""
    ticks_per_revolution: Count
    """Steps in one turn of the wheel."""
    wheel_radius: Positive = Field(alias="wheel_radius_m")
    """Travel of the belt per angle of the wheel [m]."""
    speed_noise: NotNegative = Field(default=0.0, alias="speed_noise_m_s")
    """Standard deviation of a measured speed, beside the steps [m/s]."""
    scale_left: Factor = 1.0
    """True travel of the left belt over the travel by its steps and `wheel_radius` [1]."""
    scale_right: Factor = 1.0
    """True travel of the right belt over the travel by its steps and `wheel_radius` [1]."""

    def travel_per_step(self, side: Side, ticks_per_revolution: int | None = None) -> float:
        """Return how far the belt of a side runs in one step [m].

        Args:
            side: Which belt.
            ticks_per_revolution: Steps per turn of another counter; its own if not
                given.
        """
        scale = self.scale_left if side == "left" else self.scale_right
        steps = ticks_per_revolution or self.ticks_per_revolution
        return 2.0 * math.pi * self.wheel_radius * scale / steps

    def mirrored(self) -> "Encoder":
        """Return the encoders with left and right exchanged."""
        exchanged = {"scale_left": self.scale_right, "scale_right": self.scale_left}
        return self.model_copy(update=exchanged)


Bits = Annotated[int, Strict(), Interval(ge=1, le=64)]
"""Bits of a reading."""


class Imu(MountedSensor):
    """Measures angular rates and, with `accelerometer_range_m_s2`, specific force."""

    simulated_by = "grouser.simulation.sensors.imu:Gyroscope"
    name: PartName = "imu"
    """Name of the sensor."""
    gyro_range: PositiveDegrees = Field(alias="gyro_range_deg_s")
    """Largest rate that it can show, either way [rad/s]."""
    gyro_bits: Bits
    """Bits of a reading, which covers the range both ways."""
    gyro_bias: NotNegativeDegrees = Field(default=0.0, alias="gyro_bias_deg_s")
    """Largest constant offset, either way; one device has one offset within it [rad/s]."""
    gyro_offset: tuple[Degrees, Degrees, Degrees] | None = Field(
        default=None, alias="gyro_offset_deg_s"
    )
    """What this device shows about x, y, z at rest; None if that was not measured [rad/s]."""
    gyro_noise: NotNegativeDegrees = Field(default=0.0, alias="gyro_noise_deg_s")
    """Standard deviation of a reading [rad/s]."""
    gyro_noise_density: NotNegativeDegrees = Field(
        default=0.0, alias="gyro_noise_density_deg_s_sqrt_hz"
    )
    """Density of white noise, added to `gyro_noise` [rad/s/sqrt(Hz)]."""
    gyro_random_walk: NotNegativeDegrees = Field(default=0.0, alias="gyro_random_walk_deg_s_sqrt_s")
    """How fast the offset wanders [rad/s/sqrt(s)]."""
    accelerometer_range: Positive | None = Field(default=None, alias="accelerometer_range_m_s2")
    """Largest specific force that it can show, either way; None without an accelerometer
    [m/s^2]."""
    accelerometer_bits: Bits = 16
    """Bits of a reading of the accelerometer, which covers the range both ways."""
    accelerometer_bias: NotNegative = Field(default=0.0, alias="accelerometer_bias_m_s2")
    """Largest constant offset, either way; one device has one offset within it [m/s^2]."""
    accelerometer_noise_density: NotNegative = Field(
        default=0.0, alias="accelerometer_noise_density_m_s2_sqrt_hz"
    )
    """Density of white noise of the accelerometer [m/s^2/sqrt(Hz)]."""
    accelerometer_random_walk: NotNegative = Field(
        default=0.0, alias="accelerometer_random_walk_m_s2_sqrt_s"
    )
    """How fast the offset of the accelerometer wanders [m/s^2/sqrt(s)]."""
    rate: Positive = Field(alias="rate_hz")
    """Readings per second [1/s]."""


class MotorCurrent(SensorTable):
    """Measures the current of each drive's motor, from the force on its belt."""

    simulated_by = "grouser.simulation.sensors.motor_current:CurrentMeter"
    name: PartName = "motor_current"
    """Name of the sensor."""
    rate: Positive = Field(default=50.0, alias="rate_hz")
    """Readings per second [1/s]."""
    torque_constant: Positive = Field(alias="torque_constant_N_m_A")
    """Torque of a motor per current [N m/A]."""
    gear_ratio: Factor = 1.0
    """Turns of the motor per turn of the sprocket [1]."""
    efficiency: Annotated[Share, Interval(ge=0.01)] = 1.0
    """Share of the motor's power that reaches the belt [1]."""
    idle_current: NotNegative = Field(default=0.0, alias="idle_current_A")
    """Current of a motor that turns without a load [A]."""
    limit: Positive | None = Field(default=None, alias="limit_A")
    """Largest current that it can show, either way; None for no limit [A]."""
    noise: NotNegative = Field(default=0.0, alias="noise_A")
    """Standard deviation of a reading [A]."""


class Bumper(SensorTable):
    """A strip at the front or the rear that is pressed by what it touches."""

    simulated_by = "grouser.simulation.sensors.bumper:BumperStrip"
    name: PartName = "bumper"
    """Name of the sensor."""
    rate: Positive = Field(default=50.0, alias="rate_hz")
    """Readings per second [1/s]."""
    side: Literal["front", "rear"] = "front"
    """Which end of the robot it is at."""
    height: Positive | None = Field(default=None, alias="height_m")
    """Height of the strip in the body frame; that of the hull's centre if None [m]."""
    width: Positive | None = Field(default=None, alias="width_m")
    """Length of the strip, half of it to each side; the width of the hull if None [m]."""
    travel: Positive = Field(default=0.01, alias="travel_m")
    """How far ahead of the robot's end the strip reaches [m]."""
    rays: Annotated[int, Strict(), Interval(ge=2, le=1000)] = 9
    """Number of places of the strip that are looked at."""


class Sensors(Table):
    """What the robot carries: one table of a kind, or a list of tables; None if it has none."""

    encoder: Encoder | None = None
    """Encoders of the drives."""
    imu: Imu | None = None
    """Inertial measurement unit."""
    gnss: Gnss | None = None
    """Satellite receiver."""
    compass: Compass | None = None
    """Magnetometer."""
    motor_current: MotorCurrent | None = None
    """Current of the motors."""
    bumper: Bumper | None = None
    """Strip that is pressed by what it touches."""
    lidar: tuple[Lidar, ...] = Field(default=(), max_length=limits.SENSORS)
    """Lidars."""
    camera: tuple[Camera, ...] = Field(default=(), max_length=limits.SENSORS)
    """Cameras for colour and for depth."""

    @property
    def tables(self) -> tuple[SensorTable, ...]:
        """All sensors, in the order of their columns in a log."""
        found = (getattr(self, kind) for kind in type(self).model_fields)
        many = (content if isinstance(content, tuple) else (content,) for content in found)
        return tuple(table for tables in many for table in tables if table is not None)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        mistakes = list(_repeated_names(self.tables))
        if mistakes:
            raise Mistakes(mistakes)
        return self

    def mirrored(self) -> "Sensors":
        """Return the sensors with left and right exchanged."""
        changed = {}
        for kind in type(self).model_fields:
            content = getattr(self, kind)
            if isinstance(content, tuple):
                changed[kind] = tuple(table.mirrored() for table in content)
            elif content is not None:
                changed[kind] = content.mirrored()
        return self.model_copy(update=changed)


def _repeated_names(tables: tuple[SensorTable, ...]) -> Iterator[str]:
    for name, count in Counter(table.name for table in tables).items():
        if count > 1:
            yield f" name {name!r} is given to {count} sensors; names must differ"
