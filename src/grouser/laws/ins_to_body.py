"""Velocity of an inertial navigation system in the frame of the body that carries it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.geometry import Scalar, rotate


def ins_to_body(v_enu: ArrayLike, roll: Scalar, pitch: Scalar, yaw: Scalar) -> NDArray[np.float64]:
    """Return forward, leftward and upward speed from a velocity in east, north and up [m/s].

    v_body = Rx(roll)^T Ry(pitch)^T Rz(yaw)^T v_enu

    P2 (Zhou et al.) measures forward and lateral speed this way: the three attitude angles alone
    make the direction cosine matrix, so nothing is integrated and nothing drifts.

    Args:
        v_enu: Velocity towards east, north and up, in its last axis [m/s].
        roll: Positive right side down [rad].
        pitch: Positive nose down; devices that count nose up need a minus sign [rad].
        yaw: Counter-clockwise from east; a compass heading, clockwise from north, is
            pi / 2 - yaw [rad].

    Returns:
        Velocity in the body frame (x forward, y left, z up), same shape as `v_enu` after
        broadcasting with the angles [m/s].
    """
    east, north, up = np.moveaxis(np.asarray(v_enu, dtype=float), -1, 0)
    ahead, vy_level = rotate(east, north, -np.asarray(yaw))
    # About y a positive turn takes z to x, so the pair (z, x) takes the place of (x, y).
    vz_unrolled, vx = rotate(up, ahead, -np.asarray(pitch))
    vy, vz = rotate(vy_level, vz_unrolled, -np.asarray(roll))
    return np.stack(np.broadcast_arrays(vx, vy, vz), axis=-1)
