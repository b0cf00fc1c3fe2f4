"""Pictures of a scene, without a screen."""

import os
from ctypes.util import find_library
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import GrouserError, InvalidValue, MissingExtra
from grouser.log import write_atomically
from grouser.models.contact.measure_robot import measure_robot
from grouser.models.contact.paint_ribs import paint_ribs
from grouser.models.contact.paint_scene import paint_scene
from grouser.models.contact.scene import HULL, Scene

LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
"""Ways to draw without a screen, the faster first, and the library that each needs."""
LARGEST = 8192
"""Most pixels of a picture in either direction."""
CLEARANCE = 3e-4
"""How far rough ground is drawn above the floor that it lies on, lest both show at once [m]."""


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
    if Path(path).suffix.lower() != ".png":
        raise InvalidValue("name of a picture", str(path), "end in .png")
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("a picture of a scene", "pillow", "terrain") from None
    pixels = draw_scene(scene, data, robot, course, view=view or View(), size=size)
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
    """Return the pixels (height, width, 3) of a robot where it stands.

    Colours go to a copy of the scene, so that drawing never changes how the robot moves.
    """
    width, height = size
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise InvalidValue("size", size, f"be from 1 to {LARGEST} pixels each way")
    middle, across = measure_robot(scene, data)
    spec = scene.spec.copy()
    paint_scene(spec, course, hull=HULL, middle=middle, size=across)
    paint_ribs(spec, robot, hull=HULL)
    for geom in spec.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD:
            geom.pos[2] += CLEARANCE
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    model = spec.compile()
    copy = mujoco.MjData(model)
    copy.qpos[:] = data.qpos
    mujoco.mj_forward(model, copy)
    ahead = copy.xmat[scene.tables.hull].reshape(3, 3)[:, 0]
    camera = mujoco.MjvCamera()
    camera.lookat[:] = middle
    camera.distance = view.distance * across
    camera.azimuth = np.degrees(view.azimuth + np.arctan2(ahead[1], ahead[0]))
    camera.elevation = np.degrees(view.elevation)
    return _pixels(model, copy, camera, width, height)


def _pixels(
    model: mujoco.MjModel, data: mujoco.MjData, camera: mujoco.MjvCamera, width: int, height: int
) -> NDArray[np.uint8]:
    screen = _open_screen(width, height)
    screen.make_current()
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    try:
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        drawn = mujoco.MjvScene(model, maxgeom=20000)
        mujoco.mjv_updateScene(
            model, data, mujoco.MjvOption(), None, camera, mujoco.mjtCatBit.mjCAT_ALL, drawn
        )
        area = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(area, drawn, context)
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, area, context)
    finally:
        context.free()
        screen.free()
    return pixels[::-1].copy()


def _open_screen(width: int, height: int) -> Any:
    """Return a place to draw in memory.

    The engine would choose it once, when it is imported, and fail where there is no screen.
    MUJOCO_GL counts if it names one of those that need none.
    """
    asked = os.environ.get("MUJOCO_GL", "").lower()
    wanted = (asked,) if asked in LIBRARIES else tuple(LIBRARIES)
    found = next((kind for kind in wanted if find_library(LIBRARIES[kind])), None)
    reason = "neither EGL nor OSMesa was found" if len(wanted) > 1 else f"{asked} was not found"
    if found is not None:
        try:
            return import_module(f"mujoco.{found}").GLContext(width, height)
        except (ImportError, AttributeError, RuntimeError) as error:
            reason = f"{found} does not work here ({error})"
    raise GrouserError(
        f"a picture needs OpenGL without a screen, but {reason}; on Debian, install it with: "
        "apt-get install libegl1 libgl1-mesa-dri (or libosmesa6)"
    )
