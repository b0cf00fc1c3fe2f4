"""Geometry of a four-wheel skid-steer vehicle in a left turn, and its radius from wheel speeds.

Source: P2 (Zhou et al. 2022), eqs 1-12, 18 (second half), 19 and 20. The turning centre O lies
to the left; its projection on the vehicle's axis, O1, lies `offset` = D ahead of the centre of
gravity, `radius` = R0 is the distance from O to O1. In the body frame O is at (D, R0). Outer is
right, inner is left. The lateral speeds are printed as amounts there; here they have signs.
Left out: lateral load transfer, different speeds of the wheels of one side, wheels out of line.

Of all functions: `speed` u forward and `outward_speed` v, away from the turning centre, are those
of the centre of gravity, `half_difference` dVx is half the speed of outer minus inner wheels, all
[m/s]; `yaw_rate` w = u / R0 is positive to the left [rad/s]; `width` B between the sides and
`length` L between front and rear wheels are distances of wheels [m]. `apparent` Ev_a is the outer
(or right) minus the inner (left) wheels' speed, `true_difference` Ev_t that of their paths, [m/s];
`slope` [1] and `intercept` [m/s] are those of eq 19, `coefficient` [m] and `exponent` [1] of eq 20.
"""

from typing import NamedTuple

import numpy as np

from grouser.geometry import Scalar

SLOPE = 0.526
"""Slope of eq 19, fitted to 25 runs on concrete [1]."""
INTERCEPT = 0.02761
"""Intercept of eq 19 [m/s]."""
SMALLEST_APPARENT = 0.0395
"""Smallest apparent speed difference among the 26 published runs [m/s]."""
COEFFICIENT = 6.39
"""Radius that eq 20 gives for a true speed difference of 1 m/s [m]."""
EXPONENT = -1.004
"""Exponent of eq 20 [1]."""


class FourWheels(NamedTuple):
    """One quantity of each wheel, in the quantity's unit; names as in P2.

    In the geometry 1 is front and 2 is rear; in the published runs 1 is rear and 2 is front.
    """

    o1: Scalar
    """Outer wheel 1 [unit of the quantity]."""
    o2: Scalar
    """Outer wheel 2 [unit of the quantity]."""
    i1: Scalar
    """Inner wheel 1 [unit of the quantity]."""
    i2: Scalar
    """Inner wheel 2 [unit of the quantity]."""


_SIDE = FourWheels(o1=1.0, o2=1.0, i1=-1.0, i2=-1.0)  # outer is +1
_END = FourWheels(o1=1.0, o2=-1.0, i1=1.0, i2=-1.0)  # front is +1


def turning_radius(speed: Scalar, half_difference: Scalar, width: Scalar) -> Scalar:
    """Return R0 = B u / (2 dVx), P2 eq 7 [m].

    Infinite when both sides are equally fast; B / 2 when the inner wheels stand; 0 when turning
    on the spot (the text of P2 has B / 2, against its own equation); negative to the right.
    """
    straight = np.equal(half_difference, 0.0)
    divisor = 2.0 * np.where(straight, 1.0, half_difference)
    return np.where(straight, np.inf, width * speed / divisor)[()]


def half_speed_difference(yaw_rate: Scalar, width: Scalar) -> Scalar:
    """Return dVx = (V_xo - V_xi) / 2 = w B / 2, P2 eqs 6 and 11 [m/s]."""
    return 0.5 * yaw_rate * width


def offset_ahead(
    speed: Scalar, outward_speed: Scalar, half_difference: Scalar, width: Scalar
) -> Scalar:
    """Return D = v B / (2 dVx), P2 eq 8; 0 on the spot and when driving straight [m].

    D lies between 0 and half the length (the text of P2 states half the width).
    """
    none = np.equal(speed, 0.0) | np.equal(half_difference, 0.0)
    divisor = 2.0 * np.where(none, 1.0, half_difference)
    return np.where(none, 0.0, outward_speed * width / divisor)[()]


def outward_speed(yaw_rate: Scalar, offset: Scalar) -> Scalar:
    """Return v = w D = u D / R0, P2 eqs 2 and 3: minus the leftward speed of the body [m/s]."""
    return yaw_rate * offset


def drift_angle(radius: Scalar, offset: Scalar) -> Scalar:
    """Return beta = atan(D / R0), P2 eq 1: from the velocity to the vehicle's axis [rad]."""
    return np.arctan2(offset, radius)


def wheel_angles(radius: Scalar, offset: Scalar, length: Scalar, width: Scalar) -> FourWheels:
    """Return the angles between the wheels' axles and the lines to the turning centre [rad].

    a = atan((L -+ 2 D) / (2 R0 +- B)), P2 eq 1; L - 2 D in front, 2 R0 + B outside. Above a
    right angle when the turning centre lies inside the vehicle.
    """
    return FourWheels(
        *(
            np.arctan2(length - end * 2.0 * offset, 2.0 * radius + side * width)
            for side, end in zip(_SIDE, _END, strict=True)
        )
    )


def wheel_radii(radius: Scalar, offset: Scalar, length: Scalar, width: Scalar) -> FourWheels:
    """Return the distances of the wheels from the turning centre, P2 eq 12 [m].

    R = hypot(R0 +- B / 2, L / 2 -+ D); R0 + B / 2 outside, L / 2 - D in front
    """
    return FourWheels(
        *(
            np.hypot(radius + side * 0.5 * width, 0.5 * length - end * offset)
            for side, end in zip(_SIDE, _END, strict=True)
        )
    )


def wheel_velocities(
    speed: Scalar, yaw_rate: Scalar, offset: Scalar, length: Scalar, width: Scalar
) -> tuple[FourWheels, FourWheels]:
    """Return the forward and the leftward speeds of the four wheels' contacts [m/s].

    V_x = u +- w B / 2          P2 eqs 5 and 10, with w R0 = u
    V_y = +- w (L / 2 -+ D)     P2 eqs 4 and 9

    Speed and yaw rate together describe every turn, also on the spot and straight. Front wheels
    slide to the inside (left), rear wheels to the outside.
    """
    forward = FourWheels(*(speed + side * 0.5 * yaw_rate * width for side in _SIDE))
    leftward = FourWheels(*(end * yaw_rate * (0.5 * length - end * offset) for end in _END))
    return forward, leftward


def apparent_speed_difference(speeds: FourWheels) -> Scalar:
    """Return Ev_a, how much faster the outer wheels turn than the inner ones, P2 eq 18 [m/s]."""
    return 0.5 * (speeds.o1 + speeds.o2) - 0.5 * (speeds.i1 + speeds.i2)


def true_speed_difference(
    apparent: Scalar, slope: Scalar = SLOPE, intercept: Scalar = INTERCEPT
) -> Scalar:
    """Return Ev_t = slope Ev_a + intercept, P2 eq 19 [m/s].

    A fit for left turns with differences of 0.04 to 0.76 m/s, not for standstill: see
    `true_speed_difference_signed`.
    """
    return slope * apparent + intercept


def true_speed_difference_signed(
    apparent: Scalar,
    slope: Scalar = SLOPE,
    intercept: Scalar = INTERCEPT,
    smallest: float = SMALLEST_APPARENT,
) -> Scalar:
    """Return Ev_t for turns to both sides, and zero without a difference of wheel speeds [m/s].

    P2 eq 19 where |Ev_a| >= smallest; below, the straight line from there through the origin.
    Odd and continuous. That a right turn mirrors a left turn is an assumption.
    """
    amount = np.abs(apparent)
    fitted = true_speed_difference(amount, slope, intercept)
    towards_zero = amount * (true_speed_difference(smallest, slope, intercept) / smallest)
    return np.copysign(np.where(amount >= smallest, fitted, towards_zero), apparent)


def radius_by_power_law(
    true_difference: Scalar, coefficient: float = COEFFICIENT, exponent: float = EXPONENT
) -> Scalar:
    """Return R0 = coefficient Ev_t^exponent, P2 eq 20, the "direct fit" [m].

    Holds only near the speeds of the published runs, about 4 to 5.5 m/s.
    """
    return coefficient * np.power(true_difference, exponent)


def radius_from_wheel_speeds(
    speeds: FourWheels, width: Scalar, slope: float = SLOPE, intercept: float = INTERCEPT
) -> Scalar:
    """Return R01 = B u / Ev_t with u the mean wheel speed and Ev_t by P2 eq 19 [m].

    P2 equates the half difference of eq 7 with Ev_t, which is the full difference; this is the
    reading that gives its Table 6.
    """
    difference = true_speed_difference(apparent_speed_difference(speeds), slope, intercept)
    mean_speed = 0.25 * (speeds.o1 + speeds.o2 + speeds.i1 + speeds.i2)
    return turning_radius(mean_speed, 0.5 * difference, width)
