"""What a key that a table does not have may have been meant to be."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

MOST_PLACES = 4
"""Number of places of a key that a sentence names."""


_MANY = {list: "[]", tuple: "[]", dict: ".NAME"}


def suggest_key(word: str, kind: type[BaseModel]) -> str:
    """Return a hint for an unknown key of a file: where it belongs, or the most similar key."""
    known: dict[str, dict[str, None]] = {}
    for key, table in _known_keys(kind):
        known.setdefault(key, {})[table] = None
    if word in known:
        return f"; {word} belongs {_list_places(tuple(known[word]))}"
    stem = word.rsplit("_", 1)[0]
    same_quantity = sorted(key for key in known if key.rsplit("_", 1)[0] == stem)
    close = same_quantity or get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _list_places(tables: tuple[str, ...]) -> str:
    """Return where a key belongs, in words."""
    if "" in tables:
        return "to the top level, above all tables"
    shown = (*tables[:MOST_PLACES], *(["others"] if len(tables) > MOST_PLACES else []))
    first = ", ".join(shown[:-1])
    return f"to {first} or {shown[-1]}" if first else f"to {shown[-1]}"


def _known_keys(
    kind: type[BaseModel], place: str = "", seen: frozenset[type] = frozenset()
) -> Iterator[tuple[str, str]]:
    """Yield each key of a table and of those in it, and the table that has the key."""
    for name, field in kind.model_fields.items():
        key = field.alias or name
        yield key, place
        inside = f"{place}.{key}" if place else key
        many = _MANY.get(get_origin(field.annotation), "")
        for inner in tables_in(field.annotation):
            if inner not in seen:
                word = _kind_of(inner)
                yield from _known_keys(inner, f"{inside}{many}{word}", seen | {kind})


def _kind_of(table: type[BaseModel]) -> str:
    """Return the kind of a table in words, if tables at its place have kinds."""
    field = table.model_fields.get("kind")
    if field is None or get_origin(field.annotation) is not Literal:
        return ""
    return f" of kind {get_args(field.annotation)[0]!r}"


def tables_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the kinds of tables that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation, *(t for kind in annotation.__subclasses__() for t in tables_in(kind))]
    return [t for part in getattr(annotation, "__args__", ()) for t in tables_in(part)]
