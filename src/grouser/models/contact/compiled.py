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

_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""A division by zero is an infinity, not an exception. Functions allocate nothing, so that arrays
need no counts of references, which would take a quarter of the time."""

compiled: Any = PACKAGE.compiled(**_OPTIONS)
"""Decorator for functions to compile."""
inlined: Any = PACKAGE.compiled(**_OPTIONS, forceinline=True)
"""Decorator for small functions, whose code becomes part of their callers'."""
