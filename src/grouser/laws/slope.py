"""Effects of a slope: more slip, and a component of the weight along the ground.

Slopes are positive uphill [rad], `mass` is in [kg], `coefficient` in [1/rad].

Slip: P0 (Low et al.) reports that the slip ratio of each track grows about linearly between 8 and
28 degrees, in a figure alone. The default coefficient is therefore an assumption; replace it by a
fit. That the law also holds downhill, where the belt is overrun, is an assumption as well.

Weight (P3 eqs 5, 22, 23), where pitch is positive nose down and roll right side down:

    F_gx = m g sin(pitch),   F_gy = -m g sin(roll) cos(pitch),   N = m g cos(pitch) cos(roll)
"""

from collections.abc import Sequence

import numpy as np

from grouser.geometry import Pose, Scalar

DEFAULT_COEFFICIENT = float(0.005 / np.deg2rad(1.0))
"""Assumed growth of the slip ratio with slope, 0.005 per degree [1/rad]."""
LOWEST_SLIP = -0.5
"""Smallest slip ratio the law returns [1]."""
HIGHEST_SLIP = 0.95
"""Largest slip ratio the law returns [1]."""


def slope_slip(alpha_flat: Scalar, coefficient: Scalar, slope: Scalar) -> Scalar:
    """Return the slip ratio of a track on a slope [1].

    a(s) = a_0 + k s, kept between `LOWEST_SLIP` and `HIGHEST_SLIP`
    """
    return np.clip(alpha_flat + coefficient * slope, LOWEST_SLIP, HIGHEST_SLIP)


GRAVITY = 9.81
"""Acceleration of gravity, as P3 uses it [m/s^2]."""


def grade_forces(mass: Scalar, pitch: Scalar, roll: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return the weight along x, along y and into the ground, of axes tilted so [N]."""
    weight, level = mass * GRAVITY, np.cos(pitch)
    return weight * np.sin(pitch), -weight * np.sin(roll) * level, weight * np.cos(roll) * level


LEAST_LOAD = 0.01
"""Share of its weight that a robot in the plane keeps on the ground while it is lifted [1]."""


def add_push(
    weight: tuple[Scalar, Scalar, Scalar], force: Sequence[float], pose: Pose
) -> tuple[Scalar, Scalar, Scalar]:
    """Return forces along x, along y and into the ground, as of `grade_forces`, with a push [N].

    The push is in the world frame; planar models do not lift off, however hard it pulls.
    """
    x, y, z = np.asarray(force, np.float64) @ pose.matrix.reshape(-1, 3, 3)[0]
    ahead, left, into = weight
    return ahead + x, left + y, np.maximum(into - z, LEAST_LOAD * into)
