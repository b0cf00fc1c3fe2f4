"""Where a flat body is, from where points of it are: closed form."""

import numpy as np
from numpy.typing import NDArray


def rigid_fit(
    points_in_body: NDArray[np.float64], points_in_world: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return x, y [m] and yaw [rad] of the rigid motion with the least squared distances.

    yaw = atan2(sum b x w, sum b . w),   t = mean(w) - R(yaw) mean(b)

    with b and w counted from their means. For a camera that looks straight down on points of one
    height, without a lens, this is what `pose_from_pixels` searches for.

    Reference:
        B. K. P. Horn, Closed-form solution of absolute orientation using unit quaternions, 1987,
        in the plane and without scale.

    Args:
        points_in_body: Points (n, 2) that are fixed to the body [m].
        points_in_world: Where they are (..., n, 2), of any number of bodies [m].
    """
    middle_in_body, middle = points_in_body.mean(axis=-2), points_in_world.mean(axis=-2)
    body, world = points_in_body - middle_in_body, points_in_world - middle[..., np.newaxis, :]
    across = (body[..., 0] * world[..., 1] - body[..., 1] * world[..., 0]).sum(axis=-1)
    along = (body * world).sum(axis=(-2, -1))
    yaw = np.arctan2(across, along)
    cos, sin = np.cos(yaw), np.sin(yaw)
    x = middle[..., 0] - (cos * middle_in_body[0] - sin * middle_in_body[1])
    y = middle[..., 1] - (sin * middle_in_body[0] + cos * middle_in_body[1])
    return x, y, yaw
