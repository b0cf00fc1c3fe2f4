"""Sensors that look at the world around the robot: lidar, camera, GNSS, compass.

Frames are those of `sensor_table`. A lidar has azimuth 0 along x of its frame, positive to the
left, and elevation positive upwards. A camera looks along x of its frame; the pictures themselves
are in the frame `<name>_optical_frame`: x to the right, y down, z ahead, by REP 103.
"""

import math
from typing import Annotated, Literal, Self

from annotated_types import Interval
from pydantic import AfterValidator, Field, Strict, model_validator

from grouser import limits
from grouser.description.schema import (
    Degrees,
    NotNegative,
    Number,
    PartName,
    Positive,
)
from grouser.description.sensor_table import MountedSensor


def _from_micro(number: float) -> float:
    return 1e-6 * number


Share = Annotated[Number, Interval(ge=0.0, le=1.0)]
"""A number from 0 to 1."""
Micro = Annotated[Number, AfterValidator(_from_micro)]
"""Written in millionths of the SI unit, kept in the SI unit."""
NotNegativeMicro = Annotated[NotNegative, AfterValidator(_from_micro)]
"""A number that is zero or above, written in millionths of the SI unit, kept in the SI unit."""
FullTurn = Annotated[Number, Interval(gt=0.0, le=360.0), AfterValidator(math.radians)]
"""An angle up to a full turn, written in degrees, kept in radians."""
PinholeAngle = Annotated[Number, Interval(gt=0.0, le=170.0), AfterValidator(math.radians)]
"""An angle that a picture can show, written in degrees, kept in radians."""
Latitude = Annotated[Number, Interval(ge=-90.0, le=90.0), AfterValidator(math.radians)]
"""An angle from -90 to 90 degrees, kept in radians."""
Longitude = Annotated[Number, Interval(ge=-180.0, le=180.0), AfterValidator(math.radians)]
"""An angle from -180 to 180 degrees, kept in radians."""
Pixels = Annotated[int, Strict(), Interval(ge=1, le=8192)]
"""Width or height of a picture [pixels]."""


def _check_range(near: float, far: float) -> None:
    if near >= far:
        raise ValueError(
            f"range_m must go from the smaller to the larger distance, not from {near:g} to {far:g}"
        )


class Lidar(MountedSensor):
    """Measures distances along rays: one ring of them (2D), or several (3D)."""

    simulated_by = "grouser.simulation.sensors.lidar:LidarScanner"
    name: PartName = "lidar"
    """Name of the sensor."""
    rate: Positive = Field(default=10.0, alias="rate_hz")
    """Scans per second [1/s]."""
    field_of_view: FullTurn = Field(default=360.0, alias="field_of_view_deg", validate_default=True)
    """Angle between the first and the last ray of a ring, half of it to each side [rad]."""
    rays: Annotated[int, Strict(), Interval(ge=1, le=limits.RAYS)]
    """Rays of a ring."""
    rings: Annotated[int, Strict(), Interval(ge=1, le=4096)] = 1
    """Rings; with more than one it is a 3D lidar."""
    elevation: tuple[Latitude, Latitude] = Field(default=(0.0, 0.0), alias="elevation_deg")
    """Elevation of the lowest and of the highest ring; that of a single ring is the first [rad]."""
    range: tuple[NotNegative, Positive] = Field(alias="range_m")
    """Least and greatest distance that it measures [m]."""
    noise: NotNegative = Field(default=0.0, alias="noise_m")
    """Standard deviation of a distance [m]."""
    dropout: Share = 0.0
    """Share of rays that return nothing although they meet something [1]."""
    scan_time: NotNegative = Field(default=0.0, alias="scan_time_s")
    """Time from the first to the last ray of a scan; 0 if all are measured at once [s]."""
    is_logged: bool = Field(default=False, alias="log_ranges")
    """Whether every distance is a column of logs, and not only the nearest one."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_range(*self.range)
        if self.rays * self.rings > limits.RAYS:
            raise ValueError(f"rays times rings must be at most {limits.RAYS:,}")
        if self.is_logged and self.rays * self.rings > limits.COLUMNS // 2:
            raise ValueError(f"log_ranges needs rays times rings below {limits.COLUMNS // 2:,}")
        if self.scan_time * self.rate > 1.0 + 1e-9:
            raise ValueError(
                f"scan_time_s must be at most the time of a scan, {1.0 / self.rate:g}, "
                f"not {self.scan_time:g}"
            )
        low, high = self.elevation
        if low > high:
            raise ValueError("elevation_deg must go from the lower to the higher angle")
        return self


class Camera(MountedSensor):
    """A camera without distortion, for colour or for depth; an RGB-D camera is two of them."""

    simulated_by = "grouser.drawing.camera_sensor:CameraSensor"
    name: PartName = "camera"
    """Name of the sensor."""
    rate: Positive = Field(default=10.0, alias="rate_hz")
    """Pictures per second [1/s]."""
    kind: Literal["colour", "depth"] = "colour"
    """What a pixel is: red, green and blue from 0 to 255, or the distance along the axis in m."""
    size: tuple[Pixels, Pixels] = Field(default=(320, 240), alias="size_px")
    """Width and height of a picture [pixels]."""
    field_of_view: PinholeAngle = Field(
        default=70.0, alias="field_of_view_deg", validate_default=True
    )
    """Horizontal angle of the picture [rad]."""
    range: tuple[Positive, Positive] = Field(default=(0.1, 20.0), alias="range_m")
    """Least and greatest depth that is measured [m]."""
    noise: NotNegative = Field(default=0.0, alias="noise_m")
    """Standard deviation of a depth [m]."""
    level_noise: NotNegative = 0.0
    """Standard deviation of a colour, of 255 levels [1]."""
    shadows: bool = False
    """Whether pictures in colour have shadows, which take several times as long."""

    @property
    def optical_frame(self) -> str:
        """Name of the frame of its pictures: x to the right, y down, z ahead."""
        return f"{self.name}_optical_frame"

    @property
    def focal_length(self) -> float:
        """Focal length, the same along both axes [pixels]."""
        return 0.5 * self.size[0] / math.tan(0.5 * self.field_of_view)

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_range(*self.range)
        return self


class Gnss(MountedSensor):
    """A satellite receiver: position of its antenna, with outages."""

    simulated_by = "grouser.simulation.sensors.gnss:GnssReceiver"
    name: PartName = "gnss"
    """Name of the sensor."""
    rate: Positive = Field(default=5.0, alias="rate_hz")
    """Positions per second [1/s]."""
    noise: NotNegative = Field(default=0.0, alias="noise_m")
    """Standard deviation of each position along x and along y, independent [m]."""
    vertical_noise: NotNegative = Field(default=0.0, alias="vertical_noise_m")
    """Standard deviation of each height, independent [m]."""
    slow_noise: NotNegative = Field(default=0.0, alias="slow_noise_m")
    """Standard deviation of an error along each axis that changes slowly [m]."""
    slow_time: Positive = Field(default=60.0, alias="slow_time_s")
    """Time in which that error is forgotten [s]."""
    outage_every: NotNegative = Field(default=0.0, alias="outage_every_s")
    """Mean time with a position between two outages; 0 if there are none [s]."""
    outage_time: NotNegative = Field(default=0.0, alias="outage_time_s")
    """Mean time of an outage [s]."""
    latitude: Latitude = Field(default=0.0, alias="latitude_deg")
    """Latitude of the world's origin, WGS 84 [rad]."""
    longitude: Longitude = Field(default=0.0, alias="longitude_deg")
    """Longitude of the world's origin, WGS 84 [rad]."""
    altitude: Number = Field(default=0.0, alias="altitude_m")
    """Height of the world's origin above the ellipsoid [m]."""
    x_from_east: Degrees = Field(default=0.0, alias="x_from_east_deg")
    """Direction of world x, counter-clockwise from east [rad]."""


class Compass(MountedSensor):
    """A magnetometer: the magnetic field of the earth in its own frame, and a heading from it."""

    simulated_by = "grouser.simulation.sensors.compass:Magnetometer"
    name: PartName = "compass"
    """Name of the sensor."""
    rate: Positive = Field(default=20.0, alias="rate_hz")
    """Readings per second [1/s]."""
    strength: Annotated[Positive, AfterValidator(_from_micro)] = Field(
        default=49.0, alias="strength_uT", validate_default=True
    )
    """Strength of the earth's field [T]."""
    inclination: Latitude = Field(default=65.0, alias="inclination_deg", validate_default=True)
    """How far the field points below the horizontal [rad]."""
    declination: Degrees = Field(default=0.0, alias="declination_deg")
    """How far magnetic north lies to the east of true north [rad]."""
    x_from_east: Degrees = Field(default=0.0, alias="x_from_east_deg")
    """Direction of world x, counter-clockwise from east [rad]."""
    hard_iron: tuple[Micro, Micro, Micro] = Field(default=(0.0, 0.0, 0.0), alias="hard_iron_uT")
    """Field of the robot itself in the sensor's frame [T]."""
    noise: NotNegativeMicro = Field(default=0.0, alias="noise_uT")
    """Standard deviation of each component [T]."""

    def mirrored(self) -> Self:
        """Return the sensor with left and right exchanged, in the same field of the earth."""
        x, y, z = self.hard_iron
        return super().mirrored().model_copy(update={"hard_iron": (x, -y, z)})
