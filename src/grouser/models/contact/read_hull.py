"""The hull's pose and twist, from the engine's numbers."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Pose, Twist


def read_hull(
    position: NDArray[np.float64], velocity: NDArray[np.float64], yaw: float
) -> tuple[Pose, Twist]:
    """Return pose and twist of a body on a free joint, from the engine's numbers.

    Args:
        position: Place [m] and quaternion, scalar first.
        velocity: Velocity in the world [m/s], angular velocity in the body [rad/s].
        yaw: Heading, which the quaternion knows only up to full turns [rad].
    """
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, position[3:7])
    rotation = matrix.reshape(3, 3)
    # Summed as for many robots: a product of matrices may round differently.
    vx, vy, vz = (
        float(column[0] * velocity[0] + column[1] * velocity[1] + column[2] * velocity[2])
        for column in rotation.T
    )
    roll_rate, pitch_rate, yaw_rate = (float(rate) for rate in velocity[3:6])
    x, y, z = (float(place) for place in position[:3])
    pose = Pose(
        x=x,
        y=y,
        z=z,
        roll=float(np.arctan2(rotation[2, 1], rotation[2, 2])),
        pitch=float(-np.arcsin(np.clip(rotation[2, 0], -1.0, 1.0))),
        yaw=yaw,
    )
    twist = Twist(
        vx=vx, vy=vy, vz=vz, roll_rate=roll_rate, pitch_rate=pitch_rate, yaw_rate=yaw_rate
    )
    return pose, twist
