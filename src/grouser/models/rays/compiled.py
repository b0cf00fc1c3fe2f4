"""How functions of this package are compiled."""

from pathlib import Path
from typing import Any

from grouser.models.kept_code import Package

_PACKAGE = Package(
    title="rays",
    patience="some seconds",
    folder=Path(__file__).parent,
    size=600_000,
)

compiled: Any = _PACKAGE.compiled(nogil=True, error_model="numpy")
"""Decorator for functions to compile."""
inlined: Any = _PACKAGE.compiled(nogil=True, error_model="numpy", no_cpython_wrapper=True)
"""Decorator for functions that only compiled ones call."""
