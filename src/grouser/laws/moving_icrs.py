"""How the centres of rotation of tracks move with speed and curvature: linear, fitted to a robot.

    y = y_0 + a s + b c for each track,  x = x_0 + d s

with s = |V_r + V_l| / 2 of the belts and their contrast c = |V_r - V_l| / (|V_r| + |V_l|), which is
0 when driving straight and 1 on the spot. Left out: load, and that the ground decides too.
"""

from dataclasses import dataclass

import numpy as np

from grouser.geometry import Scalar
from grouser.laws.icr import TrackIcrs

LEAST = 0.05
"""How near a centre may come to the middle, over the gauge: centres never cross [1] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IcrMotion:
    """By how much centres move; none for centres that stay."""

    left_y_per_speed: Scalar = 0.0
    """Of the left centre along y, per speed [s]."""
    right_y_per_speed: Scalar = 0.0
    """Of the right centre along y, per speed [s]."""
    left_y_per_contrast: Scalar = 0.0
    """Of the left centre along y, from straight to on the spot [m]."""
    right_y_per_contrast: Scalar = 0.0
    """Of the right centre along y, from straight to on the spot [m]."""
    x_per_speed: Scalar = 0.0
    """Of both along x, per speed [s]."""


def moving_icrs(
    belt_left: Scalar, belt_right: Scalar, icrs: TrackIcrs, motion: IcrMotion, gauge: float
) -> tuple[Scalar, Scalar, Scalar]:
    """Return left_y, right_y and x of the centres at these belt speeds [m].

    Args:
        belt_left: Speed of the left belt [m/s].
        belt_right: Speed of the right belt [m/s].
        icrs: Where the centres are when driving straight and slowly.
        motion: How they move from there.
        gauge: True distance between the tracks [m].
    """
    total = np.abs(belt_left) + np.abs(belt_right)
    contrast = np.abs(belt_right - belt_left) / np.where(total > 0.0, total, 1.0)
    speed = 0.5 * np.abs(belt_right + belt_left)
    left = motion.left_y_per_speed * speed + motion.left_y_per_contrast * contrast
    right = motion.right_y_per_speed * speed + motion.right_y_per_contrast * contrast
    return (
        np.maximum(icrs.left_y + left, LEAST * gauge),
        np.minimum(icrs.right_y + right, -LEAST * gauge),
        icrs.x + motion.x_per_speed * speed,
    )
