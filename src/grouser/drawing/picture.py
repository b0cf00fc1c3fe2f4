"""Still pictures of a robot on a course."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.drawing.at_rest import PlacedRobot
from grouser.drawing.camera import CameraPose
from grouser.drawing.canvas import Canvas
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.storage import write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Camera direction relative to the robot; by default from behind, left and above."""

    azimuth: float = -0.65
    """Viewing direction, counter-clockwise from the robot's heading [rad]."""
    elevation: float = -0.35
    """Viewing angle above the horizontal; negative is downward [rad]."""
    distance: float = 1.7
    """Distance in robot extents [1]."""


def render_picture(
    robot: PlacedRobot,
    path: str | Path,
    *,
    view: View | None = None,
    size: tuple[int, int] = (1280, 720),
) -> None:
    """Render a robot where it is, and write a PNG of a size [pixels]."""
    check_picture(path)
    save_picture(draw_scene(robot, view=view or View(), size=size), path)


def check_picture(path: str | Path) -> None:
    """Raise InvalidValue if a picture cannot be written, before anything is rendered."""
    if Path(path).suffix.lower() != ".png":
        raise InvalidValue("name of a picture", str(path), "end in .png")
    require_extra("a picture of a scene", "terrain", "PIL")


def save_picture(pixels: NDArray[np.uint8], path: str | Path) -> None:
    """Write pixels (height, width, 3) as a PNG; call `check_picture` before."""
    from PIL import Image

    content = BytesIO()
    Image.fromarray(pixels).save(content, format="PNG", optimize=True)
    write_atomically(path, content.getvalue())


def encode_jpeg(pixels: NDArray[np.uint8], quality: int = 75) -> bytes:
    """Return pixels (height, width, 3) as the content of a JPEG file, of a quality up to 95 [1]."""
    from PIL import Image

    content = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(content, format="JPEG", quality=quality)
    return content.getvalue()


def draw_scene(
    robot: PlacedRobot, *, view: View, size: tuple[int, int], dressed: bool = True
) -> NDArray[np.uint8]:
    """Return a picture of a robot where it is as pixels (height, width, 3); see `Canvas`."""
    with Canvas(robot.scene, size, ruts=robot.ruts, dressed=dressed) as canvas:
        canvas.place(robot.pose, robot.belt_travels, robot.flipper_angles)
        x, y, z = (float(place) for place in canvas.middle)
        return canvas.draw(
            CameraPose(
                middle=(x, y, z),
                azimuth=view.azimuth + canvas.heading,
                elevation=view.elevation,
                distance=view.distance * canvas.extent,
            )
        )
