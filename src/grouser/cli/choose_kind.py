"""Whether a name or a file is a robot or a course."""

from typing import Literal

from grouser.description import Course, Robot, course_names, robot_names
from grouser.description.reference import parse_reference
from grouser.description.schema import Table
from grouser.errors import InvalidDescription, InvalidValue, UnknownName
from grouser.storage import is_file
from grouser.toml import read_toml


def choose_kind(reference: str) -> Literal["robot", "course"]:
    """Return what a name of the zoo means, or what a file describes.

    Raises:
        UnknownName: It is neither a robot nor a course.
        InvalidValue: It is both.
        InvalidDescription: There is no such file, or it has the keys of neither.
    """
    name, _ = parse_reference(reference)
    is_robot, is_course = name in robot_names(), name in course_names()
    if is_robot and is_course:
        raise InvalidValue("name", name, "be made clear with --as robot or --as course")
    if is_robot or is_course:
        return "robot" if is_robot else "course"
    if not (name.endswith(".toml") or "/" in name or "\\" in name):
        raise UnknownName("robot or course", name, (*robot_names(), *course_names()))
    return _kind_of_file(name)


def _kind_of_file(name: str) -> Literal["robot", "course"]:
    if not is_file(name):
        mistake = "there is no file here; give the path of a robot or course file, or a name"
        raise InvalidDescription(name, [mistake])
    given = set(read_toml(name))
    robot, course = _keys(Robot), _keys(Course)
    as_robot, as_course = len(given & (robot - course)), len(given & (course - robot))
    if as_robot == as_course:
        found = ", ".join(sorted(given)) or "nothing"
        mistake = f"is neither clearly a robot nor a course, with {found}; --as robot tells"
        raise InvalidDescription(name, [mistake])
    return "robot" if as_robot > as_course else "course"


def _keys(kind: type[Table]) -> set[str]:
    return {field.alias or name for name, field in kind.model_fields.items()}
