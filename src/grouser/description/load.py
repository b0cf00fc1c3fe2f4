"""Descriptions by name from the zoo, or by path from a file."""

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from grouser.errors import InvalidDescription, UnknownName

Kind: TypeAlias = Literal["robot", "course"]
"""What a description file describes."""

SUFFIX = ".toml"


def description_names(kind: Kind) -> tuple[str, ...]:
    """Return the names of the descriptions that come with the package, sorted."""
    names = (entry.name for entry in _zoo(kind).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def find_description(kind: Kind, name_or_path: str | Path) -> Traversable:
    """Return the file of a description.

    Args:
        kind: What the file describes.
        name_or_path: A name of the zoo; or, when it ends in `.toml` or has a separator, a path.

    Raises:
        UnknownName: The zoo has no description of that name.
        InvalidDescription: There is no file at that path.
    """
    given = str(name_or_path)
    if given.endswith(SUFFIX) or "/" in given or "\\" in given:
        path = Path(given)
        if not path.is_file():
            raise InvalidDescription(path, [f"there is no file here; {_would_work(kind)}"])
        return path
    if given not in description_names(kind):
        raise UnknownName(kind, given, description_names(kind))
    return _zoo(kind) / f"{given}{SUFFIX}"


def read_toml(file: Traversable) -> tuple[dict[str, Any], str]:
    """Return the content of a TOML file, and its text.

    Raises:
        InvalidDescription: The file cannot be read or is not TOML; says in which line.
    """
    try:
        text = file.read_text(encoding="utf-8")
        return tomllib.loads(text), text
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDescription(str(file), [f"the file cannot be read as text: {error}"]) from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidDescription(str(file), [f"this is not TOML: {error}"]) from None


def _zoo(kind: Kind) -> Traversable:
    return files("grouser.description") / "zoo" / f"{kind}s"


def _would_work(kind: Kind) -> str:
    names = ", ".join(description_names(kind)) or "none"
    return f"give the path of a {kind} file, or the name of one that comes with grouser: {names}"
