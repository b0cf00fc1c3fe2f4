"""The middle of angles."""

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import wrap_angle


def middle_angle(angles: NDArray[np.float64]) -> float:
    """Return the median of angles that may be wrapped [rad].

    Args:
        angles: Around a common direction [rad].
    """
    about = np.angle(np.median(np.cos(angles)) + 1j * np.median(np.sin(angles)))
    return float(about + np.median(wrap_angle(angles - about)))
