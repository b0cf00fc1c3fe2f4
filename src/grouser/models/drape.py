"""How a planar model gets its height, roll and pitch: the tracks rest on the terrain."""

import numpy as np

from grouser.description import Robot
from grouser.description.terrain import Terrain
from grouser.geometry import Pose, Scalar, rotate
from grouser.laws.settling import profile_offsets, settle


class Drape:
    """Rests a robot on a terrain; exact on slopes, quasi-static over kinks and crests.

    Each side settles on the profile under its own centre line. Pitch is the mean of both
    sides, roll follows from their difference in height. Left out: suspension, and that a hull
    may touch the ground between its tracks.
    """

    def __init__(self, robot: Robot, terrain: Terrain) -> None:
        self._terrain = terrain
        self._radius = robot.wheel_radius
        self._distance = robot.wheel_distance
        self._half_gauge = robot.gauge / 2.0
        self._com_x = robot.body.centre_of_mass[0]
        self._offsets = profile_offsets(self._radius, self._distance)

    def rest(self, pose: Pose) -> Pose:
        """Return `pose` with the height, roll and pitch at which the robot rests there."""
        height_left, nose_up_left = self._rest_side(pose, +self._half_gauge)
        height_right, nose_up_right = self._rest_side(pose, -self._half_gauge)
        nose_up = 0.5 * (nose_up_left + nose_up_right)
        roll = np.arctan2(height_left - height_right, 2.0 * self._half_gauge)
        # The settled point is midway between the wheel centres, one radius above the origin.
        z = 0.5 * (height_left + height_right) - self._radius * np.cos(nose_up) * np.cos(roll)
        return Pose(x=pose.x, y=pose.y, z=z, roll=roll, pitch=-nose_up, yaw=pose.yaw)

    def _rest_side(self, pose: Pose, y_in_body: float) -> tuple[Scalar, Scalar]:
        forward = self._offsets
        yaw = np.asarray(pose.yaw)[..., None]
        dx, dy = rotate(forward, y_in_body, yaw)
        heights = self._terrain.height(
            np.asarray(pose.x)[..., None] + dx, np.asarray(pose.y)[..., None] + dy
        )
        return settle(forward, heights, self._radius, self._distance, self._com_x)
