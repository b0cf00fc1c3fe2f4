"""Courses by name from the zoo, or by path from a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grouser.description.change_content import change_content
from grouser.description.course import Course
from grouser.description.load import description_names, find_description, read_text
from grouser.description.parameter import Parameter, choose_parameters, insert_parameters
from grouser.description.reference import parse_reference
from grouser.description.schema import Table, parse_table
from grouser.errors import InvalidDescription
from grouser.toml import parse_toml


class _Declarations(Table):
    parameters: dict[str, Parameter] = {}


def course_names() -> tuple[str, ...]:
    """Return the names of the courses that come with the package, sorted."""
    return description_names("course")


def load_course(
    reference: str | Path, changes: Mapping[str, float] | None = None, /, **parameters: Any
) -> Course:
    """Return a course by its name in the zoo, or from a file.

    Args:
        reference: A name of `course_names()`; or, when it ends in `.toml` or has a separator,
            the path of a file. Parameters may follow: `step:height_m=0.2`.
        changes: Numbers to take instead of those of the file, by dotted key:
            `surfaces.ground.friction`.
        **parameters: Parameters of the course; they count more than those in `reference`.

    Raises:
        UnknownName: The zoo has no course, or the course no parameter, of that name.
        InvalidValue: A parameter is out of its range.
        InvalidDescription: There is no such file, or it has mistakes; all of them are listed.
        MissingExtra: It has a height field in a file, and the package to read it is missing.
    """
    name, given = parse_reference(str(reference))
    file = find_description("course", name)
    return parse_course(read_text(file), str(file), changes, **{**given, **parameters})


def parse_course(
    text: str, origin: str | Path, changes: Mapping[str, float] | None = None, /, **parameters: Any
) -> Course:
    """Return the course that a text describes.

    Args:
        text: The content of a course file.
        origin: Where the text is from: named in mistakes, and files are looked for beside it.
        changes: Numbers to take instead of those of the text, by dotted key.
        **parameters: Parameters of the course.

    Raises:
        UnknownName: The course has no parameter of that name.
        InvalidValue: A parameter is out of its range.
        InvalidDescription: The text has mistakes; all of them are listed.
        MissingExtra: It has a height field in a file, and the package to read it is missing.
    """
    origin = str(origin)
    content = parse_toml(text, origin)
    change_content(content, changes or {}, origin)
    try:
        declared = parse_table(
            _Declarations, {"parameters": content.get("parameters", {})}, origin
        ).parameters
    except InvalidDescription:
        parse_table(Course, content, origin)  # lists this mistake among all others
        raise
    values = choose_parameters(declared, parameters)
    content = _resolve(content, values, Path(origin).parent)
    course = parse_table(Course, {**content, "text": text}, origin)
    try:
        _ = course.terrain  # reads the files of height fields now, so that their mistakes show here
    except InvalidDescription as error:
        mistakes = [f"terrain: {error.origin}: {mistake}" for mistake in error.mistakes]
        raise InvalidDescription(origin, mistakes) from None
    return course


def _resolve(
    content: Mapping[str, Any], values: Mapping[str, float], folder: Path
) -> dict[str, Any]:
    """Return the content with chosen parameters, and with files beside the course file."""
    resolved = insert_parameters(content, values)
    for name, value in values.items():
        resolved["parameters"][name]["default"] = value
    pieces = resolved.get("terrain")
    for piece in pieces if isinstance(pieces, list) else ():
        if isinstance(piece, dict) and isinstance(piece.get("file"), str):
            piece["file"] = folder / piece["file"]
    return resolved
