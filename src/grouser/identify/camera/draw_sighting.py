"""A picture with what was found in it."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.geometry import Pose
from grouser.identify.camera.import_cv2 import import_cv2
from grouser.laws.pinhole import PinholeCamera

GREEN, RED, BLUE = (40, 170, 30), (40, 40, 220), (220, 110, 20)
AXIS = 0.15
"""Length of the drawn axes of the body [m]."""


def draw_sighting(
    picture: NDArray[np.uint8],
    rig: Rig,
    camera: PinholeCamera,
    corners: dict[int, NDArray[np.float64]],
    pose: Pose | None,
) -> NDArray[np.uint8]:
    """Return the picture with the crossings of the grid, the markers and the body's axes.

    Args:
        picture: Pixels (height, width, 3) in blue, green, red.
        rig: Floor and markers.
        camera: The camera, calibrated.
        corners: Corners (4, 2) of each marker by its number [pixels].
        pose: Where the robot was found; None if it was not.
    """
    cv2 = import_cv2()
    drawn = picture.copy()

    def place(pixel: NDArray[np.float64]) -> tuple[int, int]:
        return int(round(16.0 * pixel[0])), int(round(16.0 * pixel[1]))  # sixteenths of pixels

    for crossing in camera.project(rig.floor.crossings().reshape(-1, 3)):
        cv2.circle(drawn, place(crossing), 16 * 4, BLUE, 1, cv2.LINE_AA, 4)
    for number, four in corners.items():
        outline = np.array([place(corner) for corner in four], dtype=np.int32)
        cv2.polylines(drawn, [outline], True, GREEN, 2, cv2.LINE_AA, 4)
        cv2.circle(drawn, place(four[0]), 16 * 4, RED, -1, cv2.LINE_AA, 4)
        beside = int(four[:, 0].max()) + 6, int(four[:, 1].mean())
        cv2.putText(drawn, str(number), beside, cv2.FONT_HERSHEY_SIMPLEX, 0.7, GREEN, 2)
    if pose is not None:
        ends = np.array([(0.0, 0.0, 0.0), (AXIS, 0.0, 0.0), (0.0, AXIS, 0.0)])
        origin = np.array((pose.x, pose.y, pose.z), dtype=np.float64)
        start, ahead, left = camera.project(pose.rotation.apply(ends) + origin)
        for end, colour in ((ahead, RED), (left, GREEN)):
            cv2.line(drawn, place(start), place(end), colour, 2, cv2.LINE_AA, 4)
    return drawn
