"""Forces of tracks in planar dynamics: slip, magic formula, friction ellipse, pressure, motors.

After P3, as identified for the Tankbot, in the project frame: y to the left, yaw to the left.

Slip (eqs 2, 7-10, reconstructed). U, V are the body's speeds over the ground, along and across. The
floor e [A] keeps slips finite at rest; a robot slower than e is held by a force that is viscous
instead of sticking.

    U_GL, U_GR = U - omega b/2, U + omega b/2
    lambda_i = clip( (belt_i - U_Gi) / max(|belt_i|, |U_Gi|, e), -1, 1 )

Force over slip (eqs 3, 4, 6, reconstructed; after Pacejka). s is the sideslip angle for the lateral
force, which then opposes it (the caller's minus sign), or the longitudinal slip plus its horizontal
shift. C_s is the slope at zero. Left out: change with load, camber.

    F = D sin( C atan( B s - E (B s - atan(B s)) ) ),   B = C_s / (C D)

Friction ellipse (eqs 12-16): forces along and across share one friction, with half axes D across
and 2 D_l along. P3 calls the first the larger one, its numbers (80, 122 N) show the opposite, and
numbers count here. A force outside is shortened in its own direction.

Centre of pressure (eqs 17, 18, reconstructed, medium and low confidence). The lateral force acts
D_x ahead of the centre of mass, at the point that does not slide sideways, so that its yaw moment
opposes the turn; on a side slope the tracks' resultant acts D_y to the left:

    D_x = clip( V omega / (omega^2 + e^2), -L_a, L_f )
    D_y = clip( z_CG F_gy / N, -b/2, b/2 )

Motors (eqs 30-34). P3 reports a dead zone, a jump at its edge and a torque that rises with the
voltage; its fitted curves, one per side and sign (eqs 35-38), are lost. This form is assumed; all
torques of the Tankbot are known only up to a common factor, because P3 sets the damping to 1.

    T = 0 for |V| <= V_d, else sign(V) min( T_j + k (|V| - V_d), T_max )

Units: speeds, floors and widths of them [m/s], yaw rates and their floor [rad/s], lengths [m],
forces and weights [N], torques T [N m], voltages V [V], `gain` k [N m/V]. Slips are angles [rad] or
ratios [1], B is per slip, stiffness C_s is force per slip, C and E are factors [1].
"""

import numpy as np

from grouser.geometry import Scalar


def track_ground_speeds(vx: Scalar, yaw_rate: Scalar, gauge: Scalar) -> tuple[Scalar, Scalar]:
    """Return how fast the left and the right track move over the ground, forward [m/s]."""
    outward = yaw_rate * (0.5 * gauge)
    return vx - outward, vx + outward


def longitudinal_slip(belt_speed: Scalar, ground_speed: Scalar, floor: Scalar) -> Scalar:
    """Return the slip relative to the larger of both speeds, -1 (locked) to 1 (spinning) [1]."""
    larger = np.maximum(np.maximum(np.abs(belt_speed), np.abs(ground_speed)), floor)
    return np.minimum(np.maximum((belt_speed - ground_speed) / larger, -1.0), 1.0)


def resting_shift(shift: Scalar, ground_speed: Scalar, width: Scalar) -> Scalar:
    """Return the horizontal shift of a robot that may stand or reverse, S_h tanh(U_G / w) [1].

    P3's constant shift pushes a robot that stands (53 N per track of the Tankbot), and does not
    turn round when it drives backwards; this one does [A].
    """
    return shift * np.tanh(ground_speed / width)


def magic_formula(slip: Scalar, B: Scalar, C: Scalar, D: Scalar, E: Scalar) -> Scalar:
    """Return the force at a slip, with the sign of the slip [N]."""
    stretched = B * slip
    return D * np.sin(C * np.arctan(stretched - E * (stretched - np.arctan(stretched))))


def stiffness_factor(stiffness: Scalar, C: Scalar, D: Scalar) -> Scalar:
    """Return B from the slope at zero slip: P3 eq 4, C_s / (C D) [1/rad] or [1]."""
    return stiffness / (C * D)


def ellipse_utilisation(
    lateral: Scalar, longitudinal: Scalar, lateral_limit: Scalar, longitudinal_limit: Scalar
) -> Scalar:
    """Return r1 / r2: 1 on the ellipse, more outside; 0 without force [1]."""
    across, along = lateral / lateral_limit, longitudinal / longitudinal_limit
    return np.sqrt(across * across + along * along)


def pressure_ahead(
    vy: Scalar, yaw_rate: Scalar, front: Scalar, rear: Scalar, floor: Scalar
) -> Scalar:
    """Return D_x, how far ahead of the centre of mass the lateral force acts [m]."""
    ahead = vy * yaw_rate / (yaw_rate * yaw_rate + floor * floor)
    return np.minimum(np.maximum(ahead, -rear), front)


def pressure_aside(
    grade_left: Scalar, normal: Scalar, com_height: Scalar, half_gauge: Scalar
) -> Scalar:
    """Return D_y, how far to the left of the centre the tracks' resultant acts [m]."""
    aside = com_height * grade_left / normal
    return np.minimum(np.maximum(aside, -half_gauge), half_gauge)


def motor_torque(
    voltage: Scalar, dead_zone: Scalar, jump: Scalar, gain: Scalar, limit: Scalar
) -> Scalar:
    """Return the torque of a motor whose map is the same for both signs [N m]."""
    beyond = np.abs(voltage) - dead_zone
    size = np.minimum(jump + gain * beyond, limit)
    return np.sign(voltage) * size * (beyond > 0.0)
