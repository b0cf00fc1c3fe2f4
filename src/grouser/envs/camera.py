"""Pictures of robots for those who watch them learn."""

import atexit
import weakref

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.geometry import Scalar
from grouser.models import Motion
from grouser.models.contact.canvas import Canvas
from grouser.models.contact.render import View
from grouser.models.contact.sight import Sight

SIZE = (640, 360)
"""Width and height of a picture [pixels]."""
VIEW = View(azimuth=0.9, elevation=-0.3, distance=2.2)
"""From the right and from behind, so that flippers and the ground ahead are seen."""


class Camera:
    """Looks at one robot after the other; OpenGL is open until `close`."""

    def __init__(self, robot: Robot, course: Course) -> None:
        self._canvas = Canvas.of(robot, course, SIZE)
        self.close = weakref.finalize(self, self._canvas.close)
        """Gives OpenGL back; by itself when nobody looks any more."""
        # At the end of the program, too, and before OpenGL's own end: the last to come goes first.
        self.close.atexit = False
        atexit.register(self.close)

    def shoot(self, motion: Motion, number: int) -> NDArray[np.uint8]:
        """Return the pixels (height, width, 3) of one robot.

        Args:
            motion: Where robots are; of one or of many.
            number: Which robot.
        """
        canvas = self._canvas
        angles = [_of_robot(angle, number) for angle in motion.flipper_angles]
        travels = [_of_robot(travel, number) for travel in motion.belt_travels]
        canvas.place(motion.pose[number], travels, angles)
        x, y, z = (float(place) for place in canvas.middle)
        sight = Sight(
            middle=(x, y, z),
            azimuth=VIEW.azimuth + canvas.heading,
            elevation=VIEW.elevation,
            distance=VIEW.distance * canvas.across,
        )
        return canvas.draw(sight)


def _of_robot(value: Scalar, number: int) -> float:
    """Return the value of one robot; a plain number holds for all."""
    return float(np.atleast_1d(value)[number if np.ndim(value) else 0])
