"""`grouser show`: all numbers of a robot or a course."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from grouser.cli.options import Json, RobotOrCourse
from grouser.cli.terminal import Terminal
from grouser.description import (
    Course,
    Robot,
    course_names,
    load_course,
    load_robot,
    robot_names,
)
from grouser.description.expression import MARK
from grouser.description.overhang import find_overhangs
from grouser.description.reference import insert_parameters, parse_reference
from grouser.description.schema import MARKS, Table, find_source
from grouser.errors import InvalidDescription, InvalidValue, UnknownName
from grouser.laws.step_feasibility import friction_demand, height_limit
from grouser.models import (
    CATALOGUE,
    able_models,
    driven_range,
    effective_width,
    find_equal,
    group_assumptions,
    make_model,
    steering_efficiency,
    width_source,
)
from grouser.storage import is_file
from grouser.toml import read_toml
from grouser.units import format_number, split_unit

Kind = Annotated[
    Literal["robot", "course"] | None,
    Parameter(name="--as", help="What the name means, where it could be either."),
]


def show(name: RobotOrCourse, /, *, kind: Kind = None, as_json: Json = False) -> None:
    """Show all numbers of a robot or a course, each with unit and source, and derived values."""
    if (kind or choose_kind(name)) == "robot":
        sheet = robot_sheet(load_robot(name))
    else:
        sheet = course_sheet(load_course(name))
    if as_json:
        Terminal().json(asdict(sheet))
    else:
        sheet.print(Terminal())


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
        mistake = (
            f"is neither clearly a robot nor a course, with {found}; use --as robot or --as course"
        )
        raise InvalidDescription(name, [mistake])
    return "robot" if as_robot > as_course else "course"


def _keys(kind: type[Table]) -> set[str]:
    return {field.alias or name for name, field in kind.model_fields.items()}


SKIPPED = frozenset({"name", "title", "description", "sources"})
"""Keys of a file that stand elsewhere on the sheet."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a file, or one that follows from them."""

    name: str
    """Its key in the file, or what it is."""
    value: Any
    """What it is."""
    unit: str = ""
    """Its unit; "1" for a ratio or a count, empty for a word."""
    source: str = ""
    """Where it comes from."""

    @property
    def text(self) -> str:
        """The value in few digits."""
        many = isinstance(self.value, list | tuple)
        return ", ".join(format_number(v) for v in (self.value if many else [self.value]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A robot or a course in words and numbers."""

    kind: str
    """`robot` or `course`."""
    name: str
    """What it is called."""
    title: str
    """What it is, in one line."""
    description: str
    """What else a reader should know."""
    values: Sequence[Value]
    """What its file holds."""
    derived: Sequence[Value]
    """What follows from that."""
    warnings: Sequence[str] = ()
    """What is probably not meant, a sentence each."""
    assumed: Sequence[dict[str, Any]] = ()
    """What models assume for want of data, each with the names of those that do."""

    @classmethod
    def of(
        cls,
        kind: str,
        shown: Robot | Course,
        values: Sequence[Value],
        derived: Sequence[Value],
        warnings: Sequence[str] = (),
        assumed: Sequence[dict[str, Any]] = (),
    ) -> Sheet:
        """Return the sheet of a robot or a course."""
        words = {"name": shown.name, "title": shown.title, "description": shown.description}
        return cls(
            kind=kind, **words, values=values, derived=derived, warnings=warnings, assumed=assumed
        )

    def print(self, terminal: Terminal) -> None:
        """Write the sheet for a person."""
        terminal.heading(f"{self.name}: {self.title}")
        terminal.line(" ".join(self.description.split()))
        terminal.line()
        terminal.heading("As given")
        sources = dict.fromkeys(v.source for v in self.values if v.source)
        numbers = {source: number for number, source in enumerate(sources, start=1)}
        given = [(v.name, v.text, v.unit, _cite(v.source, numbers)) for v in self.values]
        terminal.table(("key", "value", "unit", "source"), given)
        terminal.heading("Sources")
        for source, number in numbers.items():
            terminal.line(f"{number:>3}  {source}")
        terminal.line()
        for mark, meaning in MARKS.items():
            terminal.line(f"[{mark}]  {meaning}")
        terminal.line()
        terminal.heading("What follows")
        follows = [(v.name, v.text, v.unit, v.source) for v in self.derived]
        terminal.table(("quantity", "value", "unit", "from"), follows)
        if self.assumed:
            rows = [(a["quantity"], a["text"], a["lack"], a["models"]) for a in self.assumed]
            terminal.table(("assumed, since not given", "value", "missing key", "by models"), rows)
        for warning in self.warnings:
            terminal.remark(f"warning: {self.name}: {warning}")


def _cite(source: str, numbers: Mapping[str, int]) -> str:
    """Return the marks of a source and its number in the list of sources."""
    marks = "".join(re.findall(r"\[[A-Z]\]", source))
    return f"{marks} {numbers[source]}".strip() if source else ""


def given_values(content: Mapping[str, Any], sources: Mapping[str, str]) -> list[Value]:
    """Return all values of a parsed file, each with the unit of its key and its source."""
    held = {key: value for key, value in content.items() if key not in SKIPPED}
    return [
        Value(key, value)
        if isinstance(value, str | bool)
        else Value(key, value, _find_unit(key), _find_source(sources, key))
        for key, value in _walk("", held)
    ]


def _walk(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every word, number and list of numbers by its key, such as `tracks[0].width_m`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk(f"{place}.{key}" if place else key, inner)
    elif isinstance(value, list) and any(isinstance(v, Mapping | list) for v in value):
        for index, inner in enumerate(value):
            yield from _walk(f"{place}[{index}]", inner)
    else:
        yield place, value


def _find_source(sources: Mapping[str, str], key: str) -> str:
    return find_source(sources, key) or find_source(sources, f"{key}[0]") or ""


def _find_unit(key: str) -> str:
    name = key.removesuffix(".default").removesuffix(".minimum").removesuffix(".maximum")
    name = name.split("[")[0] if name.endswith("]") else name
    return split_unit(name)[1]


def robot_sheet(robot: Robot) -> Sheet:
    """Return the values in the file of a robot, and what follows from them."""
    values = given_values(tomllib.loads(robot.text), robot.sources)
    derived = [*_sizes(robot), *_abilities(robot), *_equal_models(robot)]
    warnings = [overhang.words for overhang in find_overhangs(robot)]
    return Sheet.of("robot", robot, values, derived, warnings, assumed_by_models(robot))


def assumed_by_models(robot: Robot) -> list[dict[str, Any]]:
    """Return what models assume where the file of a robot lacks data."""
    models = {name: make_model(name) for name in CATALOGUE}
    return [
        {**found.to_dict(), "text": found.text, "lack": found.lack, "models": ", ".join(names)}
        for found, names in group_assumptions(models, robot).items()
    ]


def _sizes(robot: Robot) -> Iterator[Value]:
    parts = "all parts, flippers at rest; x forward, y left, z from the ground"
    yield Value("total mass", robot.mass, "kg", "all parts")
    yield Value("centre of mass", robot.centre_of_mass, "m", parts)
    yield Value("length", robot.front - robot.rear, "m", "without flippers")
    yield Value("gauge", robot.gauge, "m", "between centre lines")
    yield Value("contact length", robot.contact_length, "m", "level ground")
    belts = [(track.name, track) for track in robot.tracks]
    belts += [(flipper.name, flipper.track) for flipper in robot.flippers]
    for name, belt in belts:
        yield Value(f"belt length, {name}", belt.loop.length, "m", "its loop")
        if belt.pitch is not None:
            yield Value(f"grouser pitch, {name}", belt.pitch, "m", "belt length over grousers")


def _abilities(robot: Robot) -> Iterator[Value]:
    width, efficiency = effective_width(robot), steering_efficiency(robot)
    source = "P0 eq 7" if robot.slip.wheelbase else width_source(robot)
    yield Value("equivalent wheelbase", width, "m", source)
    yield Value("width ratio chi", float(efficiency.chi), "1", "effective over true width")
    yield Value("steering efficiency eta", float(efficiency.eta), "1", "1 / chi")
    if (driven := driven_range(robot)) is not None:
        beyond = "model smooth; beyond it the constants of [slip] and [slip.icr]"
        contrasts = [driven.contrast_low, driven.contrast_high]
        yield Value("fitted up to a belt speed of", driven.speed, "m/s", beyond)
        yield Value("fitted to contrasts from, to", contrasts, "1", beyond)
        for name in ("ahead", "back", "spot"):
            if (way := getattr(driven, name)) is not None:
                yield Value(f"fitted {name} up to a belt speed of", way.speed, "m/s", beyond)
                yield Value(f"fitted {name} to contrasts", [way.right, way.left], "1", beyond)
    com_x, _, com_z = robot.centre_of_mass
    wheels, place = (robot.wheel_radius, robot.wheel_distance), (com_x, com_z - robot.wheel_radius)
    highest = float(height_limit(*wheels, *place))
    grousers = robot.tracks[0].grousers if robot.tracks else None
    reach = grousers.height if grousers else 0.0
    demand = float(friction_demand(*wheels, highest, *place, grouser_height=reach))
    limit = "centre of mass over the edge; flippers and friction left out"
    yield Value("highest step", highest, "m", limit)
    yield Value(
        "friction that step needs",
        demand,
        "1",
        "largest over the climb; both contacts at the limit",
    )


def _equal_models(robot: Robot) -> Iterator[Value]:
    for name in CATALOGUE:
        if (equal := find_equal(make_model(name), robot)) is not None:
            yield Value(f"model {name}", f"same as {equal.model.name}", source=equal.reason)


def course_sheet(course: Course) -> Sheet:
    """Return the values in the file of a course, and what follows from them."""
    content = tomllib.loads(course.text)
    chosen = given_values(insert_parameters(content, course.parameters), course.sources)
    values = [
        replace(value, source=_open_source(raw.value, value.source))
        for value, raw in zip(chosen, given_values(content, {}), strict=True)
    ]
    derived = [*_path_values(course), *_ground_values(course), *_demands(course)]
    return Sheet.of("course", course, values, derived)


def _path_values(course: Course) -> Iterator[Value]:
    path = course.path
    if path is None:
        yield Value("path", "none", source="drive it with waypoints or belt speeds")
        return
    yield Value("path length", path.length, "m", "its elements")
    if corners := [math.degrees(corner.angle) for corner in path.corners]:
        yield Value("turns in place", corners, "deg", "positive left")
    yield Value("time for the path", path.length / course.speed, "s", "at its speed")


def _ground_values(course: Course) -> Iterator[Value]:
    if course.datum is not None:
        for key, value in course.datum.model_dump(by_alias=True, exclude_none=True).items():
            name = key.removesuffix("_m")
            yield Value(f"{name} of the origin", value, "m", "[datum] and the maps of its terrain")
    if not course.terrain.planes and course.has_ground:
        yield Value("ground", "ends", source="at the border of its height fields: so does a run")
    outlines = [outline for outline in course.outlines() if not math.isnan(outline.height)]
    tops = {outline.name: outline.height for outline in outlines}  # lowest first: the top stays
    for name, height in tops.items():
        yield Value(f"top of {name}", height, "m", "highest point")
    if heights := sorted({round(riser.height, 6) for riser in course.terrain.risers}):
        yield Value("heights of risers", heights, "m", "vertical faces")
    for name, surface in course.terrain.surfaces.items():
        friction = [surface.friction, surface.friction_across, surface.slip_factor]
        yield Value(f"surface {name}", friction, "1", "friction along, across, factor of slip")
        if surface.soil is not None:
            yield Value(f"soil of {name}", surface.soil.name, source=surface.soil.title)


def _demands(course: Course) -> Iterator[Value]:
    for name, value in course.parameters.items():
        yield Value(f"parameter {name}", value, source=course.open_numbers[name].help)
    features = ", ".join(sorted(course.features)) or "none"
    yield Value("needs of a model", features, source="its terrain")
    models = ", ".join(able_models(course)) or "none yet"
    yield Value("models that can drive it", models, source="grouser models")


def _open_source(word: object, source: str) -> str:
    """Return the source of a value, and which parameters it stands for or is computed from."""
    if isinstance(word, str) and word.lstrip("-").startswith("$"):
        return f"parameter {word}"
    if isinstance(word, str) and word.startswith(MARK) and "$" in word:
        return f"computed {word}; {source}" if source else f"computed {word}"
    return source
