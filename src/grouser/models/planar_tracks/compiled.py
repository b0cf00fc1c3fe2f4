"""How functions of this package are compiled: kept on disk, divisions as numpy does them."""

from pathlib import Path
from typing import Any

from grouser import limits
from grouser.models.kept_code import Package

_PACKAGE = Package(
    title="the model tracks-planar",
    patience="some seconds",
    folder=Path(__file__).parent,
    called=(Path(str(limits.__file__)),),
)

# No fast mathematics: a robot has the same bits alone and among others.
compiled: Any = _PACKAGE.compiled(nogil=True, error_model="numpy")
"""Decorator for functions to compile."""
inlined: Any = _PACKAGE.compiled(nogil=True, error_model="numpy", forceinline=True)
"""Decorator for functions to compile into those that call them."""
