"""Still pictures of a robot on a course."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.drawing.camera import Sight
from grouser.drawing.canvas import Canvas
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.models.contact.scene import Scene
from grouser.storage import write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """From where a robot is seen; by default from behind, from the left and from above."""

    azimuth: float = -0.65
    """Direction in which the camera looks, from the robot's heading to the left [rad]."""
    elevation: float = -0.35
    """How far it looks up; down is negative [rad]."""
    distance: float = 1.7
    """How far it is away, in sizes of the robot from end to end [1]."""


def render_picture(
    scene: Scene,
    data: mujoco.MjData,
    robot: Robot,
    course: Course,
    path: str | Path,
    *,
    view: View | None = None,
    size: tuple[int, int] = (1280, 720),
) -> None:
    """Draw a robot where it stands, and write a PNG.

    Args:
        scene: The engine's model of robot and course.
        data: How everything stands.
        robot: What the scene was made from.
        course: What the scene was made from.
        path: File to write, ending in .png.
        view: From where; from behind, left and above if not given.
        size: Width and height [pixels].

    Raises:
        InvalidValue: The name does not end in .png, or the size is out of its range.
        MissingExtra: The package that writes pictures is not installed.
        GrouserError: No library was found that draws without a screen.
    """
    check_picture(path)
    save_picture(draw_scene(scene, data, robot, course, view=view or View(), size=size), path)


def check_picture(path: str | Path) -> None:
    """Refuse, before anything is drawn, a picture that could not be written.

    Raises:
        InvalidValue: The name does not end in .png.
        MissingExtra: The package that writes pictures is not installed.
    """
    if Path(path).suffix.lower() != ".png":
        raise InvalidValue("name of a picture", str(path), "end in .png")
    require_extra("a picture of a scene", "terrain", "PIL")


def save_picture(pixels: NDArray[np.uint8], path: str | Path) -> None:
    """Write pixels (height, width, 3) as a PNG that `check_picture` let pass."""
    from PIL import Image

    content = BytesIO()
    Image.fromarray(pixels).save(content, format="PNG", optimize=True)
    write_atomically(path, content.getvalue())


def draw_scene(
    scene: Scene,
    data: mujoco.MjData,
    robot: Robot,
    course: Course,
    *,
    view: View,
    size: tuple[int, int],
) -> NDArray[np.uint8]:
    """Return the pixels (height, width, 3) of a robot where it stands."""
    with Canvas(scene, robot, course, size, data) as canvas:
        x, y, z = (float(place) for place in canvas.middle)
        return canvas.draw(
            Sight(
                middle=(x, y, z),
                azimuth=view.azimuth + canvas.heading,
                elevation=view.elevation,
                distance=view.distance * canvas.across,
            )
        )
