"""The camera of a rig as its file has it: where to start when it is calibrated."""

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.description import Rig
from grouser.laws.pinhole import STRAIGHT, PinholeCamera

FULL = 0.9
"""Share of the picture that the floor fills, where a rig does not tell the focal length [1]."""


def overhead_view(rig: Rig) -> PinholeCamera:
    """Return the camera that a rig describes; what it leaves open is filled in roughly.

    Without tilt the picture's right is world x turned by the camera's yaw, and its upper edge is
    world y turned likewise.
    """
    camera, floor = rig.camera, rig.floor
    width, height = camera.size
    fitting = min(width / floor.size[0], height / floor.size[1]) * FULL * camera.height
    cos, sin = np.cos(camera.yaw), np.sin(camera.yaw)
    right = np.array((cos, sin, 0.0))
    top = np.array((-sin, cos, 0.0))
    ahead = np.sin(camera.tilt) * top - np.array((0.0, 0.0, np.cos(camera.tilt)))
    matrix = np.stack((right, np.cross(ahead, right), ahead))
    return PinholeCamera(
        focal=camera.lens.focal or fitting,
        centre=rig.lens_centre,
        position=np.array(
            (
                floor.centre[0] + camera.offset[0],
                floor.centre[1] + camera.offset[1],
                camera.height,
            )
        ),
        turn=Rotation.from_matrix(matrix).as_rotvec(),
        distortion=camera.lens.distortion or STRAIGHT,
    )
