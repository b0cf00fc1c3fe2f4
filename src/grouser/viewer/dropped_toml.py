"""TOML files that are dropped on a page: what they describe, and whether it is right."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from grouser.description.load import check_robot_files, parse_course, parse_robot
from grouser.errors import InvalidDescription
from grouser.scenario import Scenario
from grouser.shelf import current_shelf
from grouser.toml import parse_toml, read_text
from grouser.viewer.course_files import COURSES, ROBOTS

Kind: TypeAlias = Literal["robot", "course", "scenario"]
"""What a file describes."""
FOLDERS: Mapping[Kind, str] = {"robot": ROBOTS, "course": COURSES, "scenario": ""}
"""Where each kind is kept in the folder of a page."""
_KEYS: dict[Kind, frozenset[str]] = {
    "scenario": frozenset({"grouser", "robot", "course", "model", "driver"}),
    "robot": frozenset({"body", "tracks", "wheels", "flippers", "drive", "slip", "sensors"}),
    "course": frozenset(
        {"terrain", "surfaces", "area", "path", "start", "speed_m_s", "ruts", "datum"}
    ),
}


def check_toml(file: Path, name: str) -> dict[str, Any]:
    """Return the `kind` of a file that will have a name in the folder of a page, if it is right.

    All that it names is read as well: meshes, height maps, soils, and of a scenario the robot and
    the course.

    Raises:
        GrouserError: The file has mistakes, or names files outside of the folder.
    """
    text = read_text(file)
    kind = find_kind(parse_toml(text, name), name)
    shelf = current_shelf()
    folder = file.parent if shelf is None else shelf.folder
    origin = folder / FOLDERS[kind] / name
    if kind == "robot":
        check_robot_files(parse_robot(text, origin), origin)
    elif kind == "course":
        parse_course(text, origin)
    else:
        Scenario.parse(text, origin, origin.parent)
    return {"kind": kind}


def find_kind(content: Mapping[str, Any], name: str) -> Kind:
    """Return what the content of a TOML file describes; InvalidDescription if that is unclear."""
    counts = {kind: len(keys & content.keys()) for kind, keys in _KEYS.items()}
    best: Kind = max(_KEYS, key=lambda kind: counts[kind])
    if not counts[best]:
        mistake = (
            "is neither a robot ([body], [[tracks]], [drive]), nor a course ([[terrain]]), nor a "
            "scenario (robot, course, model, driver)"
        )
        raise InvalidDescription(name, [mistake])
    return best
