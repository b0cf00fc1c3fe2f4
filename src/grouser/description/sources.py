"""Where the numbers of a description come from.

The table `[sources]` maps a key, or the beginning of keys, to a text that ends in a mark. An
index may be left out: `tracks.width_m` speaks for every track, `tracks[1]` for one.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

MARKS: dict[str, str] = {
    "T": "stated in the paper",
    "R": "reconstructed from what the paper states",
    "A": "assumed here, until a measured value exists",
    "E": "taken from other public material",
    "M": "measured on the robot itself",
}
"""What the letter in brackets at the end of a source says."""

Parts: TypeAlias = tuple[str | int, ...]
"""A key in parts: `tracks[1].width_m` is ("tracks", 1, "width_m")."""


def numeric_leaves(content: Mapping[str, Any]) -> dict[str, float]:
    """Return every number of a parsed file by its key, such as `body.size_m[0]`."""
    return dict(_walk("", content))


def find_source(sources: Mapping[str, str], key: str) -> str | None:
    """Return the source of a key: of those that speak for it, the one that names most of it."""
    speaking = [source for source in sources if _speaks_for(_parts(source), _parts(key))]
    return sources[max(speaking, key=lambda source: len(_parts(source)))] if speaking else None


def mistaken_sources(sources: Iterable[str], content: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each source that speaks for no number, which is likely misspelt.

    Args:
        sources: Keys of the table of sources.
        content: The file, parsed.
    """
    keys = [_parts(key) for key in numeric_leaves(content)]
    idle = [s for s in sources if not any(_speaks_for(_parts(s), key) for key in keys)]
    return [f'sources."{key}" speaks for no number of this file' for key in idle]


def _walk(place: str, value: Any) -> Iterable[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk(f"{place}.{key}" if place else key, inner)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _walk(f"{place}[{index}]", inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value


def _parts(key: str) -> Parts:
    found = re.findall(r"\[(\d+)\]|([^.\[\]]+)", key)
    return tuple(int(index) if index else name for index, name in found)


def _speaks_for(source: Parts, key: Parts) -> bool:
    """Return whether `source` is the beginning of `key`, indices of the key left out or equal."""
    rest = list(key)
    for part in source:
        while rest and isinstance(rest[0], int) and not isinstance(part, int):
            rest.pop(0)
        if not rest or rest.pop(0) != part:
            return False
    return True
