"""What a filter believes: a mean and a covariance.

| state | unit | what |
|---|---|---|
| `x` `y` `yaw` | m, rad | pose of the body on the floor |
| `v` `yaw_rate` | m/s, rad/s | forward speed and yaw rate over the last step |
| `gyro_bias` | rad/s | what the gyroscope says too much |
| `slip_left` `slip_right` | 1 | slip ratio of each side, 1 - ground speed / belt speed |
| `slip_angle` | rad | from the body's x axis to its velocity, positive drifts left |

Two more are kept and not shown: what the encoder of each side has counted too much, less than a
step, which does not grow with the way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNITS = {
    "x": "m",
    "y": "m",
    "yaw": "rad",
    "v": "m/s",
    "yaw_rate": "rad/s",
    "gyro_bias": "rad/s",
    "slip_left": "1",
    "slip_right": "1",
    "slip_angle": "rad",
}
"""Unit of each state that is shown."""
NAMES = tuple(UNITS)
"""The states that are shown, in their order."""
X, Y, YAW, V, RATE, BIAS, SLIP_L, SLIP_R, ANGLE, EXCESS_L, EXCESS_R = range(11)
"""Where each state is."""
SIZE = 11
"""How many states there are."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belief:
    """What is known of one robot, or of many at once: leading axes count them."""

    mean: NDArray[np.float64]
    """Most likely state (..., 11) [units as `UNITS`, m for the last two]."""
    covariance: NDArray[np.float64]
    """Its covariance (..., 11, 11) [products of those units]."""

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviation of each state (..., 11) [units as of the mean]."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))

    def value(self, name: str) -> NDArray[np.float64]:
        """Return the most likely value of a state [unit as `UNITS`]."""
        return self.mean[..., NAMES.index(name)]

    def deviation(self, name: str) -> NDArray[np.float64]:
        """Return the standard deviation of a state [unit as `UNITS`]."""
        return self.deviations[..., NAMES.index(name)]
