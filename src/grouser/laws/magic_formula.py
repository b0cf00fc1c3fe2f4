"""Force of a track over its slip by the magic formula, and its linear variant.

After Pacejka, as identified for the Tankbot by P3 (eqs 1, 3, 4 and 6, reconstructed):

    F = D sin( C atan( B s - E (B s - atan(B s)) ) ),   B = C_s / (C D)

s is a slip: the sideslip angle for the lateral force, which then opposes it (the caller's
minus sign), or the longitudinal slip plus its horizontal shift. C_s is the slope at zero.
Left out: change with load, camber, combined slip (see `friction_ellipse`).
"""

import numpy as np
from scipy.optimize import brentq

from grouser.errors import InvalidValue
from grouser.geometry import Scalar


def magic_formula(slip: Scalar, B: Scalar, C: Scalar, D: Scalar, E: Scalar) -> Scalar:
    """Return the force at a slip, with the sign of the slip [N].

    Args:
        slip: Slip angle [rad] or slip ratio [1], shifted where there is a shift.
        B: Stiffness factor [1/rad] or [1].
        C: Shape factor [1].
        D: Largest force [N].
        E: Curvature factor [1].
    """
    stretched = B * slip
    return D * np.sin(C * np.arctan(stretched - E * (stretched - np.arctan(stretched))))


def linear_force(slip: Scalar, stiffness: Scalar) -> Scalar:
    """Return the force of the linear variant, C_s s: P3 eq 1 without its sign [N].

    Args:
        slip: Slip angle [rad] or slip ratio [1].
        stiffness: Slope at zero slip [N/rad] or [N].
    """
    return stiffness * slip


def stiffness_factor(stiffness: Scalar, C: Scalar, D: Scalar) -> Scalar:
    """Return B from the slope at zero slip: P3 eq 4, C_s / (C D) [1/rad] or [1].

    Args:
        stiffness: Slope at zero slip [N/rad] or [N].
        C: Shape factor [1].
        D: Largest force [N].
    """
    return stiffness / (C * D)


def peak_slip(B: float, C: float, E: float) -> float:
    """Return the slip at which the force is largest [rad] or [1].

    Raises:
        InvalidValue: The force has no peak, because C is at most 1.
    """
    if not C > 1.0:
        raise InvalidValue("C of the magic formula", C, "be above 1 for a force with a peak")
    goal = np.tan(0.5 * np.pi / C)

    def beyond(stretched: float) -> float:
        return stretched - E * (stretched - float(np.arctan(stretched))) - goal

    return float(brentq(beyond, 0.0, 1e6)) / B  # pyright: ignore[reportArgumentType]
