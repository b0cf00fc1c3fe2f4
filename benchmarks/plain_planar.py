"""The planar right-hand side in plain numpy, from the laws: one robot, or many as arrays."""

import numpy as np

from grouser.laws.track_forces import (
    ellipse_utilisation,
    longitudinal_slip,
    magic_formula,
    motor_torque,
    pressure_ahead,
    pressure_aside,
    track_ground_speeds,
)
from grouser.models.planar.constants import Constants


def sideslip_angle(vx, vy, floor):
    """Return the angle from a robot's axis to its velocity, P3 eq 2, positive to the left [rad]."""
    return np.arctan2(vy, np.maximum(np.abs(vx), floor))


def limit_to_ellipse(lateral, left, right, lateral_limit, longitudinal_limit):
    """Return lateral, left and right force, shortened together if outside, P3 eqs 14-16 [N]."""
    used = ellipse_utilisation(lateral, left + right, lateral_limit, longitudinal_limit)
    scale = 1.0 / np.maximum(used, 1.0)
    return lateral * scale, left * scale, right * scale


def sprocket_torque(voltage, forward, backward):
    """Return the torque of a motor with one map for each sign of the voltage [N m]."""
    return motor_torque(np.maximum(voltage, 0.0), *forward) + motor_torque(
        np.minimum(voltage, 0.0), *backward
    )


def plain_rates(state, voltages, grade, c: Constants):
    """Return the time derivative of x, y, yaw, their rates and both sprocket speeds."""
    _, _, yaw, x_rate, y_rate, yaw_rate, left_sprocket, right_sprocket = state
    cos, sin = np.cos(yaw), np.sin(yaw)
    along = x_rate + c.ground_speed
    forward, leftward = along * cos + y_rate * sin, y_rate * cos - along * sin
    forces = []
    grounds = track_ground_speeds(forward, yaw_rate, c.gauge)
    for sprocket, ground in zip((left_sprocket, right_sprocket), grounds, strict=True):
        slip = longitudinal_slip(c.sprocket_radius * sprocket, ground, c.speed_floor)
        forces.append(
            magic_formula(slip + c.shift, c.track_stiffness, c.track_shape, c.track_limit,
                          c.track_curvature)
        )  # fmt: skip
    lateral = -magic_formula(
        sideslip_angle(forward, leftward, c.speed_floor), c.lateral_stiffness, c.lateral_shape,
        c.lateral_limit, c.lateral_curvature,
    )  # fmt: skip
    lateral, left, right = limit_to_ellipse(lateral, *forces, c.lateral_limit, 2 * c.track_limit)
    ahead = pressure_ahead(leftward, yaw_rate, c.front, c.rear, c.yaw_rate_floor)
    aside = pressure_aside(grade[1] * cos - grade[0] * sin, grade[2], c.com_height, 0.5 * c.gauge)
    turning = 0.5 * c.gauge * (right - left) + ahead * lateral - aside * (left + right)
    torques = (
        sprocket_torque(voltages[0], c.left_forward, c.left_backward),
        sprocket_torque(voltages[1], c.right_forward, c.right_backward),
    )
    return (
        x_rate,
        y_rate,
        yaw_rate,
        ((left + right) * cos - lateral * sin + grade[0]) / c.mass,
        ((left + right) * sin + lateral * cos + grade[1]) / c.mass,
        turning / c.inertia,
        (torques[0] - c.drive_damping * left_sprocket - c.sprocket_radius * left) / c.drive_inertia,
        (torques[1] - c.drive_damping * right_sprocket - c.sprocket_radius * right)
        / c.drive_inertia,
    )
