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
    track_ground_speeds,
)
from grouser.models.planar.compiled import compiled, inlined

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


@inlined
def look_up(curves: Any, which: int, number: float) -> float:
    """Return the value of one of some tabulated functions."""
    interval, rest = place_in_table(number)
    value = cubic(curves, which, interval, rest)
    return value if number >= 0.0 else -value


@inlined
def place_in_table(number: float) -> tuple[float, float]:
    """Return the interval of a table in which the size of a number is, and where in it [1]."""
    size = abs(number)
    place = size / (1.0 + size) * INTERVALS
    interval = min(np.floor(place), INTERVALS - 1.0)
    return interval, place - interval


@inlined
def cubic(curves: Any, which: int, interval: float, rest: float) -> float:
    """Return the value of a table at a place in one of its intervals."""
    at = np.uint64(4 * (which * INTERVALS + int(interval)))  # unsigned: never counted from the end
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    return ((curves[at] * rest + curves[at + one]) * rest + curves[at + two]) * rest + curves[
        at + three
    ]


_PER_QUARTER = 2.0 / np.pi


@inlined
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


_DOUBLINGS = 9
"""How often `tanh` doubles its argument, from at most 40 / 2^9 on [1]."""
_LARGEST_TANH = 20.0
"""Where the hyperbolic tangent is 1 but for less than a rounding error [1]."""


@inlined
def tanh(number: float) -> float:
    """Return the hyperbolic tangent, without calls and branches, so that lanes can share it.

    From exp(y) - 1 = e, of which exp(2 y) - 1 = e (e + 2), and tanh(x) = e / (e + 2) for y = 2 x.
    """
    y = min(abs(number), _LARGEST_TANH) * (2.0 / 2.0**_DOUBLINGS)
    z = y * y
    low = (1.0 + y * (1.0 / 2.0)) + z * (1.0 / 6.0 + y * (1.0 / 24.0))
    high = (1.0 / 120.0 + y * (1.0 / 720.0)) + z * (1.0 / 5040.0 + y * (1.0 / 40320.0))
    e = y * (low + z * z * high)
    for _ in range(_DOUBLINGS):
        e = e * (e + 2.0)
    value = e / (e + 2.0)
    return value if number >= 0.0 else -value


# The laws themselves, compiled: an equation stands in one place only. Those with functions that
# take long are tables or polynomials.
_ground_speeds = inlined(track_ground_speeds)
_slip = inlined(longitudinal_slip)
_utilisation = inlined(ellipse_utilisation)
_ahead = inlined(pressure_ahead)
_aside = inlined(pressure_aside)
_torque = inlined(motor_torque)


@compiled
def side_torque(voltage: float, forward: Any, backward: Any) -> float:
    """Return the torque of one side's motor, by the map of the voltage's sign [N m]."""
    curve = forward if voltage > 0.0 else backward
    return _torque(voltage, curve[0], curve[1], curve[2], curve[3])


@inlined
def speeds_over_ground(state: Any, c: Any) -> Any:
    """Return forward, leftward, left track's and right track's speed over the ground [m/s]."""
    cos, sin = cos_sin(state[2])
    along, across = state[3] + c.ground_speed, state[4]
    forward, leftward = along * cos + across * sin, across * cos - along * sin
    left, right = _ground_speeds(forward, state[5], c.gauge)
    return forward, leftward, left, right, cos, sin


@inlined
def track_slips(state: Any, left_ground: float, right_ground: float, c: Any) -> Any:
    """Return the shifted slip of the left and of the right track, what the force follows [1]."""
    left, right = plain_slips(state[6], state[7], left_ground, right_ground, c)
    return left + slip_shift(left_ground, c), right + slip_shift(right_ground, c)


@inlined
def plain_slips(
    left_speed: float, right_speed: float, left_ground: float, right_ground: float, c: Any
) -> Any:
    """Return the slips of both tracks without their shift, at sprocket speeds [1]."""
    return (
        _slip(c.sprocket_radius * left_speed, left_ground, c.speed_floor),
        _slip(c.sprocket_radius * right_speed, right_ground, c.speed_floor),
    )


@inlined
def slip_shift(ground_speed: float, c: Any) -> float:
    """Return the horizontal shift of a track's slip [1]."""
    return c.shift * tanh(ground_speed / c.shift_width) if c.shift_width > 0.0 else c.shift


@inlined
def lateral_slip(forward: float, leftward: float, c: Any) -> float:
    """Return what the lateral force at one point follows [1]."""
    return c.lateral_stiffness * leftward / max(abs(forward), c.speed_floor)


@inlined
def lateral_moment(force: float, leftward: float, yaw_rate: float, c: Any) -> float:
    """Return the yaw moment of a lateral force at one point, D_x ahead of the centre [N m]."""
    return force * _ahead(leftward, yaw_rate, c.front, c.rear, c.yaw_rate_floor)


@inlined
def lateral_force(forward: float, leftward: float, yaw_rate: float, c: Any, curves: Any) -> Any:
    """Return the lateral force [N] and its yaw moment [N m], before the friction ellipse.

    At one point, D_x ahead of the centre (P3), or spread evenly over the contact's length.
    """
    points, speed = int(c.points), max(abs(forward), c.speed_floor)
    if points == 1:
        slip = lateral_slip(forward, leftward, c)
        force = -c.lateral_limit * look_up(curves, c.lateral_curve, slip)
        return force, lateral_moment(force, leftward, yaw_rate, c)
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

    And, last, forward, leftward and both tracks' speeds over the ground [m/s].
    """
    forward, leftward, left_ground, right_ground, cos, sin = speeds_over_ground(state, c)
    left_slip, right_slip = track_slips(state, left_ground, right_ground, c)
    left = c.track_limit * look_up(curves, c.track_curve, c.track_stiffness * left_slip)
    right = c.track_limit * look_up(curves, c.track_curve, c.track_stiffness * right_slip)
    lateral, moment = lateral_force(forward, leftward, state[5], c, curves)
    left, right, lateral, moment, used = within_ellipse(left, right, lateral, moment, c)
    speeds = forward, leftward, left_ground, right_ground
    return left, right, lateral, moment, used, cos, sin, speeds


@inlined
def within_ellipse(left: float, right: float, lateral: float, moment: float, c: Any) -> Any:
    """Return forces [N] and moment [N m], shortened to the friction ellipse, and its use [1]."""
    used = _utilisation(lateral, left + right, c.lateral_limit, 2.0 * c.track_limit)
    over = max(used, 1.0)  # divided by one, a number stays as it is
    return left / over, right / over, lateral / over, moment / over, used


@compiled
def planar_rates(state: Any, left: Any, right: Any, grade: Any, c: Any, curves: Any) -> Any:
    """Return the time derivative of the state and, last, speeds over the ground [m/s].

    `left` and `right` are whether a torque [N m] or a sprocket speed [rad/s] is commanded, and it;
    `grade` is the weight along x, along y and into the ground [N]; `c` is a record of `Packed`.
    """
    left_force, right_force, lateral, moment, _, cos, sin, speeds = ground_forces(state, c, curves)
    forces = left_force, right_force, lateral, moment
    return *rates_by_forces(state, forces, cos, sin, left, right, grade, c), speeds


@inlined
def rates_by_forces(
    state: Any, forces: Any, cos: float, sin: float, left: Any, right: Any, grade: Any, c: Any
) -> Any:
    """Return the time derivative of the state; arguments as in `planar_rates`."""
    left_force, right_force, lateral, moment = forces
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
    )


@inlined
def _sprocket_rate(speed: float, force: float, commanded: Any, c: Any) -> float:
    load = c.drive_damping * speed + c.sprocket_radius * force
    if commanded[0]:
        return (commanded[1] - load) / c.drive_inertia
    # The inner speed loop compensates the load, as fast integral action would.
    torque = load + c.drive_inertia * (commanded[1] - speed) / c.servo_time
    return (min(max(torque, -c.torque_limit), c.torque_limit) - load) / c.drive_inertia


SETTLED = 0.5
"""How much of the decay of a turn counts: it must be stable, its course within a step is of no
consequence [1]."""


@inlined
def fastest_rate(state: Any, speeds: Any, c: Any) -> float:
    """Return a bound on how fast slips and belts settle, which limits the step [1/s]."""
    forward, leftward, left_ground, right_ground = speeds
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
    turns = SETTLED * yaw_decay(leftward, state[5], c)
    return max(slips, turns, 1.0 / c.servo_time, c.drive_damping / c.drive_inertia)


@inlined
def yaw_decay(leftward: float, yaw_rate: float, c: Any) -> float:
    """Return a bound on how fast one point of lateral force stops a turn [1/s].

    D_x of a robot that slides aside goes from one end of the contact to the other while the yaw
    rate goes through zero, within less than its floor: steps that do not resolve that would throw
    the robot from side to side.
    """
    if c.points > 1.0:
        return 0.0
    change = abs(c.lateral_limit * leftward) / (yaw_rate * yaw_rate + c.yaw_rate_floor**2)
    return change / c.inertia
