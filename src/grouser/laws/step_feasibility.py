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

from grouser.geometry import Scalar

BISECTIONS = 60
"""Halvings of an angle below pi/2; the last is below the spacing of doubles there."""

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
    low = np.arcsin(rise / np.hypot(d, r)) + np.arctan2(r, d)
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
    nose_up: Scalar = 0.0,
    grouser_height: Scalar = 0.0,
) -> Scalar:
    """Return the friction coefficient that ground and step must at least have [1].

    Both contacts, A under the rear wheel and D on the step, are at the limit mu. With the
    contact normal of D raised by alpha above backward, and lengths seen from A, balance of
    forces and of moments about A gives

        mu^2 ((x_D - x_G) cos(alpha) - z_D sin(alpha))
            + mu (x_D sin(alpha) + z_D cos(alpha)) - x_G cos(alpha) = 0

    whose smallest positive root is returned. On a riser alpha = 0, and it becomes
    (x_D mu^2 + z_D mu) / (1 + mu^2) = x_G with x_D = d cos(phi) + r, z_D = r + d sin(phi).
    The demand is greatest at lift-off, phi = 0.

    Assumption, not from the source: a grouser of height g that comes down over the edge holds
    like a hook and needs no friction. It reaches the edge when its tip, at radius r + g, is
    beyond the riser at edge height: h - r - d sin(phi) <= sqrt(g (2 r + g)). Motor torque and
    the strength of the grouser are left out, and so is a grouser that just misses the edge.
    """
    cos_phi, sin_phi = np.cos(nose_up), np.sin(nose_up)
    to_edge = height - radius - wheel_distance * sin_phi
    sin = np.clip(-to_edge / radius, 0.0, 1.0)
    cos = np.sqrt(1.0 - sin**2)
    x_d = wheel_distance * cos_phi + radius * cos
    z_d = radius + wheel_distance * sin_phi - radius * sin
    x_g = (0.5 * wheel_distance + com_x) * cos_phi - com_z * sin_phi
    square = (x_d - x_g) * cos - z_d * sin
    linear = x_d * sin + z_d * cos
    root = np.sqrt(linear**2 + 4.0 * square * x_g * cos)
    demand = 2.0 * x_g * cos / (linear + root)
    reach = np.sqrt(grouser_height * (2.0 * radius + grouser_height))
    hooked = (np.asarray(grouser_height) > 0.0) & (to_edge <= reach)
    return np.where(hooked, 0.0, demand)[()]
