"""How tracks slip on the ground, for dynamic models: angles and ratios that stay within bounds.

After P3, eqs 2 and 7-10 (reconstructed), in the project frame: y to the left, yaw to the left.

    alpha    = atan2(V, max(|U|, e))
    U_GL, U_GR = U - omega b/2, U + omega b/2
    lambda_i = clip( (belt_i - U_Gi) / max(|belt_i|, |U_Gi|, e), -1, 1 )

U, V are the body's speeds over the ground, along and across. The floor e [A] keeps both finite
at rest; a robot slower than e is held by a force that is viscous instead of sticking.
"""

import numpy as np

from grouser.geometry import Scalar


def sideslip_angle(vx: Scalar, vy: Scalar, floor: Scalar) -> Scalar:
    """Return the angle between the way a robot points and the way it goes, drift to the left [rad].

    Args:
        vx: Forward speed over the ground [m/s].
        vy: Leftward speed over the ground [m/s].
        floor: Least forward speed that counts [m/s].
    """
    return np.arctan2(vy, np.maximum(np.abs(vx), floor))


def track_ground_speeds(vx: Scalar, yaw_rate: Scalar, gauge: Scalar) -> tuple[Scalar, Scalar]:
    """Return how fast the left and the right track move over the ground, forward [m/s].

    Args:
        vx: Forward speed of the body over the ground [m/s].
        yaw_rate: Yaw rate, positive to the left [rad/s].
        gauge: Distance between the tracks [m].
    """
    outward = yaw_rate * (0.5 * gauge)
    return vx - outward, vx + outward


def longitudinal_slip(belt_speed: Scalar, ground_speed: Scalar, floor: Scalar) -> Scalar:
    """Return the slip relative to the larger of both speeds, -1 (locked) to 1 (spinning) [1].

    Args:
        belt_speed: Speed of the belt [m/s].
        ground_speed: Forward speed of the track over the ground [m/s].
        floor: Least speed that counts [m/s].
    """
    larger = np.maximum(np.maximum(np.abs(belt_speed), np.abs(ground_speed)), floor)
    return np.minimum(np.maximum((belt_speed - ground_speed) / larger, -1.0), 1.0)


def resting_shift(shift: Scalar, ground_speed: Scalar, width: Scalar) -> Scalar:
    """Return the horizontal shift of a robot that may stand or reverse, S_h tanh(U_G / w) [1].

    P3's constant shift pushes a robot that stands (53 N per track of the Tankbot), and does not
    turn round when it drives backwards; this one does [A].

    Args:
        shift: Horizontal shift S_h when driving forward [1].
        ground_speed: Forward speed of the track over the ground [m/s].
        width: Speed w at which three quarters of the shift are there [m/s].
    """
    return shift * np.tanh(ground_speed / width)
