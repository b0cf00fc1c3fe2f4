"""Pose and twist of many hulls, from the engine's numbers; bit for bit as of one (`read_hull`)."""

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Pose, Twist


def read_hulls(
    q: NDArray[np.float64], v: NDArray[np.float64], yaw: NDArray[np.float64]
) -> tuple[Pose, Twist]:
    """Return poses and twists of bodies on free joints; a row of `q` and `v` for each.

    Args:
        q: Place [m] and quaternion, scalar first, and whatever follows.
        v: Velocity in the world [m/s], angular velocity in the body [rad/s], and so on.
        yaw: Headings, which quaternions know only up to full turns [rad].
    """
    r = _rotation(q[:, 3:7])
    vx, vy, vz = (r[0][k] * v[:, 0] + r[1][k] * v[:, 1] + r[2][k] * v[:, 2] for k in range(3))
    roll, pitch = np.arctan2(r[2][1], r[2][2]), -np.arcsin(np.clip(r[2][0], -1.0, 1.0))
    rates = {"roll_rate": v[:, 3], "pitch_rate": v[:, 4], "yaw_rate": v[:, 5]}
    pose = Pose(x=q[:, 0], y=q[:, 1], z=q[:, 2], roll=roll, pitch=pitch, yaw=yaw)
    return pose, Twist(vx=vx, vy=vy, vz=vz, **rates)


def _rotation(quaternions: NDArray[np.float64]) -> tuple[tuple[NDArray[np.float64], ...], ...]:
    """Return the rotation matrices of quaternions, as rows of arrays, as the engine does."""
    w, x, y, z = quaternions.T
    return (
        (w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
