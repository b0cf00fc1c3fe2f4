"""Small runs whose numbers can be worked out by hand."""

import numpy as np
import pytest

from grouser.description import Course, load_robot, parse_course
from grouser.log import Column, Log, Provenance

COURSE = """
name = "yard"
area = { x_m = [-0.5, 4.5], y_m = [-1.0, 1.0] }

[path]
elements = [{ line_m = 4.0 }]

[[terrain]]
kind = "plane"

[[terrain]]
kind = "box"
name = "block"
x_m = 1.0
length_m = 0.2
width_m = 0.4
height_m = 0.05

[[terrain]]
kind = "ramp"
x_m = 2.5
angle_deg = 45.0
up_m = 0.25
down_m = 0.25
width_m = 0.6

[[terrain]]
kind = "patch"
surface = "ice"
x_m = 3.5
length_m = 0.4
width_m = 0.8

[surfaces.ice]
friction = 0.1
"""

FLAT = """
name = "flat"

[path]
elements = [{ line_m = 4.0 }]

[[terrain]]
kind = "plane"
"""


def make_log(y: float = 0.0, offset: float = 0.0, **provenance: object) -> Log:
    """Four rows, 1 m apart, beside the x axis by `y`, ahead by `offset` [m]."""
    time = np.array([0.0, 1.0, 2.0, 4.0])
    columns = {
        "time": (time, "s"),
        "x": (np.array([0.0, 1.0, 2.0, 3.0]) + offset * np.array([0.0, 0.0, 1.0, 2.0]), "m"),
        "y": (np.full(4, y), "m"),
        "z": (np.array([0.0, 0.0, 0.5, 0.0]), "m"),
        "pitch": (np.array([0.0, -0.3, 0.2, 0.0]), "rad"),
        "yaw": (np.array([0.0, np.pi / 2, np.pi, -np.pi / 2]), "rad"),
        "yaw_rate": (np.array([0.0, 0.1, 0.1, 0.0]), "rad/s"),
        "belt_speed_commanded.left": (np.array([1.0, 1.0, 1.0, 0.0]), "m/s"),
        "belt_speed.left": (np.array([0.0, 0.9, -1.2, 0.0]), "m/s"),
        "slip.left": (np.array([9.0, 0.1, 0.3, 9.0]), "1"),
        "slip.right": (np.array([0.0, 0.2, 0.4, np.nan]), "1"),
    }
    return Log(
        {name: Column(values, unit) for name, (values, unit) in columns.items()},
        Provenance(**provenance),  # type: ignore[arg-type]
    )


@pytest.fixture
def course() -> Course:
    return parse_course(COURSE, "yard")


@pytest.fixture
def flat() -> Course:
    return parse_course(FLAT, "flat")


@pytest.fixture
def run() -> Log:
    """A run that knows its robot and course."""
    robot = load_robot("tp100")
    return make_log(
        y=0.1,
        robot="tp100",
        robot_text=robot.text,
        robot_hash="0123456789abcdef",
        course="yard",
        course_text=COURSE,
        model="slip",
        driver="by hand",
        dt=0.01,
        seed=7,
    )
