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

# A quotient may become a product with the reciprocal: a tenth faster, and equal to rounding.
compiled: Any = _PACKAGE.compiled(
    nogil=True,
    error_model="numpy",
    fastmath={"contract": True, "arcp": True, "nsz": True},
)
"""Decorator for functions to compile."""
