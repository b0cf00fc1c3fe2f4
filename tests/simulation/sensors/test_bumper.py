"""Bumpers: pressed by walls and steps of their height, at either end."""

import math

import pytest

from grouser.description import load_course, load_robot, parse_course
from grouser.errors import InvalidDescription
from tests.simulation.sensors.moments import make_sensor, room, still, with_sensors

ROBOT = load_robot("absolem")
WALL = 5.0
"""Where the wall ahead is in the room [m]."""


def pressed(text, course=None, **place):
    return make_sensor(f"[sensors.bumper]\n{text}", course or room()).sample(still(**place))[0]


def test_it_is_pressed_within_its_travel_and_not_before():
    at = WALL - ROBOT.front
    assert pressed("travel_m = 0.02\n", x=at - 0.019) == 1.0
    assert pressed("travel_m = 0.02\n", x=at - 0.021) == 0.0
    assert pressed("travel_m = 0.02\n", x=at + 0.03) == 1.0  # a robot that nothing stops


def test_the_rear_has_its_own():
    at = -3.0 - ROBOT.rear
    assert pressed('side = "rear"\n', x=at + 0.005) == 1.0
    assert pressed('side = "rear"\n', x=at + 0.05) == 0.0
    assert pressed("", x=at + 0.005) == 0.0


def test_the_end_of_the_strip_counts():
    half = 0.5 * ROBOT.body.size[1]
    beside = {"x": 2.1 - ROBOT.front - 0.005}  # the box reaches from y 1.7 to 2.3
    assert pressed("", y=1.7 - half + 0.001, **beside) == 1.0
    assert pressed("", y=1.7 - half - 0.001, **beside) == 0.0


@pytest.mark.parametrize(("height", "expected"), [(0.1, 0.0), (1.0, 1.0)])
def test_a_low_step_does_not_reach_the_strip(height, expected):
    step = parse_course(
        f'name = "step"\n[[terrain]]\nkind = "plane"\n[[terrain]]\nkind = "step"\nx_m = 1.0\n'
        f"height_m = {height}\ndepth_m = 1.0\nwidth_m = 2.0\n",
        "step.toml",
    )
    assert pressed("height_m = 0.3\n", step, x=1.0 - ROBOT.front - 0.005) == expected


def test_the_ground_presses_it_when_the_robot_falls_on_its_nose():
    ground = load_course("flat")
    upright = {"pitch": 0.5 * math.pi}
    assert pressed("", ground) == 0.0
    assert pressed("", ground, z=ROBOT.front + 0.005, **upright) == 1.0
    assert pressed("", ground, z=ROBOT.front + 0.05, **upright) == 0.0


def test_an_unknown_end_is_rejected():
    with pytest.raises(InvalidDescription, match="side: .*'front' or 'rear'"):
        with_sensors('[sensors.bumper]\nside = "top"\n')
