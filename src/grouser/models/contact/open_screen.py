"""OpenGL without a screen."""

import os
from ctypes.util import find_library
from importlib import import_module
from typing import Any

from grouser.errors import GrouserError

LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
"""Ways to draw without a screen, the faster first, and the library that each needs."""


def open_screen(width: int, height: int) -> Any:
    """Return a place to draw in memory, current from now on; `free` it afterwards.

    The engine would choose it once, when it is imported, and fail where there is no screen.
    MUJOCO_GL counts if it names one of those that need none.

    Raises:
        GrouserError: No library was found that draws without a screen.
    """
    asked = os.environ.get("MUJOCO_GL", "").lower()
    wanted = (asked,) if asked in LIBRARIES else tuple(LIBRARIES)
    found = next((kind for kind in wanted if find_library(LIBRARIES[kind])), None)
    reason = "neither EGL nor OSMesa was found" if len(wanted) > 1 else f"{asked} was not found"
    if found is not None:
        try:
            screen = import_module(f"mujoco.{found}").GLContext(width, height)
            screen.make_current()
            return screen
        except (ImportError, AttributeError, RuntimeError) as error:
            reason = f"{found} does not work here ({error})"
    raise GrouserError(
        f"a picture needs OpenGL without a screen, but {reason}; on Debian, install it with: "
        "apt-get install libegl1 libgl1-mesa-dri (or libosmesa6)"
    )
