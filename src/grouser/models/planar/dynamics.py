"""Right-hand side of the planar dynamics, and its curves.

The number is squeezed to u = |w| / (1 + |w|), in which the magic formula is smooth
from rest to full slip, so that evenly spaced cubics are exact to 1e-9 of the largest force.

State: x, y [m], yaw [rad], their rates [m/s, rad/s], left and right sprocket speed [rad/s].
x and y lie in the ground; the ground runs backwards at U_0. The equations are in
docs/models/tankbot.md. Left out: load transfer between the tracks, rolling resistance.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from grouser.laws.track_forces import (
    ellipse_utilisation,
    longitudinal_slip,
    magic_formula,
    motor_torque,
    pressure_ahead,
    pressure_aside,
    resting_shift,
    track_ground_speeds,
)
from grouser.models.planar.compiled import compiled

INTERVALS = 1024
"""Cubics of a table [1]."""


@cache
def slip_curve(B: float, C: float, E: float) -> NDArray[np.float64]:
    """Return the table of the magic formula for D = 1, over B times a slip ratio."""
    return _tabulate(lambda stretched: magic_formula(stretched / B, B, C, 1.0, E))


@cache
def drift_curve(B: float, C: float, E: float) -> NDArray[np.float64]:
    """Return the same for an angle, over B times its tangent."""
    return _tabulate(lambda stretched: magic_formula(np.arctan(stretched / B), B, C, 1.0, E))


def _tabulate(function: Callable[[Any], Any]) -> NDArray[np.float64]:
    squeezed = np.linspace(0.0, 1.0, INTERVALS + 1)
    values = function(squeezed / np.maximum(1.0 - squeezed, 1e-15))
    cubics = CubicSpline(np.arange(INTERVALS + 1.0), values).c.T
    return np.ascontiguousarray(cubics).ravel()


@compiled
def look_up(curves: Any, which: int, number: float) -> float:
    """Return the value of one of some tabulated functions."""
    size = abs(number)
    place = size / (1.0 + size) * INTERVALS
    interval = min(int(place), INTERVALS - 1)
    rest = place - interval
    at = np.uint64(4 * (which * INTERVALS + interval))  # unsigned: never counted from the end
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    value = ((curves[at] * rest + curves[at + one]) * rest + curves[at + two]) * rest + curves[
        at + three
    ]
    return value if number >= 0.0 else -value


_PER_QUARTER = 2.0 / np.pi


@compiled
def cos_sin(angle: float) -> tuple[float, float]:
    """Return cosine and sine, by the polynomials of the Cephes library [rad]."""
    quarters = np.floor(angle * _PER_QUARTER + 0.5)
    # A quarter turn in three parts, so that what is left of a large angle is exact.
    rest = angle - quarters * 1.57079625129699707031e0
    rest = rest - quarters * 7.54978941586159635336e-8
    rest = rest - quarters * 5.39030285815811905290e-15
    z = rest * rest
    sin = rest + rest * z * (
        ((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z
           + 2.75573136213857245213e-6) * z - 1.98412698295895385996e-4) * z
         + 8.33333333332211858878e-3) * z - 1.66666666666666307295e-1
    )  # fmt: skip
    cos = 1.0 - 0.5 * z + z * z * (
        ((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z
           - 2.75573141792967388112e-7) * z + 2.48015872888517045348e-5) * z
         - 1.38888888888730564116e-3) * z + 4.16666666666665929218e-2
    )  # fmt: skip
    turn = int(quarters) & 3
    if turn & 1:
        cos, sin = -sin, cos
    if turn & 2:
        cos, sin = -cos, -sin
    return cos, sin


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

    `left` and `right` are whether a torque [N m] or a sprocket speed [rad/s] is commanded, and it;
    `grade` is the weight along x, along y and into the ground [N]; `c` is a record of `Packed`.
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
def _sprocket_rate(speed: float, force: float, commanded: Any, c: Any) -> float:
    load = c.drive_damping * speed + c.sprocket_radius * force
    if commanded[0]:
        return (commanded[1] - load) / c.drive_inertia
    # The inner speed loop compensates the load, as fast integral action would.
    torque = load + c.drive_inertia * (commanded[1] - speed) / c.servo_time
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
