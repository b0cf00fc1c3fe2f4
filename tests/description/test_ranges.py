"""Every number of a description has a range, and every name a pattern."""

import math
import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grouser import limits
from grouser.description import Course, Rig, Robot, load_course, load_robot, parse_robot
from grouser.description.path import ELEMENTS
from grouser.description.pieces import KINDS
from grouser.description.schema import Table, parse_table
from grouser.errors import InvalidDescription, InvalidValue
from grouser.units import split_unit


def _tables(annotation: Any) -> Iterator[type[Table]]:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)


def all_tables() -> list[type[Table]]:
    """Return every kind of table that a robot, a course or a rig may have."""
    found: dict[type[Table], None] = {}
    waiting: list[type[Table]] = [Robot, Course, Rig, *KINDS.values(), *ELEMENTS.values()]
    while waiting:
        table = waiting.pop()
        if table not in found:
            found[table] = None
            for field in table.model_fields.values():
                waiting += _tables(field.annotation)
    return list(found)


def _fill(annotation: Any, number: float) -> Any:
    """Return a number, or lists of it, as the annotation wants it; None where none belongs."""
    if annotation in (float, int):
        return number
    parts = [part for part in get_args(annotation) if part not in (type(None), Ellipsis)]
    if get_origin(annotation) is tuple:
        inner = [_fill(part, number) for part in parts]
        return None if None in inner else inner * (2 if Ellipsis in get_args(annotation) else 1)
    if get_origin(annotation) in (dict, None) or any(isinstance(part, str) for part in parts):
        return None
    return next((value for part in parts if (value := _fill(part, number)) is not None), None)


FIELDS = [
    (table, name, field.alias or name, field.annotation)
    for table in all_tables()
    for name, field in table.model_fields.items()
    if _fill(field.annotation, 1.0) is not None
]


def mistakes_of(table: type[Table], key: str, value: Any) -> list[str]:
    """Return what is wrong with the value of a key; that other keys are missing does not count."""
    try:
        parse_table(table, {key: value}, "mine.toml")
    except InvalidDescription as error:
        return [m for m in error.mistakes if m.startswith(key) and not m.endswith("is missing")]
    return []


def test_the_walk_finds_the_numbers_of_robots_courses_and_rigs():
    keys = {key for _, _, key, _ in FIELDS}
    assert len(FIELDS) > 120
    assert {"mass_kg", "friction", "count", "heights_m", "corners_m", "turn_deg", "grid_m"} <= keys


@pytest.mark.parametrize(
    ("table", "name", "key", "annotation"), FIELDS, ids=[f"{f[0].__name__}.{f[2]}" for f in FIELDS]
)
def test_no_field_takes_a_number_that_nothing_real_has(
    table: type[Table], name: str, key: str, annotation: Any
):
    assert split_unit(key)[1] in limits.RANGES
    most = greatest(key)
    for number in (2.0 * most, -2.0 * most, 1e300, math.inf, -math.inf, math.nan, 10**40):
        mistakes = mistakes_of(table, key, _fill(annotation, number))
        assert mistakes, number
        # A number within the key's own range names its bounds, any other says what it must be.
        assert any(word in mistakes[0] for word in ("must be", "should be")), mistakes
    if mistakes_of(table, key, _fill(annotation, -1.0 if "y_m" not in key else most)):
        # What cannot be negative cannot be next to nothing either.
        assert mistakes_of(table, key, _fill(annotation, 1e-300)), key


def greatest(key: str) -> float:
    """Return the greatest number of a key; coordinates of maps are larger than lengths."""
    on_map = key in ("east_m", "north_m")
    return limits.COORDINATE if on_map else limits.RANGES[split_unit(key)[1]][1]


@settings(max_examples=300)
@given(
    field=st.sampled_from(FIELDS),
    number=st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(2**63), 2**63 - 1),
)
@example(field=FIELDS[0], number=1e-320)
def test_any_number_is_within_its_range_or_refused_with_its_key(field: Any, number: float):
    table, _, key, annotation = field
    most = greatest(key)
    mistakes = mistakes_of(table, key, _fill(annotation, number))
    if not abs(number) <= most:
        assert mistakes


@pytest.mark.parametrize(
    ("key", "line", "mistake"),
    [
        ("mass_kg", "1e300", r"body.mass_kg must be from 1e-06 to 1e\+06 kg, not 1e\+300"),
        ("mass_kg", "1e-300", r"body.mass_kg must be from 1e-06 to 1e\+06 kg, not 1e-300"),
        ("inertia_kg_m2", "[1e7, 1e7, 1e7]", "inertia_kg_m2 of 0.922 kg in a box of .* must be"),
        ("inertia_kg_m2", "[1e-11, 1e-11, 1e-11]", "inertia_kg_m2 of 0.922 kg in a box of"),
        ("y_m", "1e-300", r"tracks\[0\].y_m must be above 1e-06 because its side is 'left'"),
    ],
)
def test_a_robot_of_nonsense_is_refused(key: str, line: str, mistake: str):
    text = re.sub(
        rf"^{key} = .*$", f"{key} = {line}", load_robot("tp100").text, count=1, flags=re.M
    )
    with pytest.raises(InvalidDescription, match=mistake):
        parse_robot(text, "mine.toml")


@pytest.mark.parametrize(
    "name",
    [
        "x/../../../pwn",
        "..",
        ".hidden",
        "a\\\\b",
        "a:b",
        "a\\nb",
        "",
        " ",
        "a ",
        "x\\u0000",
        "-" * 9,
    ]
    + ["n" * (limits.NAME_LENGTH + 1), "\\u202eevil", "\\U0001f916"],
)
def test_a_name_that_could_lead_elsewhere_is_refused(name: str):
    text = load_robot("tp100").text.replace('name = "tp100"', f'name = "{name}"')
    with pytest.raises(InvalidDescription, match=r"^mine\.toml: name: "):
        parse_robot(text, "mine.toml")


@pytest.mark.parametrize("name", ["TP-100 (mine, v1.2)", "Räumer_3", "戦車", "a=b+c", "हिन्दी"])
def test_names_that_people_give_are_accepted(name: str):
    text = load_robot("tp100").text.replace('name = "tp100"', f'name = "{name}"')
    assert parse_robot(text, "mine.toml").name == name


COURSE = 'name = "mine"\n[[terrain]]\nkind = "plane"\n'


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("[path]\nelements = [{arc_radius_m = 1.0, turn_deg = -1e9}]",
         r"turn_deg must be from -100000 to 100000 deg, not -1000000000\.0"),
        ("[path]\nelements = [" + "{arc_radius_m = 9.0, turn_deg = 99999.0}," * 7 + "]",
         "path must have lines or arcs of 1e-06 to 100000 m together"),
        ("[path]\nelements = [" + "{arc_radius_m = 0.01, turn_deg = 9e4}," * 1500 + "]",
         r"path must be made of at most 1,000,000 chords"),
        ("[path]\nelements = [{line_m = 1.0}, " + "{line_m = 1.0}," * 2000 + "]",
         "path.elements: .*at most 2000 items"),
        ("[path]\nelements = [{arc_radius_m = 1e-6, turn_deg = 1e-5}]",
         "path must have lines or arcs"),
        ('[[terrain]]\nkind = "stairs"\ncount = 1000000000\ntread_m = 0.3\nrise_m = 0.1\n'
         "width_m = 1", r"terrain\[1\].count: .* 2000, given 1000000000"),
        ('[[terrain]]\nkind = "stairs"\ncount = 1500\ntread_m = 0.3\nrise_m = 0.1\nwidth_m = 1\n'
         * 2, "stairs must have at most 2,000 steps together, not 3,000"),
        ('[[terrain]]\nkind = "ramp"\nup_m = 1e4\nangle_deg = 89\nwidth_m = 1',
         "its top must be from 1e-06 to 100000 m high"),
        ("[surfaces.ground]\nfriction = 1e9", r"friction: .* 100, given 1000000000"),
        ('[surfaces."../x"]\nfriction = 1', r"surfaces\.\.\./x: must be a name"),
        ('[[terrain]]\nkind = "box"\nlength_m = 1e-300\nwidth_m = 1\nheight_m = 1',
         "length_m must be from 1e-06 to 100000 m, not 1e-300"),
    ],
)  # fmt: skip
def test_a_course_of_nonsense_is_refused_at_once(tmp_path, text: str, mistake: str):
    file = tmp_path / "mine.toml"
    file.write_text(COURSE + text + "\n")
    with pytest.raises(InvalidDescription, match=mistake):
        load_course(file)


@pytest.mark.parametrize("key", ["changes", "text", "origin", "reference", "self"])
def test_a_parameter_may_be_called_anything(key: str):
    with pytest.raises(Exception, match=f"no parameter named '{key}'"):
        load_course(f"flat:{key}=1")


def test_a_reference_is_not_endless():
    with pytest.raises(InvalidValue, match="at most 4,000 characters"):
        load_course("flat:a=" + "1" * 5000)
