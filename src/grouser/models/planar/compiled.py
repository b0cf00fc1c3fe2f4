"""How functions of this package are compiled: kept on disk, divisions as numpy does them."""

from pathlib import Path
from typing import Any

from grouser import laws, limits
from grouser.models.kept_code import Package

_PACKAGE = Package(
    title="the model tankbot",
    patience="some seconds",
    folder=Path(__file__).parent,
    called=(Path(str(laws.__file__)).parent, Path(str(limits.__file__))),
)

# No fast mathematics: a sum or quotient has the same bits in whichever code it is computed.
compiled: Any = _PACKAGE.compiled(nogil=True, error_model="numpy")
"""Decorator for functions to compile."""
inlined: Any = _PACKAGE.compiled(nogil=True, error_model="numpy", forceinline=True)
"""Decorator for functions to compile into those that call them."""
