"""Which speed each motor works towards, for one robot or for many at once."""

import numpy as np
from numpy.typing import NDArray

from grouser.models.model import SideMeans


def motor_targets(
    speeds: NDArray[np.float64],
    sides: SideMeans,
    linear_gain: float,
    angular_gain: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the motors' speeds, and mean and difference (right - left) of `speeds` [m/s].

    Args:
        speeds: Speed of each drive; drives along the first axis, robots along another [m/s].
        sides: Means over the robot's sides.
        linear_gain: Factor on the mean of the two sides' speeds [1].
        angular_gain: Factor on their difference [1].
    """
    left, right = sides(speeds)
    mean = 0.5 * (right + left)
    motors = linear_gain * mean + angular_gain * (speeds - mean)
    return motors, mean, right - left
