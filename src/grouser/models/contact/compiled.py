"""How functions of this package are compiled: kept on disk, without Python's lock."""

from pathlib import Path
from typing import Any

from grouser.models.kept_code import Package

_FOLDER = Path(__file__).parent
PACKAGE = Package(
    title="the models in three dimensions",
    patience="half a minute or more",
    folder=_FOLDER / "native",
    size=6_900_000,
    called=(_FOLDER / "traction", _FOLDER.parent / "lanes", Path(__file__)),
)

_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""A division by zero is an infinity, not an exception. Functions allocate nothing, so that arrays
need no counts of references, which would take a quarter of the time."""
_INNER: Any = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

entry: Any = PACKAGE.compiled(**_OPTIONS)
"""Decorator for functions that Python calls."""
compiled: Any = PACKAGE.compiled(**_INNER)
"""Decorator for functions that only compiled functions call."""
inlined: Any = PACKAGE.compiled(**_INNER, forceinline=True)
"""Decorator for small ones, whose code becomes part of their callers'."""
