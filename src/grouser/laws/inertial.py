"""What accelerometers and gyroscopes feel: specific force and rates at a place of the body.

Frames: world with z up; body x forward, y left, z up; the sensor's own frame is turned in the body.
"""

import math

import numpy as np

from grouser.geometry import Array, Pose, Twist
from grouser.laws.slope import GRAVITY


def rates_in_body(twist: Twist) -> Array:
    """Return the angular velocity in the body frame [rad/s]."""
    return np.array((twist.roll_rate, twist.pitch_rate, twist.yaw_rate), dtype=np.float64)


def velocity_in_body(twist: Twist) -> Array:
    """Return the velocity of the body's origin in the body frame [m/s]."""
    return np.array((twist.vx, twist.vy, twist.vz), dtype=np.float64)


def specific_force_in_body(
    before: tuple[Pose, Twist], now: tuple[Pose, Twist], duration: float, place: Array
) -> Array:
    """Return what an accelerometer at a place of the body measures, in the body frame [m/s^2].

        f = R^T (a + g z) + alpha x r + omega x (omega x r)

    R takes body to world coordinates, a is the acceleration of the body's origin, omega and alpha
    are angular velocity and acceleration. All are means over a tick: a and alpha are differences of
    velocities, R^T and omega are the means of both ends, so that a steady turn has no error of
    first order in the tick. At rest on level ground f is g along z: the ground pushes, gravity is
    not felt.

    Args:
        before: Pose and velocity at the start of the tick.
        now: Pose and velocity at its end.
        duration: Length of the tick [s].
        place: Place r of the sensor in the body frame [m].
    """
    (pose_before, twist_before), (pose, twist) = before, now
    turn_before, turn = turn_matrix(pose_before), turn_matrix(pose)
    change = turn @ velocity_in_body(twist) - turn_before @ velocity_in_body(twist_before)
    in_world = change / duration
    in_world[2] += GRAVITY
    felt = 0.5 * (in_world @ turn_before + in_world @ turn)
    if not place.any():
        return felt
    rates_before, rates = rates_in_body(twist_before), rates_in_body(twist)
    alpha, omega = (rates - rates_before) / duration, 0.5 * (rates + rates_before)
    return felt + _cross(alpha, place) + _cross(omega, _cross(omega, place))


def turn_matrix(pose: Pose) -> Array:
    """Return `Pose.matrix` of one robot, ten times as fast [1]."""
    if not math.isfinite(pose.roll + pose.pitch + pose.yaw):
        return np.full((3, 3), np.nan)
    cr, cp, cy = math.cos(pose.roll), math.cos(pose.pitch), math.cos(pose.yaw)
    sr, sp, sy = math.sin(pose.roll), math.sin(pose.pitch), math.sin(pose.yaw)
    return np.array((
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (0.0 - sp, cp * sr, cp * cr),
    ))  # fmt: skip


def _cross(a: Array, b: Array) -> Array:
    """Return the cross product of two vectors; that of numpy takes ten times as long."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))
