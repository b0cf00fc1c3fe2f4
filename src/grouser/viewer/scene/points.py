"""Points of lidars in the scene, coloured by height."""

from collections import deque
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.sensors import Lidar
from grouser.models import Motion
from grouser.simulation.sensors import Reading, Sample
from grouser.simulation.sensors.lidar import directions_of
from grouser.simulation.sensors.mounting import Mounting
from grouser.viewer.pictures import STOPS
from grouser.viewer.scene.overlays import SceneNode

PERIOD = 0.2
"""Least simulated time between two scans of a lidar that are shown [s]."""
MOST_POINTS = 6_000
"""Most points of a lidar that are shown; of more, every second, third and so on is [1]."""
HEIGHTS = -0.5, 1.5
"""Heights of the first and the last colour, in robot lengths above the robot [1]."""
REMEMBERED = 64
"""Number of motions that are kept, to know where the robot was when a scan was taken [1]."""


class PointsNode(SceneNode):
    """Points of all lidars of a robot where the scans were taken."""

    def __init__(self, scene: viser.SceneApi, name: str, robot: Robot) -> None:
        super().__init__(scene, name)
        self._scene, self._name = scene, name
        self._size = robot.front - robot.rear
        lidars = [table for table in robot.sensors.tables if isinstance(table, Lidar)]
        self._lidars = [(table, Mounting(table)) for table in lidars]
        self._shown: dict[str, float] = {}
        self._motions: deque[tuple[float, Motion]] = deque(maxlen=REMEMBERED)

    @property
    def has_lidars(self) -> bool:
        """Whether the robot has a lidar."""
        return bool(self._lidars)

    def remember(self, time: float, motion: Motion) -> None:
        """Keep where the robot is at a time [s], also while no points are shown."""
        if self._motions and time < self._motions[-1][0]:
            self._motions.clear()
            self._shown.clear()
        self._motions.append((time, motion))

    def show(self, reading: Reading | None) -> None:
        """Show the newest scan of each lidar, if it is new."""
        if reading is None or not self._motions:
            return
        for table, mounting in self._lidars:
            sample = reading.latest(table.name)
            if sample is None or sample.array is None:
                continue
            if sample.time < self._shown.get(table.name, -np.inf) + PERIOD - 1e-9:
                continue
            self._shown[table.name] = sample.time
            taken = sample.time
            _, motion = min(self._motions, key=lambda one: abs(one[0] - taken))
            place, turn = mounting.in_world(motion)
            self._draw(table.name, points_of(sample, table) @ turn.T + place, float(motion.pose.z))

    def _draw(self, name: str, points: NDArray[np.float64], ground: float) -> None:
        points = points[:: -(-len(points) // MOST_POINTS)] if len(points) else points
        low, high = (ground + self._size * height for height in HEIGHTS)
        share = np.clip((points[:, 2] - low) / (high - low), 0.0, 1.0) * (len(STOPS) - 1)
        numbers, stops = np.arange(len(STOPS)), STOPS[::-1]
        colours = np.column_stack([np.interp(share, numbers, stops[:, n]) for n in range(3)])
        self._scene.add_point_cloud(
            f"{self._name}/{name}",
            points.astype(np.float32),
            colours.astype(np.uint8),
            point_size=0.015 * self._size,
            point_shape="circle",
            point_shading="flat",
            precision="float32",
        )


def points_of(sample: Sample, table: Any) -> NDArray[np.float64]:
    """Return what the rays of a scan met (n, 3), in the sensor's frame [m]."""
    array = np.asarray(sample.array, np.float64)
    if array.ndim == 1:  # distances of one ring
        returned = np.isfinite(array)
        array = array[returned, np.newaxis] * directions_of(table)[0][returned]
    points = array.reshape(-1, 3)
    return points[np.isfinite(points).all(axis=1)]
