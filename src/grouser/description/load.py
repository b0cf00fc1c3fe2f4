"""Robots, courses and camera rigs by name or file; soils are in `soil`."""

from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeAlias

from grouser.description.course import Course
from grouser.description.find import description_names, find_description, is_path, read_text
from grouser.description.mesh_file import read_drawn_mesh
from grouser.description.reference import (
    Parameter,
    choose_parameters,
    insert_parameters,
    parse_reference,
)
from grouser.description.rig import Rig
from grouser.description.robot import Robot
from grouser.description.schema import Table, TableT, parse_table
from grouser.errors import InvalidDescription
from grouser.shelf import current_shelf, locate
from grouser.storage import is_file
from grouser.toml import parse_toml

Change: TypeAlias = float | str | bool
"""What stands in a file instead of what is written there."""


def change_content(content: dict[str, Any], changes: Mapping[str, Change], origin: str) -> None:
    """Set numbers in the content of a file, as if they had been written there.

    A key leads from table to table: `body.mass_kg`. In a list of tables, the next word is the
    name, the kind or the number of one of them, as in `tracks.left.width_m` or
    `terrain.1.height_m`; without it, all of them change: `flippers.mass_kg`.

    Raises:
        InvalidDescription: A key does not exist. Whether the table has the last word, and
            whether the number fits, is found when the content is parsed.
    """
    for key, value in changes.items():
        mistake = f"{key} is not a key of this file"
        _set(content, key.split("."), value, origin, mistake)


def _set(place: Any, words: list[str], value: Change, origin: str, mistake: str) -> None:
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


Key: TypeAlias = tuple[str, str, str]
"""Text, origin and changes of a table."""


class Recent(Generic[TableT]):
    """The last tables that were parsed, by all that they depend on; tables are frozen."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[Key, TableT] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Key) -> TableT | None:
        """Return the table of a key; None if it has to be parsed."""
        with self._lock:
            found = self._by_key.get(key)
            if found is not None:
                self._by_key.move_to_end(key)
            return found

    def keep(self, key: Key, table: TableT) -> TableT:
        """Keep a table, and drop the one that was not looked for the longest; return it."""
        with self._lock:
            self._by_key[key] = table
            if len(self._by_key) > KEPT:
                self._by_key.popitem(last=False)
        return table


KEPT = 128
"""Robots, and courses, that stay parsed: those of a row of a sweep [1]."""
_ROBOTS: Recent[Robot] = Recent()
_COURSES: Recent[Course] = Recent()


def _key(text: str, origin: str | Path, *given: Mapping[str, Any] | None) -> Key:
    """Return all that a table depends on: types of numbers, too, and what may be read."""
    more = [list((each or {}).items()) for each in given]
    return text, str(origin), repr((more, current_shelf()))


def load_robot(name_or_path: str | Path, changes: Mapping[str, Change] | None = None) -> Robot:
    """Return a robot by its name in the zoo, or from a file; `changes` are numbers by dotted key.

    The text stays that of the file.

    Raises:
        UnknownName: The zoo has no robot of that name.
        InvalidDescription: There is no such file, or it has mistakes; all of them are listed.
    """
    file = find_description("robot", name_or_path)
    robot = parse_robot(read_text(file), str(file), changes)
    check_robot_files(robot, str(file))
    return robot


def check_robot_files(robot: Robot, origin: str | Path) -> None:
    """Raise InvalidDescription if a file that a robot names is missing or has mistakes."""
    model = robot.body.model_file
    if model is not None and not is_file(model):
        raise InvalidDescription(origin, [f"body.model: there is no file at {model}"])
    if robot.body.mesh_file is not None:
        try:
            read_drawn_mesh(robot.body.mesh_file, robot.body.mesh_scale)
        except InvalidDescription as error:
            mistakes = [f"body.mesh: {error.origin}: {mistake}" for mistake in error.mistakes]
            raise InvalidDescription(origin, mistakes) from None


def parse_robot(
    text: str, origin: str | Path, changes: Mapping[str, Change] | None = None
) -> Robot:
    """Return the robot that a text describes; mistakes name `origin`.

    The file of a body's shapes is looked for beside `origin`, but only when it is needed.
    `changes` are numbers to take instead of those of the text, by dotted key.
    """
    key = _key(text, origin, changes)
    robot = _ROBOTS.find(key)
    if robot is None:
        robot = _ROBOTS.keep(key, _parse_robot(text, origin, changes))
    return robot


def _parse_robot(text: str, origin: str | Path, changes: Mapping[str, Change] | None) -> Robot:
    content = parse_toml(text, str(origin))
    change_content(content, changes or {}, str(origin))
    body = content.get("body")
    for name in ("model", "mesh"):
        if isinstance(body, dict) and isinstance(body.get(name), str):
            body[name] = locate(Path(origin).parent, body[name], f"body.{name}")
    return parse_table(Robot, {**content, "text": text}, str(origin))


def robot_names() -> tuple[str, ...]:
    """Return the names of the robots of the zoo and of plug-ins, sorted."""
    return description_names("robot")


class _Declarations(Table):
    parameters: dict[str, Parameter] = {}


def course_names() -> tuple[str, ...]:
    """Return the names of the courses of the zoo and of plug-ins, sorted."""
    return description_names("course")


GROUPS = ("start here", "obstacles", "test lanes", "soils", "papers")
"""Groups of courses in lists, in this order; other groups follow, and courses without one."""
FIRST_COURSE = "playground"
"""The course for a newcomer, before all others."""


@cache
def listed_courses() -> tuple[Course, ...]:
    """Return the courses of the zoo and of plug-ins, as lists show them: by group, then by name."""
    found = [load_course(name) for name in course_names()]
    order = {name: number for number, name in enumerate(GROUPS)}

    def place(course: Course) -> tuple[Any, ...]:
        group = order.get(course.group, len(order)), not course.group, course.group
        return course.name != FIRST_COURSE, *group, course.name

    return tuple(sorted(found, key=place))


def load_course(
    reference: str | Path, changes: Mapping[str, Change] | None = None, /, **parameters: Any
) -> Course:
    """Return a course by its name in the zoo, or from a file, as in `step:height_m=0.2`.

    `changes` are numbers by dotted key (`surfaces.ground.friction`); `parameters` count more than
    those in `reference`.

    Raises:
        UnknownName: The zoo has no course, or the course no parameter, of that name.
        InvalidValue: A parameter is out of its range.
        InvalidDescription: There is no such file, or it has mistakes; all of them are listed.
        MissingExtra: It has a piece in a file, and the package to read it is missing.
    """
    name, given = parse_reference(str(reference))
    file = find_description("course", name)
    return parse_course(read_text(file), str(file), changes, **{**given, **parameters})


def parse_course(
    text: str, origin: str | Path, changes: Mapping[str, Change] | None = None, /, **parameters: Any
) -> Course:
    """Return the course that a text describes; see `load_course`.

    Mistakes name `origin`, and files are looked for beside it.
    """
    key = _key(text, origin, changes, parameters)
    course = _COURSES.find(key)
    if course is None:
        content = _course_content(text, str(origin), changes or {}, parameters)
        course = _parse_course(content, str(origin))
        if not _reads_files(content):
            _COURSES.keep(key, course)  # what lies in other files may change
    return course


def resolve_course(
    text: str, origin: str | Path, changes: Mapping[str, Change] | None = None, /, **parameters: Any
) -> dict[str, Any]:
    """Return the content of a course file with its parameters and changes inserted, to be edited.

    Paths of files are those that are read. Sources of pieces are left out: pieces will change.
    """
    content = _course_content(text, str(origin), changes or {}, parameters)
    for key in ("text", "parameters"):
        content.pop(key, None)
    for surface in _tables(content, "surfaces"):
        if isinstance(soil := surface.get("soil"), dict) and soil.keys() == {"like"}:
            surface["soil"] = soil["like"]
    sources = content.pop("sources", {})
    kept = {key: value for key, value in sources.items() if not key.startswith(_CHANGING)}
    return content | ({"sources": kept} if kept else {})


_CHANGING = ("terrain", "parameters")


def _course_content(
    text: str, origin: str, changes: Mapping[str, Change], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of a course file with what was chosen, and the paths of its files."""
    content = parse_toml(text, origin)
    for surface in _tables(content, "surfaces"):
        if isinstance(surface.get("soil"), str):
            surface["soil"] = {"like": surface["soil"]}  # a table, whose numbers can be changed
    for key in changes:
        if key.startswith("surfaces.") and isinstance(content.setdefault("surfaces", {}), dict):
            content["surfaces"].setdefault(key.split(".")[1], {})  # a surface may be a new one
    change_content(content, changes, origin)
    content = _resolve(Course, content, parameters, origin)
    folder = Path(origin).parent
    for number, piece in enumerate(_tables(content, "terrain")):
        if isinstance(piece.get("file"), str):
            piece["file"] = locate(folder, piece["file"], f"terrain[{number}].file")
    for soil in _soils(content):
        if isinstance(soil.get("like"), str) and is_path(soil["like"]):
            beside = locate(folder, soil["like"], "surfaces: soil")
            soil["like"] = beside if is_file(beside) else Path(soil["like"])
    return {**content, "text": text}


def _parse_course(content: dict[str, Any], origin: str) -> Course:
    course = parse_table(Course, content, origin)
    try:
        _ = course.terrain  # reads the files of pieces now, so that their mistakes show here
    except InvalidDescription as error:
        mistakes = [f"terrain: {error.origin}: {mistake}" for mistake in error.mistakes]
        raise InvalidDescription(origin, mistakes) from None
    return course


def _tables(content: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the tables of a list, or of a table of tables."""
    found = content.get(key)
    inner = list(found.values()) if isinstance(found, dict) else found
    return [table for table in inner if isinstance(table, dict)] if isinstance(inner, list) else []


def _soils(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    surfaces = _tables(content, "surfaces")
    return [surface["soil"] for surface in surfaces if isinstance(surface.get("soil"), dict)]


def _reads_files(content: Mapping[str, Any]) -> bool:
    files = [piece.get("file") for piece in _tables(content, "terrain")]
    files += [soil.get("like") for soil in _soils(content)]
    return any(isinstance(file, Path) for file in files)


def _resolve(
    kind: type[Table], content: dict[str, Any], given: Mapping[str, Any], origin: str
) -> dict[str, Any]:
    """Return the content of a file with the parameters that are given, or else their defaults."""
    declarations = {"parameters": content.get("parameters", {})}
    try:
        declared = parse_table(_Declarations, declarations, origin).parameters
    except InvalidDescription:
        parse_table(kind, content, origin)  # lists this mistake among all others
        raise
    values = choose_parameters(declared, given)
    resolved = insert_parameters(content, values)
    for name, value in values.items():
        resolved["parameters"][name]["default"] = value
    return resolved


def rig_names() -> tuple[str, ...]:
    """Return the names of the rigs of the zoo and of plug-ins, sorted."""
    return description_names("rig")


def load_rig(reference: str | Path, /, **parameters: Any) -> Rig:
    """Return a rig by its name in the zoo, or from a file; raises as `load_course` does."""
    name, given = parse_reference(str(reference))
    file = find_description("rig", name)
    return parse_rig(read_text(file), str(file), **{**given, **parameters})


def parse_rig(text: str, origin: str | Path, /, **parameters: Any) -> Rig:
    """Return the rig that a text describes; mistakes name `origin`."""
    resolved = _resolve(Rig, parse_toml(text, str(origin)), parameters, str(origin))
    return parse_table(Rig, {**resolved, "text": text}, str(origin))
