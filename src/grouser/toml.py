"""TOML files: the one place where their text is read and parsed, within limits.

The parser of the standard library follows lists and tables that are nested as deeply as a file
likes, and takes whole numbers of any length; the TOML standard promises neither. Both are looked
for before it sees the text, and rejected with the line.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grouser import limits
from grouser.errors import InvalidDescription, Unreadable
from grouser.storage import read_file

_INTEGERS = range(-(2**63), 2**63)
# Strings and comments first, so that what they hold counts as nothing else.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|(?P<word>[\w.+:-]+)"
    r"|(?P<opened>[\[{])"
    r"|(?P<closed>[\]}])",
    re.DOTALL,
)


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises:
        InvalidDescription: There is no such file, it is too large, or it is not TOML.
    """
    return parse_toml(read_text(path), path)


def read_text(path: str | Path, limit: int = limits.DESCRIPTION_BYTES) -> str:
    """Return the text of a file of at most `limit` bytes.

    Raises:
        InvalidDescription: There is no such file, it is too large, or it is not text.
    """
    try:
        # As Python reads text: a line may also end as other systems end it.
        return read_file(path, limit).decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        problem = f"the file cannot be read as text: {error}"
        raise InvalidDescription(path, [problem]) from None
    except Unreadable as error:
        raise InvalidDescription(path, [error.problem]) from None


def parse_toml(text: str, origin: str | Path) -> dict[str, Any]:
    """Return the content of a TOML text; mistakes name `origin`.

    Raises:
        InvalidDescription: It is not TOML, nested too deeply, or has a number that is too long;
            says in which line.
    """
    if len(text) > limits.DESCRIPTION_BYTES:
        problem = f"the text has {len(text):,} characters"
        required = f"at most {limits.DESCRIPTION_BYTES:,} are read"
        raise InvalidDescription(origin, [f"{problem}; {required}"])
    for problem in _beyond_limits(text):
        raise InvalidDescription(origin, [problem])
    try:
        content = tomllib.loads(text)
    except ValueError as error:  # also dates such as 2026-02-30
        raise InvalidDescription(origin, [f"this is not TOML: {error}"]) from None
    mistakes = list(_mistaken_values(content))
    if mistakes:
        raise InvalidDescription(origin, mistakes)
    return content


def _beyond_limits(text: str) -> Iterator[str]:
    """Yield what the parser must not see, in words."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["opened"]:
            depth += 1
        elif token["closed"]:
            depth = max(depth - 1, 0)
        word = token["word"] or ""
        line = text.count("\n", 0, token.start()) + 1 if _is_beyond(depth, word) else 0
        if depth > limits.NESTING:
            yield f"line {line}: lists and tables may be nested {limits.NESTING} deep, not deeper"
        elif line:
            yield (
                f"line {line}: a number or a bare key may have {limits.NAME_LENGTH} characters, "
                f"not {len(word):,}: {word[:20]}…"
            )


def _is_beyond(depth: int, word: str) -> bool:
    return depth > limits.NESTING or len(word) > limits.NAME_LENGTH


def _mistaken_values(content: dict[str, Any]) -> Iterator[str]:
    """Yield what is in the content and fits no description; dotted keys nest, too."""
    waiting: list[tuple[str, Any, int]] = [("", content, 0)]
    while waiting:
        key, value, depth = waiting.pop()
        if depth > limits.NESTING:
            yield f"{key[:60]}… may be nested {limits.NESTING} deep, not deeper"
        elif isinstance(value, dict):
            for name, inner in value.items():
                waiting.append((f"{key}.{name}" if key else name, inner, depth + 1))
        elif isinstance(value, list):
            # Long lists are lists of plain numbers, which are not worth a key each.
            waiting += [
                (f"{key}[{i}]", inner, depth + 1)
                for i, inner in enumerate(value)
                if depth >= limits.NESTING or type(inner) is not float
            ]
        elif isinstance(value, int) and value not in _INTEGERS:
            given = f"{value:#x}"
            given = given if len(given) < 30 else f"{given[:20]}…"
            yield f"{key} must be a whole number from -2^63 to 2^63 - 1, not {given}"
