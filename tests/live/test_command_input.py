"""Commands from outside."""

import math

import pytest

from grouser import load_robot
from grouser.errors import InvalidValue, UnknownName
from grouser.live import CommandInput
from grouser.models import command_twist

ROBOT = load_robot("absolem")


def test_a_twist_is_what_command_twist_makes_of_it():
    taken = CommandInput(ROBOT)
    taken.offer_twist(0.2, 0.3, now=1.0)
    assert taken.command(1.1).belt_speeds == command_twist(ROBOT, 0.2, 0.3).belt_speeds


def test_belts_stop_after_the_timeout_and_it_is_counted_once():
    taken = CommandInput(ROBOT, timeout=0.5)
    taken.offer_belts(0.1, 0.2, now=1.0)
    assert set(taken.command(1.5).belt_speeds) == {0.1, 0.2}
    assert set(taken.command(1.51).belt_speeds) == {0.0}
    assert set(taken.command(9.0).belt_speeds) == {0.0}
    assert taken.counts.timeouts == 1
    taken.offer_belts(0.1, 0.1, now=9.0)
    assert set(taken.command(9.1).belt_speeds) == {0.1}


def test_nothing_moves_before_a_robot_is_armed():
    taken = CommandInput(ROBOT, armed=False)
    taken.offer_belts(0.1, 0.1, now=0.0)
    assert set(taken.command(0.0).belt_speeds) == {0.0}
    taken.arm()
    # A command from before does not move it: the next one does.
    assert set(taken.command(0.0).belt_speeds) == {0.0}
    taken.offer_belts(0.1, 0.1, now=0.0)
    assert set(taken.command(0.0).belt_speeds) == {0.1}
    taken.disarm()
    assert set(taken.command(0.0).belt_speeds) == {0.0}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_rejected_and_change_nothing(bad):
    taken = CommandInput(ROBOT)
    taken.offer_belts(0.1, 0.1, now=0.0)
    for offer in (
        lambda: taken.offer_twist(bad, 0.0, now=0.1),
        lambda: taken.offer_twist(0.0, bad, now=0.1),
        lambda: taken.offer_belts(0.0, bad, now=0.1),
        lambda: taken.offer_flippers({"front-left": bad}, now=0.1),
    ):
        with pytest.raises(InvalidValue):
            offer()
    assert set(taken.command(0.1).belt_speeds) == {0.1}
    assert (taken.counts.accepted, taken.counts.rejected) == (1, 4)


def test_belts_that_no_robot_has_are_rejected():
    with pytest.raises(InvalidValue, match="belt speed left must be from -100 to 100"):
        CommandInput(ROBOT).offer_belts(1e9, 0.0, now=0.0)


def test_flippers_move_by_name_within_their_limits_and_hold():
    robot = load_robot("quince")
    taken = CommandInput(robot)
    name = robot.flippers[1].name
    taken.offer_flippers({name: 99.0}, now=0.0)
    angles = taken.command(1e3).flipper_angles
    assert angles[1] == robot.flippers[1].limits[1]
    assert angles[0] == robot.flippers[0].rest_angle


def test_a_wrong_name_of_a_flipper_names_those_that_exist():
    with pytest.raises(UnknownName, match="no flipper named 'wing'.*front-left, front-right"):
        CommandInput(ROBOT).offer_flippers({"front-left": 0.1, "wing": 0.1}, now=0.0)


def test_a_timeout_of_nothing_is_an_error():
    with pytest.raises(InvalidValue, match="timeout must be above 0"):
        CommandInput(ROBOT, timeout=0.0)
