"""What the camera of a rig would have said: where the robot was, late and with noise."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.geometry import Pose, arc_displacement
from grouser.laws.camera import overhead_view, pose_from_pixels
from grouser.models import Motion

SLACK = 1e-9
"""How far times may be apart and still be the same [s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """A pose that a camera saw."""

    time: float
    """When the picture was taken [s]."""
    pose: NDArray[np.float64]
    """x, y and yaw [m and rad]."""
    deviations: NDArray[np.float64]
    """Their standard deviations [m and rad]."""


class OverheadCamera:
    """Takes pictures at its rate, and says what it saw after its latency.

    Nothing is drawn: corners of all markers are projected, get the rig's noise, and give a pose as
    in a real picture. Left out: what hides markers, and the edge of the picture.
    """

    def __init__(self, rig: Rig, generator: Generator) -> None:
        self._rig, self._generator, self._view = rig, generator, overhead_view(rig)
        self._points = np.concatenate([marker.corners() for marker in rig.markers])
        self._taken = 0
        self._coming: deque[Sighting] = deque()

    def look(self, time: float, motion: Motion) -> list[Sighting]:
        """Return what is known now and was not at the last call.

        Args:
            time: Not before that of the last call; pictures since then are taken [s].
            motion: How the robot moves; it is taken to have moved so since the last call.
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
        # Exact corners still do not make a perfect camera.
        deviations = max(noise, 0.05) * np.sqrt(np.diag(found.spread))
        return Sighting(time=moment, pose=seen, deviations=deviations)
