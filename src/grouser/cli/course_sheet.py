"""Everything about a course."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import replace

from grouser.cli.able_models import able_models
from grouser.cli.sheet import Sheet, Value, given_values
from grouser.description import Course
from grouser.description.reference import insert_parameters


def course_sheet(course: Course) -> Sheet:
    """Return what the file of a course says, and what follows from it."""
    content = tomllib.loads(course.text)
    chosen = insert_parameters(content, course.parameters)
    return Sheet(
        kind="course",
        name=course.name,
        title=course.title,
        description=course.description,
        values=[
            replace(value, source=f"parameter {word}") if _is_open(word := raw.value) else value
            for value, raw in zip(
                given_values(chosen, course.sources), given_values(content, {}), strict=True
            )
        ],
        derived=[*_path(course), *_ground(course), *_demands(course)],
    )


def _path(course: Course) -> Iterator[Value]:
    path = course.path
    if path is None:
        yield Value(name="path", value="none", source="drive it with waypoints or belt speeds")
        return
    yield Value(name="path length", value=path.length, unit="m", source="its elements")
    corners = [math.degrees(corner.angle) for corner in path.corners]
    if corners:
        yield Value(name="turns in place", value=corners, unit="deg", source="positive left")
    duration = path.length / course.speed
    yield Value(name="time for the path", value=duration, unit="s", source="at its speed")


def _ground(course: Course) -> Iterator[Value]:
    for outline in course.outlines():
        if not math.isnan(outline.height):
            yield Value(
                name=f"top of {outline.name}",
                value=outline.height,
                unit="m",
                source="highest point",
            )
    heights = sorted({round(riser.height, 6) for riser in course.terrain.risers})
    if heights:
        yield Value(name="heights of risers", value=heights, unit="m", source="vertical faces")
    for name, surface in course.terrain.surfaces.items():
        friction = [surface.friction, surface.friction_across, surface.slip_factor]
        yield Value(
            name=f"surface {name}",
            value=friction,
            unit="1",
            source="friction along, across, factor of slip",
        )


def _demands(course: Course) -> Iterator[Value]:
    for name, value in course.parameters.items():
        help_text = course.open_numbers[name].help
        yield Value(name=f"parameter {name}", value=value, source=help_text)
    features = ", ".join(sorted(course.features)) or "none"
    yield Value(name="asks of a model", value=features, source="its terrain")
    models = ", ".join(able_models(course)) or "none yet"
    yield Value(name="models that can drive it", value=models, source="grouser models")


def _is_open(word: object) -> bool:
    """Return whether a value of the file stands for a parameter."""
    return isinstance(word, str) and word.lstrip("-").startswith("$")
