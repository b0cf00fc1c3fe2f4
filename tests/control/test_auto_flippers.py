"""The rule `auto` for flippers."""

import math

import numpy as np
import pytest

from grouser.control import AutoFlippers
from grouser.control.auto_flippers import READY, in_line_angle
from grouser.description import load_robot

ROBOTS = ["absolem", "quince"]
AHEAD, BACK = (0.2, 0.2), (-0.2, -0.2)


def raised(robot, angles):
    """How far tips are above the line of the belts, front ones first [rad]."""
    pairs = zip(robot.flippers, angles, strict=True)
    return [f.raising_sign * (angle - in_line_angle(f)) for f, angle in pairs]


@pytest.mark.parametrize("name", ROBOTS)
def test_level_ahead_the_front_ones_are_ready_and_the_rear_ones_lie_in_line(name):
    robot = load_robot(name)
    assert raised(robot, AutoFlippers(robot).angles(0.0, AHEAD)) == pytest.approx(
        [READY, READY, 0.0, 0.0]
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_backward_the_ends_change_their_roles(name):
    robot = load_robot(name)
    assert raised(robot, AutoFlippers(robot).angles(0.0, BACK)) == pytest.approx(
        [0.0, 0.0, READY, READY]
    )


@pytest.mark.parametrize("pitch", [-0.5, 0.5])
def test_tilted_the_leading_ones_are_lowered_by_as_much_but_not_below_the_line(pitch):
    robot = load_robot("absolem")
    rule = AutoFlippers(robot)
    assert raised(robot, rule.angles(pitch, AHEAD))[0] == pytest.approx(READY - 0.5)
    assert raised(robot, rule.angles(2.0 * pitch, AHEAD)) == pytest.approx([0.0] * 4)


def test_in_line_the_lower_run_is_as_low_at_the_tip_as_at_the_hinge():
    flipper = load_robot("absolem").flippers[2]
    # The end pulleys differ by 60 mm over 330 mm.
    assert in_line_angle(flipper) == pytest.approx(-math.asin(0.060 / 0.330))
    assert in_line_angle(load_robot("quince").flippers[0]) == 0.0


def test_limits_of_a_flipper_hold():
    stowed = {f"postures.stowed.{end}_raised_deg": 20.0 for end in ("front", "rear")}
    robot = load_robot("quince", {"flippers.limits_deg": [-50.0, 20.0], **stowed})
    assert AutoFlippers(robot).angles(0.0, BACK)[2] == pytest.approx(math.radians(20.0))


def test_many_robots_at_once_have_the_same_bits_as_one_by_one():
    rule = AutoFlippers(load_robot("absolem"))
    pitches, speeds = np.linspace(-1.0, 1.0, 9), np.linspace(-0.3, 0.3, 9)
    many = rule.angles(pitches, (speeds, speeds))
    for lane, (pitch, speed) in enumerate(zip(pitches, speeds, strict=True)):
        one = rule.angles(float(pitch), (float(speed), float(speed)))
        assert one == tuple(float(angles[lane]) for angles in many)


def test_a_robot_without_flippers_has_nothing_to_move():
    assert AutoFlippers(load_robot("tp100")).angles(0.1, AHEAD) == ()


def test_left_and_right_flippers_of_an_end_move_alike_and_so_does_the_mirror_image():
    robot = load_robot("absolem")
    for pitch in (-0.4, 0.0, 0.3):
        # A robot that turns: the sides differ, their sum counts.
        angles = AutoFlippers(robot).angles(pitch, (0.1, 0.3))
        assert angles[0] == angles[1]
        assert angles[2] == angles[3]
        assert AutoFlippers(robot.mirrored()).angles(pitch, (0.3, 0.1)) == angles
