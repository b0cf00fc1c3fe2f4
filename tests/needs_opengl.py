"""The mark of tests that draw: run always in CI, elsewhere only where there is OpenGL."""

import os
from ctypes.util import find_library

import pytest

from grouser.drawing import canvas

needs_opengl = pytest.mark.skipif(
    "CI" not in os.environ and not any(map(find_library, canvas.LIBRARIES.values())),
    reason="no OpenGL without a screen",
)
