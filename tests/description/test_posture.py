"""Postures of a robot's file: named angles of its flippers, one of which it rests in."""

import math

import pytest

from grouser.description import load_robot, robot_names
from grouser.errors import InvalidDescription, UnknownName

FLIPPED = [name for name in robot_names() if load_robot(name).flippers]


def degrees(angles):
    return [round(math.degrees(angle), 6) for angle in angles]


def test_a_robot_rests_in_the_posture_that_its_file_names():
    for posture, front, rear in (("drive", 30.0, -10.0), ("raised", 28.64789, 28.64789)):
        robot = load_robot("absolem", {"posture": posture})
        # Raising lowers the number of what points ahead, and raises it of what points behind.
        expected = [-front, -front, rear, rear]
        assert degrees(flipper.rest_angle for flipper in robot.flippers) == expected
        assert robot.posture_angles("rest") == robot.posture_angles(posture)
    assert load_robot("absolem").posture == "drive"


def test_the_posture_moves_the_robot_and_what_it_may_be_does_not():
    usual = load_robot("absolem")
    assert load_robot("absolem", {"posture": "flat"}).content_hash != usual.content_hash
    changed = load_robot("absolem", {"postures.climb.front_raised_deg": 50.0})
    assert changed.content_hash == usual.content_hash


def test_ends_without_a_number_stay_at_rest():
    robot = load_robot("quince", {"flippers.rest_deg": 5.0, "postures.new": {"rear_raised_deg": 7}})
    assert degrees(robot.posture_angles("new")) == [5.0, 5.0, 7.0, 7.0]


def test_the_mirror_image_has_the_same_postures():
    robot = load_robot("absolem")
    assert robot.mirrored().posture_angles("climb") == robot.posture_angles("climb")


@pytest.mark.parametrize("name", FLIPPED)
def test_robots_of_the_zoo_have_postures_with_their_rear_flippers_on_the_ground(name):
    robot = load_robot(name)
    assert {"flat", "climb", "stowed"} <= set(robot.postures)
    for flipper, angle in zip(robot.flippers, robot.posture_angles("climb"), strict=True):
        _, tip, _, _ = flipper.track.loop.bounds
        assert (flipper.centre_at(angle)[2] > flipper.hinge[2]) == (tip > 0.2 or flipper.is_front)


@pytest.mark.parametrize(
    ("robot", "changes", "mistake"),
    [
        ("absolem", {"posture": "fly"},
         r"posture must be one of its postures \(drive, flat, climb, stowed, raised\), not 'fly'"),
        ("tp100", {"posture": "flat"}, "posture must be one of its postures .none: postures are"),
        ("absolem", {"flippers.front-left.rest_deg": 3.0},
         r"flippers\[0\].rest_deg must be left out: posture says where it rests"),
        ("absolem", {"postures.flat.rear_raised_deg": 200.0},
         "postures.flat turns flipper 'rear-left' to 200 deg, which limits_deg do not allow: -180"),
        ("tp100", {"postures": {"up": {"front_raised_deg": 3.0}}},
         "postures.up.front_raised_deg is for front flippers: it has none"),
        ("absolem", {"postures.auto": {"front_raised_deg": 3.0}},
         "postures.auto must have another name: 'auto' has a meaning of its own"),
        ("absolem", {"postures.up": {}}, "must have front_raised_deg or rear_raised_deg"),
        ("absolem", {"postures.flat.raised_deg": 2.0}, "postures.flat.raised_deg is not a known"),
    ],
)  # fmt: skip
def test_mistakes_name_what_would_work(robot, changes, mistake):
    with pytest.raises(InvalidDescription, match=mistake):
        load_robot(robot, changes)


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(UnknownName, match="'absolem' named 'fly'; available: climb, drive, flat"):
        load_robot("absolem").posture_angles("fly")
