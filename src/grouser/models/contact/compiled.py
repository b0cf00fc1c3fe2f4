"""How functions of this package are compiled: kept on disk, without Python's lock."""

from pathlib import Path
from typing import Any

from grouser.models.kept_code import Package

_PACKAGE = Package(
    title="the models in three dimensions",
    patience="about half a minute",
    folder=Path(__file__).parent,
)

compiled: Any = _PACKAGE.compiled(nogil=True)
"""Decorator for functions to compile."""
inlined: Any = _PACKAGE.compiled(nogil=True, forceinline=True)
"""Decorator for functions to compile into those that call them."""
