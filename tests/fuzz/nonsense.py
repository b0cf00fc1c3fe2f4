"""What counts as nonsense in every description: numbers and names that nothing real has."""

import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from tests.fuzz.target import require

ABSURD = {"_N_m": 1e10, "_m": 1e6, "_kg": 1e7, "_m_s": 1e5, "_deg": 1e6, "_s": 1e8}
"""Sizes that no key with this ending has, whatever the product's own limits are; the first ending
that fits counts."""
LARGEST = 1e13
"""Size that no number has."""


def check_numbers(description: BaseModel) -> None:
    """Raise Nonsense for a number of a description that is not finite or absurd."""
    for key, number in _leaves("", description.model_dump(by_alias=True)):
        # Angles were converted, so they are smaller than what the key says.
        most = next((most for end, most in ABSURD.items() if key.endswith(end)), LARGEST)
        require(math.isfinite(number) and abs(number) <= most, f"{key} is {number}")


def check_name(name: str) -> None:
    """Raise Nonsense for a name that is empty, leads elsewhere, or cannot be printed."""
    require(0 < len(name) <= 255 and bool(name.strip()), f"name {name!r}")
    require(not set(name) & set("/\\:*?<>|\"'\n\r"), f"name {name!r} has a separator")
    require(not name.startswith("."), f"name {name!r} starts with a dot")
    strange = [c for c in name if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    require(not strange, f"name {name!r} has control characters")


def _leaves(key: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(str(name), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(key, inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value
