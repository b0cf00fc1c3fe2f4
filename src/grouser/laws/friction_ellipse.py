"""Forces along and across a tracked robot share one friction: the friction ellipse.

P3 eqs 12-16. Half axes D across and 2 D_l along; P3 calls the first the larger one, its numbers
(80 and 122 N) say the opposite, and numbers count here. A force outside is shortened in its own
direction:

    r1 = sqrt(F_L^2 + (F_TL + F_TR)^2),   r2 = 1 / sqrt( (cos g / 2 D_l)^2 + (sin g / D)^2 )
"""

import numpy as np

from grouser.geometry import Scalar


def ellipse_radius(
    lateral: Scalar, longitudinal: Scalar, lateral_limit: Scalar, longitudinal_limit: Scalar
) -> Scalar:
    """Return how long a force in this direction may be, r2 of P3 eq 13 [N].

    Args:
        lateral: Force across [N].
        longitudinal: Force of both tracks together along [N].
        lateral_limit: Half axis across, D [N].
        longitudinal_limit: Half axis along, 2 D_l [N].
    """
    direction = np.arctan2(lateral, longitudinal)
    return 1.0 / np.hypot(np.cos(direction) / longitudinal_limit, np.sin(direction) / lateral_limit)


def ellipse_utilisation(
    lateral: Scalar, longitudinal: Scalar, lateral_limit: Scalar, longitudinal_limit: Scalar
) -> Scalar:
    """Return r1 / r2: 1 on the ellipse, more outside; 0 without force [1].

    Args:
        lateral: Force across [N].
        longitudinal: Force of both tracks together along [N].
        lateral_limit: Half axis across, D [N].
        longitudinal_limit: Half axis along, 2 D_l [N].
    """
    across, along = lateral / lateral_limit, longitudinal / longitudinal_limit
    return np.sqrt(across * across + along * along)


def limit_to_ellipse(
    lateral: Scalar,
    left: Scalar,
    right: Scalar,
    lateral_limit: Scalar,
    longitudinal_limit: Scalar,
) -> tuple[Scalar, Scalar, Scalar]:
    """Return lateral, left and right force, shortened together if outside (eqs 14-16) [N].

    Args:
        lateral: Force across [N].
        left: Force of the left track along [N].
        right: Force of the right track along [N].
        lateral_limit: Half axis across, D [N].
        longitudinal_limit: Half axis along, 2 D_l [N].
    """
    used = ellipse_utilisation(lateral, left + right, lateral_limit, longitudinal_limit)
    scale = 1.0 / np.maximum(used, 1.0)
    return lateral * scale, left * scale, right * scale
