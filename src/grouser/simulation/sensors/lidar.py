"""Lidar: distances along rays, with noise, drop-outs and a scan that takes time.

Left out: the robot itself and other robots, ruts, the width of a ray, intensity, rain and dust.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Lidar
from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.log.declaration import Declaration
from grouser.models.rays import ray_scene
from grouser.simulation.sensors.mounting import Mounting
from grouser.simulation.sensors.sensor import Columns, Moment, Sensor

POINT_BYTES = 12
"""Bytes of a point of three numbers [B]."""
FLOAT32 = 7
"""Number of the type of 32-bit numbers in sensor_msgs/PointField."""


class LidarScanner(Sensor):
    """Distances (rays) of one ring, or points (rings, rays, 3) in the sensor's frame [m].

    Rays are counted from the right to the left. By REP 117 a distance is infinite where nothing was
    met within reach, minus infinite where something is too near, and NaN where the ray was lost;
    points are NaN in all these cases. In a scan that takes time the scanner turns to the right: the
    last ray is the oldest, the first one is measured at the time of the sample.
    """

    def __init__(
        self, robot: Robot, course: Course | None, table: Lidar, generator: Generator
    ) -> None:
        if course is None:
            raise InvalidValue("course", course, "be given for a lidar")
        self.name, self.rate, self.latency = table.name, table.rate, table.latency
        self._table, self._generator = table, generator
        self._scene, self._mounting = ray_scene(course), Mounting(table)
        self.azimuths = azimuths_of(table)
        """Azimuth of each ray of a ring [rad]."""
        self._directions = directions_of(table)
        ages = np.linspace(0.0, table.scan_time, table.rays) if table.scan_time else np.zeros(1)
        self._ages: Array = np.asarray(ages, np.float64)
        columns: Columns = (
            (f"{self.name}_nearest", "m"),
            (f"{self.name}_nearest_azimuth", "rad"),
            (f"{self.name}_returns", "1"),
        )
        if table.is_logged:
            count = table.rings * table.rays
            columns += tuple((f"{self.name}_range.{n}", "m") for n in range(count))
        self.columns = columns
        declare = _declare_cloud if table.rings > 1 else _declare_scan
        self.declarations = (declare(table, self._mounting.frame),)

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return the nearest distance [m], its azimuth [rad], how many rays returned [1]."""
        ranges = self.measure(moment)
        if self._table.rings > 1:
            known = np.where(np.isfinite(ranges), ranges, np.nan)
            self.array = (known[..., np.newaxis] * self._directions).astype(np.float32)
        else:
            self.array = ranges[0].astype(np.float32)
        found = np.where(np.isfinite(ranges), ranges, np.inf)
        nearest = np.unravel_index(np.argmin(found), found.shape)
        distance, returns = float(found[nearest]), int(np.isfinite(ranges).sum())
        azimuth = float(self.azimuths[nearest[1]]) if returns else math.nan
        every = ranges.ravel().tolist() if self._table.is_logged else ()
        return (distance if returns else math.nan, azimuth, float(returns), *every)

    def measure(self, moment: Moment) -> Array:
        """Return the distances of a new scan (rings, rays) [m]."""
        table, shape = self._table, self._directions.shape[:2]
        if table.scan_time:
            places, turns = self._mounting.earlier_in_world(moment.motion, self._ages)
            rays = np.einsum("kij,rkj->rki", turns, self._directions).reshape(-1, 3)
            origins = np.broadcast_to(places, (*shape, 3)).reshape(-1, 3)
        else:
            origins, turn = self._mounting.in_world(moment.motion)
            rays = self._directions.reshape(-1, 3) @ turn.T
        near, far = table.range
        if not (np.isfinite(rays).all() and np.isfinite(origins).all()):
            return np.full(shape, np.nan)  # of a robot that is nowhere
        ranges = self._scene.cast(origins, rays, far).reshape(shape)
        if table.noise > 0.0:
            ranges = ranges + self._generator.normal(0.0, table.noise, shape)
        ranges = np.where(ranges < near, -np.inf, np.where(ranges > far, np.inf, ranges))
        if table.dropout > 0.0:
            is_lost = self._generator.random(shape) < table.dropout
            ranges = np.where(is_lost & np.isfinite(ranges), np.nan, ranges)
        return ranges


def azimuths_of(table: Lidar) -> Array:
    """Return the azimuths of the rays of a ring, from the right to the left [rad]."""
    view, count = table.field_of_view, table.rays
    if count == 1:
        return np.zeros(1)
    is_full = view > 2.0 * math.pi - 1e-9  # the last ray is not the first one again
    step = view / count if is_full else view / (count - 1)
    return -0.5 * view + step * np.arange(count, dtype=np.float64)


def directions_of(table: Lidar) -> Array:
    """Return the unit vectors of all rays in the sensor's frame (rings, rays, 3) [1]."""
    low, high = table.elevation
    elevation = np.linspace(low, high, table.rings)[:, np.newaxis]
    azimuth = azimuths_of(table)[np.newaxis]
    level = np.cos(elevation)
    parts = np.broadcast_arrays(level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation))
    return np.stack(parts, axis=-1)


def _declare_scan(table: Lidar, frame: str) -> Declaration:
    azimuths = azimuths_of(table)
    step = float(azimuths[1] - azimuths[0]) if table.rays > 1 else 0.0
    near, far = table.range
    return Declaration(
        topic=table.topic("scan"),
        kind="sensor_msgs/msg/LaserScan",
        frame=frame,
        constants={
            "angle_min": float(azimuths[0]),
            "angle_max": float(azimuths[-1]),
            "angle_increment": step,
            # The first ray is the newest: the time of the message is that of the first ray.
            "time_increment": -table.scan_time / max(table.rays - 1, 1),
            "scan_time": 1.0 / table.rate,
            "range_min": near,
            "range_max": far,
        },
        array="ranges",
    )


def _declare_cloud(table: Lidar, frame: str) -> Declaration:
    fields = [
        {"name": axis, "offset": 4 * n, "datatype": FLOAT32, "count": 1}
        for n, axis in enumerate("xyz")
    ]
    return Declaration(
        topic=table.topic("points"),
        kind="sensor_msgs/msg/PointCloud2",
        frame=frame,
        constants={
            "height": table.rings,
            "width": table.rays,
            "fields": fields,
            "is_bigendian": False,
            "point_step": POINT_BYTES,
            "row_step": POINT_BYTES * table.rays,
            "is_dense": False,
        },
        array="data",
    )
