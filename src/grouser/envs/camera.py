"""Pictures of the robots of an environment; imported when the first one is asked for."""

import atexit
import weakref

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.drawing.camera import CameraPose
from grouser.drawing.canvas import Canvas
from grouser.drawing.picture import View
from grouser.geometry import Scalar
from grouser.models import Motion

SIZE = (640, 360)
"""Width and height of a picture [pixels]."""
VIEW = View(azimuth=0.9, elevation=-0.3, distance=2.2)
"""From behind on the right, so that flippers and the ground ahead are visible."""


class Camera:
    """Renders pictures of robots; keeps OpenGL open until `close`."""

    def __init__(self, robot: Robot, course: Course) -> None:
        self._canvas = Canvas.of(robot, course, SIZE, dressed=True)
        self.close = weakref.finalize(self, self._canvas.close)
        """Closes OpenGL; also called when the camera is garbage-collected."""
        # Also at exit, before OpenGL's own handler: atexit runs in reverse order.
        self.close.atexit = False
        atexit.register(self.close)

    def render(self, motion: Motion, number: int) -> NDArray[np.uint8]:
        """Return the pixels (height, width, 3) of one robot."""
        canvas = self._canvas
        angles = [_of_robot(angle, number) for angle in motion.flipper_angles]
        travels = [_of_robot(travel, number) for travel in motion.belt_travels]
        canvas.place(motion.pose[number], travels, angles)
        x, y, z = (float(place) for place in canvas.middle)
        sight = CameraPose(
            middle=(x, y, z),
            azimuth=VIEW.azimuth + canvas.heading,
            elevation=VIEW.elevation,
            distance=VIEW.distance * canvas.extent,
        )
        return canvas.draw(sight)


def _of_robot(value: Scalar, number: int) -> float:
    """Return the value of one robot; a plain number holds for all."""
    return float(np.atleast_1d(value)[number if np.ndim(value) else 0])
