"""The text of a course file from its content, laid out to be read and edited by a person."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

FIRST = ("name", "title", "description", "speed_m_s")
"""Keys of a course that come first, in this order."""
LAST = ("surfaces", "terrain", "sources")
"""Tables of a course that come last, in this order."""


def write_course(content: Mapping[str, Any]) -> str:
    """Return a TOML text: plain keys first, then tables, then one table for each piece."""
    ordered = {key: content[key] for key in FIRST if key in content}
    ordered |= {key: value for key, value in content.items() if key not in (*FIRST, *LAST)}
    ordered |= {key: content[key] for key in LAST if key in content}
    return "\n".join(_lines((), ordered)).strip("\n") + "\n"


def _lines(place: tuple[str, ...], content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table, those of the tables within it last."""
    inner = {key: value for key, value in content.items() if _is_table(value)}
    for key, value in content.items():
        if key not in inner:
            yield f"{write_key(key)} = {write_value(value)}"
    for key, value in inner.items():
        here = (*place, key)
        name = ".".join(map(write_key, here))
        for table in value if isinstance(value, list | tuple) else (value,):
            bare = not isinstance(value, list | tuple) and all(map(_is_table, table.values()))
            if not bare or not table:
                yield ""
                yield f"[[{name}]]" if isinstance(value, list | tuple) else f"[{name}]"
            yield from _lines(here, table)


def _is_table(value: Any) -> bool:
    """Return whether a value is written as tables of its own: a table, or a list of large ones."""
    if isinstance(value, Mapping):
        return True
    is_list = isinstance(value, list | tuple) and len(value) > 0
    return is_list and all(isinstance(inner, Mapping) and "kind" in inner for inner in value)


def write_value(value: Any) -> str:
    """Return a value as TOML: a list of lists has a line for each."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value + 0.0)  # not -0.0
        case int():
            return str(value)
        case Mapping():
            pairs = ", ".join(f"{write_key(k)} = {write_value(v)}" for k, v in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case list() | tuple():
            return _write_list(value)
        case _:
            return _write_text(str(value))


def _write_list(values: list[Any] | tuple[Any, ...]) -> str:
    words = [write_value(value) for value in values]
    if any(isinstance(value, list | tuple | Mapping) for value in values):
        return "[\n" + "".join(f"    {word},\n" for word in words) + "]"
    return f"[{', '.join(words)}]"


def write_key(key: str) -> str:
    """Return a key as TOML, quoted if it has to be."""
    is_bare = key.isascii() and key.replace("_", "a").replace("-", "a").isalnum()
    return key if is_bare else _write_text(key)


def _write_text(text: str) -> str:
    is_plain = not set(text) & set('"\\\x7f') and all(c == "\n" or ord(c) >= 32 for c in text)
    if "\n" in text and is_plain:
        return f'"""\n{text}"""'
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
