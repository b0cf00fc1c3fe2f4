"""How functions of this package are compiled: kept on disk, without Python's lock."""

from pathlib import Path
from typing import Any

from grouser.models.kept_code import Package

_FOLDER = Path(__file__).parent
PACKAGE = Package(
    title="the models in three dimensions",
    patience="about half a minute",
    folder=_FOLDER,
    size=10_300_000,
    called=(_FOLDER / "native", _FOLDER / "traction"),
)

compiled: Any = PACKAGE.compiled(nogil=True, error_model="numpy")
"""Decorator for functions to compile; a division by zero is an infinity, not an exception."""
inlined: Any = PACKAGE.compiled(nogil=True, error_model="numpy", forceinline=True)
"""Decorator for small functions, whose code becomes part of their callers'."""
