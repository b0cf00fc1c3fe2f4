"""Whether a track can climb a step: how high, with how much to spare, with how much friction.

Frame as in `step_pose`: X from the riser, Z from the lower ground. Quasi-static, rigid track.
Source: geometry of P0 (Low et al.), section 2.1; the paper itself gives no limit.

Of all functions: `radius` r of the wheels without grousers, `wheel_distance` d between their
centres, `height` h of the step, `com_x` c_x and `com_z` c_z of the centre of mass ahead of and
above the midpoint of the wheel centres (above -d/2 and -r), `grouser_height` g [m]; `nose_up` phi,
zero at lift-off [rad].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Scalar

BISECTIONS = 60
"""Halvings of an angle below pi/2; the last is below the spacing of doubles there."""

CLIMB_PLACES = 200
"""Angles at which the demand is looked up before the straight run is on the edge, and after [1]."""

NEWTON_STEPS = 12
"""Enough for a monotone cubic that is started at the tighter of its two simple bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepMargin:
    """How far the centre of mass gets beyond the edge while the rear wheel is on the ground."""

    com_x: Scalar
    """Largest X of the centre of mass; negative means that the climb stalls [m]."""
    run: Scalar
    """Run L_D at that place [m]."""
    nose_up: Scalar
    """Nose-up angle at that place [rad]."""


def margin(
    radius: Scalar,
    wheel_distance: Scalar,
    height: Scalar,
    com_x: Scalar = 0.0,
    com_z: Scalar = 0.0,
) -> StepMargin:
    """Return the most forward place of the centre of mass before the rear wheel must lift.

    With the rear wheel on the ground and the straight run on the edge,

        G_X(phi) = (d/2 + c_x - s) cos(phi) - (r + c_z) sin(phi),
        s(phi) = (h - r + r cos(phi)) / sin(phi),

    which is largest where h - r + r cos(phi) = sin^2(phi) ((d/2 + c_x) sin(phi) + c_z cos(phi)).
    """
    r, d = radius, wheel_distance
    arm, rise = 0.5 * d + com_x, np.where(height < r + d, height - r, np.nan)
    low = _run_angle(r, d, height)
    high = np.arccos(np.maximum(-rise / r, 0.0))
    for _ in range(BISECTIONS):
        phi = 0.5 * (low + high)
        cos, sin = np.cos(phi), np.sin(phi)
        gaining = rise + r * cos > sin**2 * (arm * sin + com_z * cos)
        low, high = np.where(gaining, phi, low), np.where(gaining, high, phi)
    phi = 0.5 * (low + high)
    run = (rise + r * np.cos(phi)) / np.sin(phi)
    furthest = (arm - run) * np.cos(phi) - (r + com_z) * np.sin(phi)
    return StepMargin(com_x=furthest[()], run=run[()], nose_up=phi[()])


def height_limit(
    radius: Scalar, wheel_distance: Scalar, com_x: Scalar = 0.0, com_z: Scalar = 0.0
) -> Scalar:
    """Return the highest step over which the centre of mass can be brought [m].

    The centre of mass is above the edge, with the rear wheel on the ground, if the height is

        H(phi) = r (1 - cos(phi)) + (d/2 + c_x) sin(phi) - (r + c_z) sin(phi) tan(phi)

    and the limit is the largest H. With t = tan(phi) it is where the cubic

        (r + c_z) t^3 + (r + 2 c_z) t = d/2 + c_x

    holds, which has one positive root; or where the run L_D = d/2 + c_x - (r + c_z) t ends.
    Friction and motor torque are left out.
    """
    arm, lever = 0.5 * wheel_distance + com_x, radius + com_z
    p, q = (lever + com_z) / lever, arm / lever
    # The cubic is convex right of its root, so Newton from an upper bound cannot overshoot.
    bound = np.cbrt(q) + np.sqrt(np.maximum(-p, 0.0))
    t = np.where(p > 0.0, np.minimum(bound, q / np.where(p > 0.0, p, 1.0)), bound)
    for _ in range(NEWTON_STEPS):
        t = t - (t**3 + p * t - q) / (3.0 * t**2 + p)
    phi = np.arctan(np.minimum(t, q))
    limit = radius * (1.0 - np.cos(phi)) + arm * np.sin(phi) - lever * np.sin(phi) * np.tan(phi)
    return limit[()]


def friction_demand(
    radius: Scalar,
    wheel_distance: Scalar,
    height: Scalar,
    com_x: Scalar = 0.0,
    com_z: Scalar = 0.0,
    *,
    nose_up: Scalar | None = None,
    grouser_height: Scalar = 0.0,
) -> Scalar:
    """Return the friction coefficient that ground and step must at least have [1].

    Without `nose_up` it is the largest over the climb, from lift-off until the centre of mass is
    above the edge, or as near to it as it gets. It may be that of lift-off, or that of the tip:
    there the edge alone carries the robot, which takes tan(phi). With `nose_up` it is that of one
    angle.

    Both contacts, A under the rear wheel and D on the step, are at the limit mu. With the
    contact normal of D raised by alpha above backward, and lengths seen from A, balance of
    forces and of moments about A gives

        mu^2 ((x_D - x_G) cos(alpha) - z_D sin(alpha))
            + mu (x_D sin(alpha) + z_D cos(alpha)) - x_G cos(alpha) = 0

    whose smallest positive root is returned. On a riser alpha = 0, and it becomes
    (x_D mu^2 + z_D mu) / (1 + mu^2) = x_G with x_D = d cos(phi) + r, z_D = r + d sin(phi).
    Once the straight run is on the edge, alpha = 90 deg - phi, x_D = s cos(phi) + r sin(phi) and
    z_D = h, with s as in `margin`.

    Assumption, not from the source: a grouser of height g that comes down over the edge holds
    like a hook and needs no friction. It reaches the edge when its tip, at radius r + g, is
    beyond the riser at edge height: h - r - d sin(phi) <= sqrt(g (2 r + g)). Motor torque and
    the strength of the grouser are left out, and so is a grouser that just misses the edge.
    """
    shape = radius, wheel_distance, height, com_x, com_z
    if nose_up is not None:
        return _demand_at(*shape, nose_up, grouser_height)[()]
    begin = _run_angle(radius, wheel_distance, height)
    tip = _tip_angle(*shape, begin)
    share = np.linspace(0.0, 1.0, CLIMB_PLACES).reshape(-1, *(1 for _ in np.shape(tip)))
    places = np.concatenate((share * begin, begin + share * (tip - begin)))
    demand = np.max(_demand_at(*shape, places, grouser_height), axis=0)
    return np.where(np.isnan(tip), np.nan, demand)[()]


def _run_angle(radius: Scalar, wheel_distance: Scalar, height: Scalar) -> Scalar:
    """Return the nose-up angle at which the straight run meets the edge; NaN out of reach [rad]."""
    rise = np.where(height < radius + wheel_distance, height - radius, np.nan)
    return np.arcsin(rise / np.hypot(wheel_distance, radius)) + np.arctan2(radius, wheel_distance)


def _tip_angle(
    r: Scalar, d: Scalar, height: Scalar, com_x: Scalar, com_z: Scalar, begin: Scalar
) -> Scalar:
    """Return the nose-up angle with the centre of mass above the edge, or nearest to it [rad]."""
    low, high = begin, margin(r, d, height, com_x, com_z).nose_up
    for _ in range(BISECTIONS):
        phi = 0.5 * (low + high)
        run = (height - r + r * np.cos(phi)) / np.sin(phi)
        before = (0.5 * d + com_x - run) * np.cos(phi) < (r + com_z) * np.sin(phi)
        low, high = np.where(before, phi, low), np.where(before, high, phi)
    return np.asarray(0.5 * (low + high))


def _demand_at(
    r: Scalar, d: Scalar, height: Scalar, com_x: Scalar, com_z: Scalar, phi: Scalar, grouser: Scalar
) -> NDArray[np.float64]:
    """Return the demand at a nose-up angle."""
    cos_phi, sin_phi = np.cos(phi), np.sin(phi)
    to_edge = height - r - d * sin_phi
    runs = phi > _run_angle(r, d, height)
    sin = np.where(runs, cos_phi, np.clip(-to_edge / r, 0.0, 1.0))
    cos = np.where(runs, sin_phi, np.sqrt(1.0 - sin**2))
    run = (height - r + r * cos_phi) / np.where(runs, sin_phi, 1.0)
    x_d = np.where(runs, run * cos_phi + r * sin_phi, d * cos_phi + r * cos)
    z_d = np.where(runs, height, r + d * sin_phi - r * sin)
    x_g = (0.5 * d + com_x) * cos_phi - com_z * sin_phi
    square = (x_d - x_g) * cos - z_d * sin
    linear = x_d * sin + z_d * cos
    root = np.sqrt(np.maximum(linear**2 + 4.0 * square * x_g * cos, 0.0))
    demand = 2.0 * x_g * cos / (linear + root)
    hooked = (np.asarray(grouser) > 0.0) & (to_edge <= np.sqrt(grouser * (2.0 * r + grouser)))
    return np.where(hooked, 0.0, demand)
