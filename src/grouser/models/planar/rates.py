"""Right-hand side of the planar dynamics, compiled from the laws. P3 eqs 1-24 and 30-32.

State: x, y [m], yaw [rad], their rates [m/s, rad/s], left and right sprocket speed [rad/s].
x and y lie in the ground; the ground runs backwards at U_0. The equations are in
docs/models/tankbot.md. Left out: load transfer between the tracks, rolling resistance.
"""

from typing import Any

from grouser.laws.friction_ellipse import ellipse_utilisation
from grouser.laws.motor_map import motor_torque
from grouser.laws.pressure_centre import pressure_ahead, pressure_aside
from grouser.laws.track_slip import (
    longitudinal_slip,
    resting_shift,
    track_ground_speeds,
)
from grouser.models.planar.compiled import compiled
from grouser.models.planar.curves import cos_sin, look_up

# The laws themselves, compiled: an equation stands in one place only. Those with angles are tables.
_ground_speeds = compiled(track_ground_speeds)
_slip = compiled(longitudinal_slip)
_resting_shift = compiled(resting_shift)
_utilisation = compiled(ellipse_utilisation)
_ahead = compiled(pressure_ahead)
_aside = compiled(pressure_aside)
_torque = compiled(motor_torque)


@compiled
def side_torque(voltage: float, forward: Any, backward: Any) -> float:
    """Return the torque of one side's motor, by the map of the voltage's sign [N m]."""
    curve = forward if voltage > 0.0 else backward
    return _torque(voltage, curve[0], curve[1], curve[2], curve[3])


@compiled
def speeds_over_ground(state: Any, c: Any) -> Any:
    """Return forward, leftward, left track's and right track's speed over the ground [m/s]."""
    cos, sin = cos_sin(state[2])
    along, across = state[3] + c.ground_speed, state[4]
    forward, leftward = along * cos + across * sin, across * cos - along * sin
    left, right = _ground_speeds(forward, state[5], c.gauge)
    return forward, leftward, left, right, cos, sin


@compiled
def track_slips(state: Any, left_ground: float, right_ground: float, c: Any) -> Any:
    """Return the shifted slip of the left and of the right track, what the force follows [1]."""
    left = _slip(c.sprocket_radius * state[6], left_ground, c.speed_floor)
    right = _slip(c.sprocket_radius * state[7], right_ground, c.speed_floor)
    if c.shift_width > 0.0:
        return (
            left + _resting_shift(c.shift, left_ground, c.shift_width),
            right + _resting_shift(c.shift, right_ground, c.shift_width),
        )
    return left + c.shift, right + c.shift


@compiled
def lateral_force(forward: float, leftward: float, yaw_rate: float, c: Any, curves: Any) -> Any:
    """Return the lateral force [N] and its yaw moment [N m], before the friction ellipse.

    At one point, D_x ahead of the centre (P3), or spread evenly over the contact's length.
    """
    points, speed = int(c.points), max(abs(forward), c.speed_floor)
    if points == 1:
        force = -c.lateral_limit * look_up(
            curves, c.lateral_curve, c.lateral_stiffness * leftward / speed
        )
        return force, force * _ahead(leftward, yaw_rate, c.front, c.rear, c.yaw_rate_floor)
    force, moment = 0.0, 0.0
    for k in range(points):
        ahead = (k + 0.5) / points * (c.front + c.rear) - c.rear
        drift = (leftward + yaw_rate * ahead) / speed
        share = (
            -c.lateral_limit
            * look_up(curves, c.lateral_curve, c.lateral_stiffness * drift)
            / points
        )
        force += share
        moment += share * ahead
    return force, moment


@compiled
def ground_forces(state: Any, c: Any, curves: Any) -> Any:
    """Return left, right, lateral force [N], lateral moment [N m], utilisation [1], cos, sin.

    And, last, forward speed and both tracks' speeds over the ground [m/s].
    """
    forward, leftward, left_ground, right_ground, cos, sin = speeds_over_ground(state, c)
    left_slip, right_slip = track_slips(state, left_ground, right_ground, c)
    left = c.track_limit * look_up(curves, c.track_curve, c.track_stiffness * left_slip)
    right = c.track_limit * look_up(curves, c.track_curve, c.track_stiffness * right_slip)
    lateral, moment = lateral_force(forward, leftward, state[5], c, curves)
    used = _utilisation(lateral, left + right, c.lateral_limit, 2.0 * c.track_limit)
    if used > 1.0:
        left, right, lateral, moment = left / used, right / used, lateral / used, moment / used
    return left, right, lateral, moment, used, cos, sin, (forward, left_ground, right_ground)


@compiled
def planar_rates(state: Any, left: Any, right: Any, grade: Any, c: Any, curves: Any) -> Any:
    """Return the time derivative of the state and, last, speeds over the ground [m/s].

    Args:
        state: The eight states.
        left: Whether a torque [N m] or a sprocket speed [rad/s] is asked of the left, and it.
        right: The same of the right.
        grade: Weight along x, along y and into the ground [N].
        c: Constants of the robot, a record.
        curves: Tables, see `Packed`.
    """
    left_force, right_force, lateral, moment, _, cos, sin, speeds = ground_forces(state, c, curves)
    along = left_force + right_force
    aside = _aside(grade[1] * cos - grade[0] * sin, grade[2], c.com_height, 0.5 * c.gauge)
    turning = 0.5 * c.gauge * (right_force - left_force) + moment - aside * along
    return (
        state[3],
        state[4],
        state[5],
        (along * cos - lateral * sin + grade[0]) / c.mass,
        (along * sin + lateral * cos + grade[1]) / c.mass,
        turning / c.inertia,
        _sprocket_rate(state[6], left_force, left, c),
        _sprocket_rate(state[7], right_force, right, c),
        speeds,
    )


@compiled
def _sprocket_rate(speed: float, force: float, asked: Any, c: Any) -> float:
    load = c.drive_damping * speed + c.sprocket_radius * force
    if asked[0]:
        return (asked[1] - load) / c.drive_inertia
    # The inner speed loop knows the load, as one with fast integral action would.
    torque = load + c.drive_inertia * (asked[1] - speed) / c.servo_time
    return (min(max(torque, -c.torque_limit), c.torque_limit) - load) / c.drive_inertia


@compiled
def fastest_rate(state: Any, speeds: Any, c: Any) -> float:
    """Return a bound on how fast slips and belts settle, which limits the step [1/s]."""
    forward, left_ground, right_ground = speeds
    slowest = min(
        max(abs(c.sprocket_radius * state[6]), abs(left_ground)),
        max(abs(c.sprocket_radius * state[7]), abs(right_ground)),
    )
    half = 0.5 * c.gauge
    track = c.track_stiffness * c.track_shape * c.track_limit / max(slowest, c.speed_floor)
    # Both tracks together move the mass, against each other they turn it.
    mobility = c.sprocket_radius * c.sprocket_radius / c.drive_inertia + 2.0 * max(
        1.0 / c.mass, half * half / c.inertia
    )
    across = abs(c.lateral_stiffness * c.lateral_shape * c.lateral_limit) / max(
        abs(forward), c.speed_floor
    )
    arm = max(c.front, c.rear) if c.points > 1.0 else 0.0
    slips = max(track * mobility, across * (1.0 / c.mass + arm * arm / c.inertia))
    return max(slips, 1.0 / c.servo_time, c.drive_damping / c.drive_inertia)
