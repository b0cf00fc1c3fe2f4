"""Descriptions by name from the zoo, or by path from a file."""

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, TypeAlias

from grouser import toml
from grouser.description.change_content import change_content
from grouser.description.robot import Robot
from grouser.description.schema import parse_table
from grouser.errors import InvalidDescription, UnknownName
from grouser.storage import is_file
from grouser.toml import parse_toml

Kind: TypeAlias = Literal["robot", "course", "rig"]
"""What a description file describes."""

SUFFIX = ".toml"


def load_robot(name_or_path: str | Path, changes: Mapping[str, float] | None = None) -> Robot:
    """Return a robot by its name in the zoo, or from a file.

    Args:
        name_or_path: A name of `robot_names()`; or, when it ends in `.toml` or has a separator,
            the path of a file.
        changes: Numbers to take instead of those of the file, by dotted key: `body.mass_kg`.
            The text stays that of the file.

    Raises:
        UnknownName: The zoo has no robot of that name.
        InvalidDescription: There is no such file, or it has mistakes; all of them are listed.
    """
    file = find_description("robot", name_or_path)
    robot = parse_robot(read_text(file), str(file), changes)
    model = robot.body.model_file
    if model is not None and not is_file(model):
        raise InvalidDescription(str(file), [f"body.model: there is no file at {model}"])
    return robot


def parse_robot(text: str, origin: str | Path, changes: Mapping[str, float] | None = None) -> Robot:
    """Return the robot that a text describes; mistakes name `origin`.

    The file of a body's shapes is looked for beside `origin`, but only when it is needed.
    `changes` are numbers to take instead of those of the text, by dotted key.

    Raises:
        InvalidDescription: The text has mistakes; all of them are listed.
    """
    content = parse_toml(text, str(origin))
    change_content(content, changes or {}, str(origin))
    body = content.get("body")
    if isinstance(body, dict) and isinstance(body.get("model"), str):
        body["model"] = Path(origin).parent / body["model"]
    return parse_table(Robot, {**content, "text": text}, str(origin))


def robot_names() -> tuple[str, ...]:
    """Return the names of the robots that come with the package, sorted."""
    return description_names("robot")


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
        if not is_file(given):
            raise InvalidDescription(given, [f"there is no file here; {_would_work(kind)}"])
        return Path(given)
    if given not in description_names(kind):
        raise UnknownName(kind, given, description_names(kind))
    return _zoo(kind) / f"{given}{SUFFIX}"


def read_text(file: Traversable) -> str:
    """Return the text of a description file.

    Raises:
        InvalidDescription: The file cannot be read, is too large, or is not text.
    """
    # What comes with the package may lie in an archive, where no path leads.
    return toml.read_text(file) if isinstance(file, Path) else file.read_text(encoding="utf-8")


def _zoo(kind: Kind) -> Traversable:
    return files("grouser.description") / "zoo" / f"{kind}s"


def _would_work(kind: Kind) -> str:
    names = ", ".join(description_names(kind)) or "none"
    return f"give the path of a {kind} file, or the name of one that comes with grouser: {names}"
