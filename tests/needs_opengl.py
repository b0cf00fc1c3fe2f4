"""The mark of tests that draw: run always in CI, elsewhere only where there is OpenGL."""

import os
from ctypes.util import find_library

import pytest

from grouser.models.contact import open_screen

needs_opengl = pytest.mark.skipif(
    "CI" not in os.environ and not any(map(find_library, open_screen.LIBRARIES.values())),
    reason="no OpenGL without a screen",
)
