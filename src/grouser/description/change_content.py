"""Numbers of a description file, changed by their dotted key."""

from collections.abc import Mapping
from typing import Any

from grouser.errors import InvalidDescription


def change_content(content: dict[str, Any], changes: Mapping[str, float], origin: str) -> None:
    """Set numbers in the content of a file, as if they had been written there.

    A key leads from table to table: `body.mass_kg`. In a list of tables, the next word is the
    name, the kind or the number of one of them, as in `tracks.left.width_m` or
    `terrain.1.height_m`; without it, all of them change: `flippers.mass_kg`.

    Args:
        content: What a TOML file holds; it is changed.
        changes: Numbers by dotted key.
        origin: The file, for messages.

    Raises:
        InvalidDescription: A key leads nowhere. Whether the table knows the last word, and
            whether the number fits, is found when the content is parsed.
    """
    for key, value in changes.items():
        mistake = f"{key} is not a key of this file"
        _set(content, key.split("."), value, origin, mistake)


def _set(place: Any, words: list[str], value: float, origin: str, mistake: str) -> None:
    word, *rest = words
    if isinstance(place, list):
        chosen = [item for number, item in enumerate(place) if word in _names(item, number)]
        for item in chosen or place:
            _set(item, rest if chosen else words, value, origin, mistake)
    elif not isinstance(place, dict):
        raise InvalidDescription(origin, [mistake])
    elif not rest:
        place[word] = value
    elif word in place:
        _set(place[word], rest, value, origin, mistake)
    else:
        known = ", ".join(sorted(key for key in place if isinstance(place[key], dict | list)))
        raise InvalidDescription(origin, [f"{mistake}: {word!r} is none of {known or 'no table'}"])


def _names(item: Any, number: int) -> tuple[str, ...]:
    """Return by which words an item of a list can be chosen."""
    own = (item.get("name"), item.get("kind")) if isinstance(item, dict) else ()
    return str(number), *(str(name) for name in own if name is not None)
