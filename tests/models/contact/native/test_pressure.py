"""Belts on patches turn as evenly loaded strips do: against statics, for many shapes."""

import numpy as np
import pytest

from grouser.description import Robot, parse_robot
from grouser.models import command_sides
from tests.models.contact.rides import ground, start
from tests.models.contact.turning_theory import strips, turn_rate

ROBOT = """
name = "strip"
[body]
mass_kg = 20.0
size_m = [0.2, 0.1, 0.1]
centre_m = [0.0, 0.0, 0.25]
centre_of_mass_m = [{com}, 0.0, 0.05]
inertia_kg_m2 = [0.5, 1.0, 1.2]
{tracks}
[drive]
speed_limit_m_s = 1.0
acceleration_limit_m_s2 = 10.0
"""
TRACK = """
[[tracks]]
name = "{side}"
side = "{side}"
y_m = {y}
width_m = {width}
loop.pulleys = [
    {{ x_m = {half}, z_m = 0.08, radius_m = 0.08 }},
    {{ x_m = -{half}, z_m = 0.08, radius_m = 0.08 }},
]
"""
GAUGE, SPEED = 0.4, 0.05
SHAPES = [(long, wide) for long in (0.7, 1.0, 1.5, 2.0, 2.5) for wide in (0.1, 0.3)]
"""Length and width of the belts, over the gauge."""
FRICTION = 0.8


def strip_robot(long: float, wide: float, com: float) -> Robot:
    """Return a robot whose belts have a length and width [gauge], mass at `com` [length]."""
    half = 0.5 * long * GAUGE
    tracks = "".join(
        TRACK.format(side=side, y=y * GAUGE, width=wide * GAUGE, half=half)
        for side, y in (("left", 0.5), ("right", -0.5))
    )
    return parse_robot(ROBOT.format(com=com * long * GAUGE, tracks=tracks), "strip.toml")


def error(long: float, wide: float, com: float, across: float, patches: int, left: float) -> float:
    """Return the error of the turn rate over that of strips with the load of the same mass [1]."""
    robot = strip_robot(long, wide, com)
    plant = start(robot, ground(FRICTION, across * FRICTION), f"csm:patches={patches}")
    command = command_sides(robot, left * SPEED, SPEED)
    plant.advance(command, 0.5)
    begin = plant.motion.pose.yaw
    plant.advance(command, 1.0)
    rate = plant.motion.pose.yaw - begin
    length = long * GAUGE
    places = strips(length, wide * GAUGE, GAUGE, com * length, along=200, across=8)
    return rate / turn_rate(places, left * SPEED, SPEED, (1.0, across)) - 1.0


@pytest.mark.parametrize(("patches", "most"), [(4, 0.015), (8, 0.01)])
def test_robots_short_and_long_turn_as_evenly_loaded_strips_do(patches, most):
    errors = [
        error(*shape, com, across, patches, left)
        for shape in SHAPES
        for com, across, left in ((0.0, 1.0, -1.0), (0.1, 1.0, -1.0), (0.0, 0.5, 0.3))
    ]
    assert np.abs(errors).max() < most


@pytest.mark.parametrize("across", [0.05, 0.1, 0.2, 0.4, 0.7, 1.0])
def test_turns_on_little_friction_across_are_those_of_most_dissipation(across):
    for shape in ((1.0, 0.1), (1.0, 0.3), (2.0, 0.2)):
        assert abs(error(*shape, 0.0, across, 8, -1.0)) < 0.01
