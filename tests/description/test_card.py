"""Robots and courses as they are shown in notebooks."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from grouser.description import Course, course_names, load_course, load_robot, robot_names
from grouser.errors import GrouserError

BAD = "<script>alert(1)</script>"
QUICK = """
import sys
from grouser import load_course, load_robot
assert "<svg" in load_robot("absolem")._repr_html_()
assert "<svg" in load_course("pallet")._repr_html_()
print(sorted({"matplotlib", "plotly", "mujoco", "trimesh", "PIL", "numba"} & set(sys.modules)))
"""


def shapes(card: str) -> list[str]:
    return [e.tag.rpartition("}")[2] for e in ET.fromstring(card).iter() if e.get("points")]


@pytest.mark.parametrize("name", robot_names())
def test_a_robot_is_seen_from_the_side_and_from_above(name):
    robot = load_robot(name)
    card = robot._repr_html_()
    parts = 1 + len(robot.drives) + len(robot.flippers)
    assert shapes(card) == ["polygon"] * 2 * parts + ["polyline"]
    assert f"Robot {name}" in card
    assert len(card) < 30_000


@pytest.mark.parametrize("name", course_names())
def test_a_course_is_seen_from_above(name):
    course = load_course(name)
    card = course._repr_html_()
    assert f"Course {name}" in card
    assert ("<svg" in card) == bool(course.outlines() or course.path)
    assert shapes(card).count("polyline") == (course.path is not None)
    assert len(card) < 100_000


def test_titles_cannot_bring_scripts():
    robot = load_robot("tp100").model_copy(update={"title": BAD})
    course = load_course("flat").model_copy(update={"title": BAD})
    for card in (robot._repr_html_(), course._repr_html_()):
        assert "<script" not in card
        assert "&lt;script&gt;" in card


def test_a_course_whose_file_is_gone_has_a_card_without_a_plan(tmp_path):
    piece = {"kind": "heightfield", "file": tmp_path / "gone.png", "spacing_m": 0.1,
             "height_range_m": [0.0, 0.2]}  # fmt: skip
    course = Course.model_validate({"name": "c", "terrain": [piece]})
    with pytest.raises(GrouserError):
        course.outlines()
    assert "<svg" not in course._repr_html_()


def test_cards_need_no_library_of_plots():
    done = subprocess.run([sys.executable, "-c", QUICK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
