"""Places on the earth from places on a course: WGS 84, without approximation.

The world of a course stands on its datum: z up, x turned from east counter-clockwise.
"""

import math

import numpy as np

from grouser.geometry import Array

EQUATOR = 6378137.0
"""Radius of the earth at the equator [m]."""
FLATTENING = 1.0 / 298.257223563
"""Flattening of the ellipsoid [1]."""
_SQUARED = FLATTENING * (2.0 - FLATTENING)


class Datum:
    """A place on the earth that is the origin of a world."""

    def __init__(
        self, latitude: float, longitude: float, altitude: float, x_from_east: float = 0.0
    ) -> None:
        """Take a latitude [rad], a longitude [rad], a height above the ellipsoid [m].

        World x points `x_from_east` counter-clockwise from east [rad].
        """
        sin_lat, cos_lat = math.sin(latitude), math.cos(latitude)
        sin_lon, cos_lon = math.sin(longitude), math.cos(longitude)
        east = np.array((-sin_lon, cos_lon, 0.0))
        north = np.array((-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat))
        up = np.array((cos_lat * cos_lon, cos_lat * sin_lon, sin_lat))
        cos, sin = math.cos(x_from_east), math.sin(x_from_east)
        self._axes = np.stack((cos * east + sin * north, cos * north - sin * east, up), axis=1)
        self._origin = _earth_centred(latitude, longitude, altitude)

    def to_earth(self, place: Array) -> tuple[float, float, float]:
        """Return latitude [rad], longitude [rad] and height [m] of a place in the world [m]."""
        x, y, z = (self._origin + self._axes @ place).tolist()
        axis = math.hypot(x, y)
        latitude = math.atan2(z, axis * (1.0 - _SQUARED))
        for _ in range(5):  # converges by a factor of about 300 each time
            sin = math.sin(latitude)
            normal = EQUATOR / math.sqrt(1.0 - _SQUARED * sin * sin)
            latitude = math.atan2(z + _SQUARED * normal * sin, axis)
        sin, cos = math.sin(latitude), math.cos(latitude)
        normal = EQUATOR / math.sqrt(1.0 - _SQUARED * sin * sin)
        height = axis * cos + z * sin - normal * (1.0 - _SQUARED * sin * sin)
        return latitude, math.atan2(y, x), height

    def to_world(self, latitude: float, longitude: float, altitude: float) -> Array:
        """Return the place in the world of a latitude [rad], longitude [rad] and height [m]."""
        away = _earth_centred(latitude, longitude, altitude) - self._origin
        return self._axes.T @ away


def _earth_centred(latitude: float, longitude: float, altitude: float) -> Array:
    sin, cos = math.sin(latitude), math.cos(latitude)
    normal = EQUATOR / math.sqrt(1.0 - _SQUARED * sin * sin)
    return np.array((
        (normal + altitude) * cos * math.cos(longitude),
        (normal + altitude) * cos * math.sin(longitude),
        (normal * (1.0 - _SQUARED) + altitude) * sin,
    ))  # fmt: skip
