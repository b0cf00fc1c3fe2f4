"""An overhead camera that measures the pose of a robot by its markers."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.geometry import Pose, arc_displacement
from grouser.laws.camera import overhead_view, pose_from_pixels
from grouser.models import Motion
from grouser.simulation.sensors.sensor import SLACK


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """A pose measured by a camera."""

    time: float
    """Time of exposure [s]."""
    pose: NDArray[np.float64]
    """x, y and yaw [m and rad]."""
    deviations: NDArray[np.float64]
    """Their standard deviations [m and rad]."""


class OverheadCamera:
    """Measures the pose at the camera's rate; each measurement arrives after its latency.

    Nothing is rendered: marker corners are projected, noise is added, and the pose is solved for
    as in a real picture. Left out: occlusion, and the edge of the picture.
    """

    def __init__(self, rig: Rig, generator: Generator) -> None:
        self._rig, self._generator, self._view = rig, generator, overhead_view(rig)
        self._points = np.concatenate([marker.corners() for marker in rig.markers])
        self._taken = 0
        self._coming: deque[Sighting] = deque()

    def look(self, time: float, motion: Motion) -> list[Sighting]:
        """Return the measurements that arrived since the last call.

        Args:
            time: Current time, not before that of the last call [s].
            motion: Current motion, taken as constant since the last call.
        """
        while self._taken / self._rig.camera.rate <= time + SLACK:
            moment = self._taken / self._rig.camera.rate
            self._coming.append(self._picture(moment, time - moment, motion))
            self._taken += 1
        known = []
        while self._coming and self._coming[0].time + self._rig.camera.latency <= time + SLACK:
            known.append(self._coming.popleft())
        return known

    def _picture(self, moment: float, age: float, motion: Motion) -> Sighting:
        pose, twist = motion.pose, motion.twist
        dx, dy = arc_displacement(twist.vx, twist.vy, twist.yaw_rate, pose.yaw, -age)
        x, y, yaw = (
            float(part) for part in (pose.x + dx, pose.y + dy, pose.yaw - twist.yaw_rate * age)
        )
        there = Pose(x=x, y=y, z=pose.z, roll=pose.roll, pitch=pose.pitch, yaw=yaw)
        place = np.array((x, y, pose.z), dtype=np.float64)
        pixels = self._view.project(there.rotation.apply(self._points) + place)
        noise = self._rig.camera.corner_noise
        pixels = pixels + self._generator.normal(0.0, noise, pixels.shape)
        found = pose_from_pixels(self._view, self._points, pixels, Pose(x=x, y=y, yaw=yaw))
        seen = np.array((found.pose.x, found.pose.y, found.pose.yaw), dtype=np.float64)
        # Even with noise-free corners the assumed deviations stay above zero.
        deviations = max(noise, 0.05) * np.sqrt(np.diag(found.spread))
        return Sighting(time=moment, pose=seen, deviations=deviations)
