"""Driving by hand."""

import numpy as np
import pytest

from grouser.control import LET_GO, Sticks, Teleoperation, mix_sides
from grouser.description import load_robot

TICK = 0.01


def test_sticks_that_are_let_go_stop_the_belts():
    command = Teleoperation(load_robot("absolem")).command(LET_GO, 0.5, TICK)
    assert command.belt_speeds == (0.0, 0.0)
    assert Sticks().is_released
    assert not Sticks(rear=-0.1).is_released


def test_forward_drives_both_sides_alike_and_turning_left_slows_the_left():
    assert mix_sides(1.0, 0.0) == (1.0, 1.0)
    assert mix_sides(0.0, 1.0) == (-1.0, 1.0)
    left, right = mix_sides(0.5, 0.4)
    assert (left, right) == pytest.approx((0.2, 0.8))


def test_both_keys_together_give_an_arc_and_no_pivot():
    left, right = mix_sides(1.0, 1.0)
    assert (left, right) == pytest.approx((1 / 3, 1.0))


@pytest.mark.parametrize("forward", [-1.0, 0.3, 1.0])
@pytest.mark.parametrize("turn", [-1.0, 0.4, 1.0])
def test_no_side_is_asked_for_more_than_full_speed_and_the_curvature_stays(forward, turn):
    left, right = mix_sides(forward, turn)
    assert max(abs(left), abs(right)) <= 1.0
    gentle = turn * (1.0 - 0.5 * abs(forward))
    assert (right - left) * forward == pytest.approx((left + right) * gentle)


def test_a_right_turn_is_the_mirror_image_of_a_left_turn():
    assert mix_sides(0.7, 0.2) == mix_sides(0.7, -0.2)[::-1]


def test_raising_lifts_the_tip_of_every_flipper_at_its_own_speed():
    robot = load_robot("absolem")
    hand = Teleoperation(robot)
    before = hand.flipper_angles
    hand.command(Sticks(front=1.0, rear=1.0), 0.5, TICK)
    for flipper, old, new in zip(robot.flippers, before, hand.flipper_angles, strict=True):
        assert flipper.centre_at(new)[2] > flipper.centre_at(old)[2]
        assert abs(new - old) == pytest.approx(flipper.speed_limit * TICK)


def test_front_keys_leave_the_rear_flippers_alone():
    robot = load_robot("absolem")
    hand = Teleoperation(robot)
    before = hand.flipper_angles
    hand.command(Sticks(front=-1.0), 0.5, TICK)
    moved = [new != old for old, new in zip(before, hand.flipper_angles, strict=True)]
    assert moved == [True, True, False, False]


def test_flippers_stop_at_their_limits():
    robot = load_robot("absolem")
    hand = Teleoperation(robot)
    for _ in range(20):
        hand.command(Sticks(front=-1.0, rear=-1.0), 0.5, 1.0)
    for flipper, angle in zip(robot.flippers, hand.flipper_angles, strict=True):
        assert np.isclose(angle, flipper.limits).any()
