"""What a slope does to a robot: the weight's components along the ground. P3 eqs 5, 22, 23.

In the project frame, where pitch is positive nose down and roll right side down:

    F_gx = m g sin(pitch),   F_gy = -m g sin(roll) cos(pitch),   N = m g cos(pitch) cos(roll)
"""

import numpy as np

from grouser.geometry import Scalar

GRAVITY = 9.81
"""Acceleration of gravity, as P3 uses it [m/s^2]."""


def grade_forces(mass: Scalar, pitch: Scalar, roll: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return the weight along x, along y and into the ground, of axes tilted so [N].

    Args:
        mass: Mass of the robot [kg].
        pitch: Pitch of the axes, positive nose down [rad].
        roll: Roll of the axes, positive right side down [rad].
    """
    weight, level = mass * GRAVITY, np.cos(pitch)
    return weight * np.sin(pitch), -weight * np.sin(roll) * level, weight * np.cos(roll) * level
