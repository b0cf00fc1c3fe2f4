"""Description files by name or path: robots, courses, rigs and soils."""

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from grouser import toml
from grouser.errors import InvalidDescription
from grouser.registry import SUFFIX, description_files, find_file
from grouser.shelf import Shelf
from grouser.storage import hint_at_file, is_file

Kind: TypeAlias = Literal["robot", "course", "rig", "soil"]
"""Kinds of description files."""


def description_names(kind: Kind) -> tuple[str, ...]:
    """Return the names of the descriptions of the zoo and of plug-ins, sorted."""
    return tuple(description_files(kind))


def shelf_of(folder: Path) -> Shelf:
    """Return what a file in the folder of a page may name: files there, and those of packages."""
    files = [file for kind in get_args(Kind) for file in description_files(kind).values()]
    packages = {file.parent for file in files if isinstance(file, Path)}
    return Shelf(folder, tuple(sorted(packages)))


def is_path(name_or_path: str | Path) -> bool:
    """Return whether a text is the path of a description file, not a name."""
    given = str(name_or_path)
    return given.endswith(SUFFIX) or "/" in given or "\\" in given


def find_description(kind: Kind, name_or_path: str | Path) -> Traversable:
    """Return the file of a name or path; UnknownName or InvalidDescription if there is none."""
    given = str(name_or_path)
    if is_path(given):
        if not is_file(given):
            problem = f"there is no file here{hint_at_file(given)}; {_would_work(kind)}"
            raise InvalidDescription(given, [problem])
        return Path(given)
    if Path(given).suffix and given not in description_names(kind):
        here = is_file(given)
        problem = "is not a name" if here else f"there is no such file{hint_at_file(given)}"
        raise InvalidDescription(given, [f"{problem}; files of a {kind} end in {SUFFIX}"])
    return find_file(kind, given)


def read_text(file: Traversable) -> str:
    """Return the text of a description file; InvalidDescription if it cannot be read."""
    # Files of the package may be in an archive, without a path.
    return toml.read_text(file) if isinstance(file, Path) else file.read_text(encoding="utf-8")


def _would_work(kind: Kind) -> str:
    names = ", ".join(description_names(kind)) or "none"
    return f"give the path of a {kind} file, or the name of one that comes with grouser: {names}"
