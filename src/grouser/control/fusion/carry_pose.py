"""Where a robot is a little later or earlier, at the speeds of a state."""

import numpy as np
from numpy.typing import NDArray

from grouser.control.fusion.belief import ANGLE, RATE, SIZE, YAW, V, X, Y
from grouser.geometry import arc_displacement


def carry_pose(
    mean: NDArray[np.float64], duration: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the pose (..., 3) after a duration, and its slopes (..., 3, 11) over the state.

    P0 eqs 2 to 5 along an arc. Slopes leave out the bend within the step, which changes them by
    less than (yaw_rate duration)^2 / 24.

    Args:
        mean: State (..., 11).
        duration: How much later; negative is earlier [s].
    """
    yaw, v, rate, angle = (mean[..., k] for k in (YAW, V, RATE, ANGLE))
    drift = np.tan(angle)
    dx, dy = arc_displacement(v, v * drift, rate, yaw, duration)
    pose = np.stack((mean[..., X] + dx, mean[..., Y] + dy, yaw + rate * duration), axis=-1)
    half = yaw + 0.5 * rate * duration
    cos, sin = np.cos(half), np.sin(half)
    slopes = np.zeros((*mean.shape[:-1], 3, SIZE))
    slopes[..., 0, X] = slopes[..., 1, Y] = slopes[..., 2, YAW] = 1.0
    slopes[..., 2, RATE] = duration
    along, across = cos - drift * sin, sin + drift * cos
    for row, by_speed, by_yaw, by_angle in ((0, along, -across, -sin), (1, across, along, cos)):
        slopes[..., row, V] = duration * by_speed
        slopes[..., row, YAW] = duration * v * by_yaw
        slopes[..., row, RATE] = 0.5 * duration**2 * v * by_yaw
        slopes[..., row, ANGLE] = duration * v * (1.0 + drift**2) * by_angle
    return pose, slopes
