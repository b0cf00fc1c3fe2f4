"""How a planar model gets its height, roll and pitch: the tracks rest on the terrain."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.terrain import Terrain
from grouser.geometry import Pose, rotate
from grouser.laws.settling import profile_offsets, settle


class Drape:
    """Rests a robot on a terrain; exact on slopes, quasi-static over kinks and crests.

    Each side settles on the profile under its own centre line. Pitch is the mean of both
    sides, roll follows from their difference in height. Left out: suspension, and that a hull
    may touch the ground between its tracks.
    """

    def __init__(self, robot: Robot, terrain: Terrain) -> None:
        self._terrain = terrain
        self._is_one_plane = len(terrain.solids) == len(terrain.planes) == 1
        self._radius = robot.wheel_radius
        self._distance = robot.wheel_distance
        self._half_gauge = robot.gauge / 2.0
        self._com_x = robot.centre_of_mass[0]
        self._offsets = profile_offsets(self._radius, self._distance)

    def rest(self, pose: Pose) -> Pose:
        """Return `pose` with the height, roll and pitch at which the robot rests there."""
        if self._is_one_plane:  # exact, and a tenth of the time
            return self._terrain.pose_at(pose.x, pose.y, pose.yaw)
        heights, noses_up = self._rest_sides(pose)
        nose_up = 0.5 * (noses_up[0] + noses_up[1])
        # The roll of a body that is pitched already: ZYX angles of the plane through both sides.
        cross_slope = (heights[0] - heights[1]) / (2.0 * self._half_gauge)
        roll = np.arctan(cross_slope * np.cos(nose_up))
        # Straight below the settled point; the body's origin is one radius below it, at a slant.
        z = 0.5 * (heights[0] + heights[1]) - self._radius / np.cos(nose_up)
        return Pose(x=pose.x, y=pose.y, z=z, roll=roll, pitch=-nose_up, yaw=pose.yaw)

    def _rest_sides(self, pose: Pose) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return height [m] and nose-up angle [rad] of the settled left and right side."""
        x, y, yaw = np.broadcast_arrays(pose.x, pose.y, pose.yaw)
        shape = (2,) + (1,) * (x.ndim + 1)
        y_in_body = np.array((self._half_gauge, -self._half_gauge)).reshape(shape)
        dx, dy = rotate(self._offsets, y_in_body, yaw[..., None])
        heights = self._terrain.height(x[..., None] + dx, y[..., None] + dy)
        settled = settle(
            self._offsets, np.asarray(heights), self._radius, self._distance, self._com_x
        )
        return np.asarray(settled[0]), np.asarray(settled[1])
