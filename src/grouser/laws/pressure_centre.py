"""Where the resultant forces act under a robot: the centre of pressure.

P3 eqs 17 and 18 (reconstructed, medium and low confidence), in the project frame. The lateral
force acts D_x ahead of the centre of mass, at the point that does not slide sideways, so that
its yaw moment opposes the turn; on a side slope the tracks' resultant acts D_y to the left:

    D_x = clip( V omega / (omega^2 + e^2), -L_a, L_f )
    D_y = clip( z_CG F_gy / N, -b/2, b/2 )
"""

import numpy as np

from grouser.geometry import Scalar


def pressure_ahead(
    vy: Scalar, yaw_rate: Scalar, front: Scalar, rear: Scalar, floor: Scalar
) -> Scalar:
    """Return D_x, how far ahead of the centre of mass the lateral force acts [m].

    Args:
        vy: Leftward speed over the ground [m/s].
        yaw_rate: Yaw rate, positive to the left [rad/s].
        front: Length of the contact ahead of the centre of mass, L_f [m].
        rear: Length of the contact behind it, L_a [m].
        floor: Yaw rate e that removes the jump at zero [rad/s].
    """
    ahead = vy * yaw_rate / (yaw_rate * yaw_rate + floor * floor)
    return np.minimum(np.maximum(ahead, -rear), front)


def pressure_aside(
    grade_left: Scalar, normal: Scalar, com_height: Scalar, half_gauge: Scalar
) -> Scalar:
    """Return D_y, how far to the left of the centre the tracks' resultant acts [m].

    Args:
        grade_left: Component of the weight to the left of the body [N].
        normal: Component of the weight into the ground [N].
        com_height: Height of the centre of mass, z_CG [m].
        half_gauge: Half the distance of the tracks [m].
    """
    aside = com_height * grade_left / normal
    return np.minimum(np.maximum(aside, -half_gauge), half_gauge)
