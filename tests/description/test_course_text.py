"""Courses written as text, to be read by a person and by the package."""

import pytest

from grouser.description import course_names, load_course, parse_course
from grouser.description.course_text import write_course, write_value
from grouser.description.find import find_description, read_text
from grouser.description.load import resolve_course


@pytest.mark.parametrize("name", course_names())
def test_every_course_that_comes_with_the_package_survives_being_written(name):
    file = find_description("course", name)
    content = resolve_course(read_text(file), str(file))
    written = parse_course(write_course(content), str(file))
    assert written.content_hash == load_course(name).content_hash
    assert written.title == load_course(name).title


def test_parameters_and_changes_become_plain_numbers():
    file = find_description("course", "step")
    changes = {"surfaces.ground.friction": 0.33}
    text = write_course(resolve_course(read_text(file), str(file), changes, height_m=0.21))
    assert "height_m = 0.21" in text
    assert "friction = 0.33" in text
    assert "$" not in text
    assert "[parameters" not in text


def test_a_course_reads_well():
    content = {
        "terrain": [{"kind": "box", "x_m": 1.0, "length_m": 0.4}],
        "surfaces": {"ice": {"friction": 0.1}},
        "name": "a course",
        "path": {"elements": [{"line_m": 3.0}, {"arc_radius_m": 1.0, "turn_deg": 90.0}]},
    }
    assert write_course(content) == (
        'name = "a course"\n\n'
        "[path]\nelements = [\n    { line_m = 3.0 },\n"
        "    { arc_radius_m = 1.0, turn_deg = 90.0 },\n]\n\n"
        "[surfaces.ice]\nfriction = 0.1\n\n"
        '[[terrain]]\nkind = "box"\nx_m = 1.0\nlength_m = 0.4\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        (-0.0, "0.0"),
        ('a "b"\\', '"a \\"b\\"\\\\"'),
        ([1.5, 2], "[1.5, 2]"),
    ],
)
def test_values_are_written_as_toml(value, text):
    assert write_value(value) == text
