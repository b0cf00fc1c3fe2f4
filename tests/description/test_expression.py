"""Numbers that a course computes from its parameters."""

import math

import pytest

from grouser.description import parse_course
from grouser.description.expression import LONGEST, compute
from grouser.errors import InvalidDescription

VALUES = {"width_m": 1.2, "angle_deg": 30.0, "soil": "snow"}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("= 2 * $width_m + 0.1", 2.5),
        ("=$width_m/2", 0.6),
        ("= 1 - 2 - 3", -4.0),
        ("= 8 / 2 / 2", 2.0),
        ("= -($width_m - 1) * 3", -0.6),
        ("= 1.2 / tan($angle_deg)", 1.2 * math.sqrt(3.0)),
        ("= sin(30) + cos(60)", 1.0),
        ("= .5e1", 5.0),
    ],
)
def test_an_expression_is_computed(text: str, result: float):
    assert compute(text, VALUES) == pytest.approx(result, rel=1e-11)


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3", "=", "= 2 3", "= $hight_m", "= $soil", "= 1 / 0", "= 1e999", "= (1", "= 1)",
        "= tan 3", "= __import__", "= 2 ** 3", "= 1 +", "=" + "(" * 150, "= 1" + " + 1" * LONGEST,
    ],
)  # fmt: skip
def test_what_is_no_expression_stays_a_text(text: str):
    assert compute(text, VALUES) is None


COURSE = """
name = "computed"
[parameters.height_m]
default = 0.2
[[terrain]]
kind = "box"
length_m = 1.0
width_m = 1.0
height_m = "= {}"
"""


def test_a_course_takes_computed_numbers():
    course = parse_course(COURSE.format("0.5 * $height_m"), "c.toml", height_m=0.6)
    assert course.terrain.height(0.0, 0.0) == pytest.approx(0.3)


def test_a_mistake_in_an_expression_is_listed_with_its_key():
    with pytest.raises(InvalidDescription, match=r"terrain\[0\].height_m.*0.5 \* \$hight_m"):
        parse_course(COURSE.format("0.5 * $hight_m"), "c.toml")
