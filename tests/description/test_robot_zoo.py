"""One test over every robot of the zoo, and the published numbers of each."""

import math
import re
import tomllib

import pytest

from grouser.description.load import load_robot, robot_names
from grouser.description.overhang import find_overhangs
from grouser.description.robot import Robot
from grouser.description.schema import MARKS, find_source, mistaken_sources, numeric_leaves

NAMES = ("absolem", "packbot510", "quince", "tankbot", "tp100", "zhou-ugv")


@pytest.fixture(params=NAMES)
def robot(request: pytest.FixtureRequest) -> Robot:
    return load_robot(request.param)


def test_the_zoo_holds_the_robots_of_the_papers():
    assert robot_names() == NAMES


def test_robot_is_named_as_its_file_and_has_a_title(robot: Robot, request: pytest.FixtureRequest):
    assert robot.name == request.node.callspec.params["robot"]
    assert robot.title


def test_every_number_has_a_source(robot: Robot):
    content = tomllib.loads(robot.text)
    without = [key for key in numeric_leaves(content) if robot.source_of(key) is None]
    assert without == []


def test_every_source_speaks_for_a_number_that_no_other_does_better(robot: Robot):
    content = tomllib.loads(robot.text)
    assert mistaken_sources(robot.sources, content) == []
    needed = {find_source(robot.sources, key) for key in numeric_leaves(content)}
    assert [text for text in robot.sources.values() if text not in needed] == []


def test_every_source_ends_in_a_mark(robot: Robot):
    for text in robot.sources.values():
        mark = re.search(r"\[(.)\]$", text)
        assert mark, text
        assert mark[1] in MARKS


def test_left_and_right_are_mirror_images(robot: Robot):
    mirrored = robot.mirrored()
    by_name = {part.name: part for part in (*robot.drives, *robot.flippers)}
    assert {p.name: p for p in (*mirrored.drives, *mirrored.flippers)} == by_name


def test_hull_clears_the_ground_and_fits_between_the_tracks(robot: Robot):
    assert robot.body.centre[2] - 0.5 * robot.body.size[2] > 0.0
    inner = min(abs(drive.y) - 0.5 * drive.width for drive in robot.drives)
    assert 0.5 * robot.body.size[1] <= inner + 1e-12


def test_no_obstacle_meets_the_hull_before_belts_or_wheels(robot: Robot):
    assert find_overhangs(robot) == []


# Published numbers


def test_tp100_is_that_of_p0():
    robot = load_robot("tp100")
    assert robot.mass == 0.922  # Table 1
    assert robot.front - robot.rear == pytest.approx(0.185)  # Table 1, track length
    assert robot.wheel_radius == pytest.approx(0.024)  # Table 1, wheel size
    assert robot.wheel_distance == pytest.approx(0.137)
    assert robot.gauge == pytest.approx(0.16)  # Table 2, b
    slip = robot.slip
    assert (slip.left, slip.right) == (0.1, 0.1188)  # Table 3
    assert slip.slip_angle == pytest.approx(0.007051130178057092)  # 0.404 deg
    assert slip.turning_slip_angle == 0.0


def test_tp100_wheelbase_numbers_give_the_printed_wheelbase():
    base = load_robot("tp100").slip.wheelbase
    w = 0.5 * base.width - base.gamma * base.offset_y
    half = 0.5 * base.length - base.offset_x
    assert 2.0 * (w**2 + half**2) / w == pytest.approx(0.2742, abs=5e-8)  # P0 eq 7, Table 2


def test_absolem_stands_as_in_its_public_model():
    robot = load_robot("absolem")
    assert robot.gauge == pytest.approx(0.397)
    assert robot.tracks[0].loop.bounds[3] == pytest.approx(0.18094)  # height of a track
    assert robot.mass == pytest.approx(13.14 + 2 * 6.06 + 4 * 0.75)
    # Steering efficiency: gauge over the distance of the instantaneous centres.
    icr = robot.slip.icr
    assert robot.gauge / (icr.left_y - icr.right_y) == pytest.approx(0.5)


def test_absolem_in_the_posture_of_its_public_model_has_its_flippers_raised():
    for flipper in load_robot("absolem", {"posture": "raised"}).flippers:
        assert abs(flipper.rest_angle) == pytest.approx(0.5, abs=1e-6)
        assert flipper.centre_at(flipper.rest_angle)[2] > flipper.hinge[2] + 0.05
        away = flipper.centre_at(flipper.rest_angle)[0] - flipper.hinge[0]
        assert away * flipper.hinge[0] > 0.0


def test_packbot_track_is_that_of_p4():
    track = load_robot("packbot510").tracks[0]
    rear, front, low, high = track.loop.bounds
    height = track.grousers.height
    assert front - rear + 2 * height == pytest.approx(0.690)
    assert high - low + 2 * height == pytest.approx(0.180)
    assert track.loop.length == pytest.approx(1.5352212, abs=1e-7)
    assert track.pitch == pytest.approx(0.0383805, abs=1e-7)
    assert track.loop.contact_run.length / track.pitch == pytest.approx(13.288, abs=1e-3)


def test_quince_is_that_of_p4():
    robot = load_robot("quince")
    assert robot.mass == pytest.approx(33.0)  # Table III
    main, sub = robot.tracks[0], robot.flippers[0].track
    assert robot.front - robot.rear == pytest.approx(0.685)
    assert robot.gauge + main.width == pytest.approx(0.370)
    assert (main.loop.length, main.pitch) == pytest.approx((1.5412389, 0.038531), abs=1e-6)
    assert (sub.loop.length, sub.pitch) == pytest.approx((0.8612389, 0.0391472), abs=1e-6)
    rear, front, _, _ = sub.loop.bounds
    assert front - rear == pytest.approx(0.345)
    assert len(robot.flippers) == 4


@pytest.mark.parametrize(("raised_deg", "height"), [(0.0, 0.075), (45.0, 0.2128858)])
def test_quince_front_pulley_is_as_high_as_p4_has_it(raised_deg: float, height: float):
    flipper = load_robot("quince").flippers[0]
    middle = flipper.centre_at(-math.radians(raised_deg))
    # The front pulley is twice as far from the hinge as the middle of the sub-track.
    assert 2.0 * middle[2] - flipper.hinge[2] == pytest.approx(height, abs=1e-7)


def test_tankbot_is_that_of_p3():
    robot = load_robot("tankbot")
    assert robot.mass == 46.8
    assert robot.gauge == pytest.approx(0.476)
    assert robot.sprocket_radius == 0.0508
    motor = robot.drive.motor
    assert (motor.voltage_limit, motor.inertia, motor.damping) == (10.0, 0.1, 1.0)
    # The speed limit is what the motor map reaches without load.
    reached = motor.torque_limit / motor.damping * robot.sprocket_radius
    assert robot.drive.speed_limit == pytest.approx(reached, rel=0.02)


def test_zhou_ugv_is_that_of_p2():
    robot = load_robot("zhou-ugv")
    assert robot.mass == 330.0  # Table 1
    assert robot.gauge == pytest.approx(1.45)
    assert robot.wheel_distance == pytest.approx(1.23)
    assert robot.wheel_radius == 0.31
    assert robot.body.centre[2] + 0.5 * robot.body.size[2] == pytest.approx(0.7)
    assert robot.belt_order == ("front-left", "rear-left", "front-right", "rear-right")
    assert robot.turning.speed_difference_slope == 0.526  # eq 19
