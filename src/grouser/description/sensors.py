"""Sensors of a robot, as its file describes them.

Frame: the body frame of the robot. A sensor that is mounted somewhere has a frame of its own, named
`<name>_link`: its origin is `position`; roll, pitch and yaw turn the body frame to it, about fixed
axes in this order. Files spell units in their keys.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from annotated_types import Interval
from pydantic import Field, Strict, model_validator

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
    Vector,
)

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


class SensorTable(Table):
    """Table of a sensor below `[sensors]`."""

    simulated_by: ClassVar[str | type]
    """The simulated sensor: a class, or `module:class`, imported when a robot has the sensor."""
    name: PartName
    """Name of the sensor, unique on its robot; its columns, topics and frame are named by it."""
    latency: NotNegative = Field(default=0.0, alias="latency_s")
    """Time from a measurement to when it is known [s]."""


class MountedSensor(SensorTable):
    """A sensor that measures in a frame of its own."""

    position: Vector = Field(default=(0.0, 0.0, 0.0), alias="position_m")
    """Origin of its frame in the body frame [m]."""
    roll: Degrees = Field(default=0.0, alias="roll_deg")
    """Turn of its frame about body x, first [rad]."""
    pitch: Degrees = Field(default=0.0, alias="pitch_deg")
    """Turn of its frame about body y, second; positive looks down [rad]."""
    yaw: Degrees = Field(default=0.0, alias="yaw_deg")
    """Turn of its frame about body z, third; positive looks to the left [rad]."""

    @property
    def frame(self) -> str:
        """Name of its frame."""
        return f"{self.name}_link"

    @property
    def rotation(self) -> "Rotation":
        """The rotation that takes coordinates of its frame to coordinates of the body."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_euler("xyz", [self.roll, self.pitch, self.yaw])

    def mirrored(self) -> Self:
        """Return the sensor with left and right exchanged."""
        x, y, z = self.position
        turned = {"position": (x, -y, z), "roll": -self.roll, "yaw": -self.yaw}
        return super().mirrored().model_copy(update=turned)


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


class Imu(MountedSensor):
    """Measures the angular rates of the body."""

    simulated_by = "grouser.simulation.sensors.imu:Gyroscope"
    name: PartName = "imu"
    """Name of the sensor."""
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
    """What the robot carries: one table of a kind, or a list of tables; None if it has none."""

    encoder: Encoder | None = None
    """Encoders of the drives."""
    imu: Imu | None = None
    """Inertial measurement unit."""

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
