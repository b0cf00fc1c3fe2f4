"""Models icr-slip, icr-drift and smooth."""

import logging
from dataclasses import replace

import numpy as np
import pytest

from grouser.description import Robot, load_robot, parse_course, parse_robot
from grouser.geometry import Pose
from grouser.laws.icr import icr_twist
from grouser.laws.smooth_slip import DrivenRange, smooth_twist
from grouser.models import (
    command_sides,
    driven_range,
    make_model,
    skid_constants,
    start_model,
)
from grouser.notices import listen
from tests.models.drives import drive, numbers

NAMES = ("icr-slip", "icr-drift", "smooth")
TABLES = """
[slip.icr]
left_y_m = 0.13
right_y_m = -0.11
x_m = 0.012
drift_s = 0.05

[slip.smooth]
forward = [0.93, -0.04, -0.06, 0.03, 0.02, 0.015]
yaw = [0.62, -0.05, 0.11, -0.04, 0.03, -0.01]
leftward = [-0.06, 0.02, -0.03, -0.05, 0.01]
fastest_m_s = 0.2
contrast_low = 0.02
contrast_high = 0.9
"""
SLOW, FAST = 0.06, 0.12


def skid_robot(tables: str = TABLES) -> Robot:
    """Return a TP100 that slips more on one side, with numbers for all three models."""
    text = load_robot("tp100").text.replace("right = 0.1188", "right = -0.05", 1)
    return parse_robot(f"{text}\n{tables}", "skid")


ROBOT = skid_robot()


def coefficients(robot: Robot):
    smooth = robot.slip.smooth
    return smooth.forward, smooth.yaw, smooth.leftward


def velocity(name: str, robot: Robot, course, left: float, right: float):
    """Return forward and leftward speed and yaw rate once belts have reached their speeds."""
    twist = drive(make_model(name), robot, course, left, right, duration=1.0).twist
    return float(twist.vx), float(twist.vy), float(twist.yaw_rate)


def test_the_robot_slips_less_than_nothing_on_one_side():
    assert (ROBOT.slip.left, ROBOT.slip.right) == (0.1, -0.05)


def test_belts_that_slip_turn_about_the_centres(flat):
    found = velocity("icr-slip", ROBOT, flat, SLOW, FAST)
    assert found == pytest.approx(icr_twist(0.9 * SLOW, 1.05 * FAST, 0.13, -0.11, 0.012))


def test_drift_turns_the_velocity_outward_by_an_angle_per_yaw_rate(flat):
    vx, vy, yaw_rate = velocity("icr-slip", ROBOT, flat, SLOW, FAST)
    drifting = velocity("icr-drift", ROBOT, flat, SLOW, FAST)
    assert drifting == pytest.approx((vx, vy - 0.05 * vx * yaw_rate, yaw_rate))
    assert drifting[1] < vy  # outward in a turn to the left


@pytest.mark.parametrize("belts", [(SLOW, FAST), (-0.1, -0.18), (0.15, 0.14), (-0.03, 0.19)])
def test_within_the_range_the_smooth_terms_move_the_robot(flat, belts):
    far = replace(skid_constants(ROBOT), left_y=9.0, right_y=-9.0)  # not of any effect here
    expected = smooth_twist(
        *belts, coefficients(ROBOT), far, DrivenRange(speed=0.2, contrast_high=0.9), ROBOT.gauge
    )
    assert velocity("smooth", ROBOT, flat, *belts) == pytest.approx(expected)


def test_beyond_the_range_the_constants_move_the_robot(flat):
    beyond = velocity("smooth", ROBOT, flat, 0.2, 0.24)
    assert beyond == pytest.approx(velocity("icr-drift", ROBOT, flat, 0.2, 0.24))
    nearly = velocity("smooth", ROBOT, flat, 0.2, 0.215)
    assert nearly != pytest.approx(velocity("icr-drift", ROBOT, flat, 0.2, 0.215), rel=1e-3)


def test_without_smooth_terms_it_is_icr_drift_bit_for_bit(flat):
    robot = skid_robot(TABLES.split("[slip.smooth]")[0])
    assert driven_range(robot) is None
    ends = [
        numbers(drive(make_model(name), robot, flat, SLOW, FAST))
        for name in ("icr-drift", "smooth")
    ]
    assert ends[0].tobytes() == ends[1].tobytes()


def test_without_centres_they_follow_from_the_equivalent_wheelbase():
    constants = skid_constants(load_robot("tp100"))
    assert constants.left_y - constants.right_y == pytest.approx(0.2742, abs=1e-6)
    assert (constants.slip_left, constants.slip_right, constants.drift) == (0.1, 0.1188, 0.0)


# The laws of motion, for a robot that has all numbers


@pytest.mark.parametrize("name", NAMES)
def test_seen_in_a_mirror_it_is_the_mirrored_robot(name, flat):
    for left, right in ((SLOW, FAST), (0.1, 0.1), (-0.05, 0.3)):
        seen = drive(make_model(name), ROBOT, flat, left, right).pose
        mirrored = drive(make_model(name), ROBOT.mirrored(), flat, right, left).pose
        expected = (seen.x, -seen.y, -seen.yaw)
        assert (mirrored.x, mirrored.y, mirrored.yaw) == pytest.approx(expected, abs=1e-12)
        assert abs(seen.yaw) > 1e-3  # it is not symmetric, not even when driving straight


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_whose_belts_stand_stays(name, flat):
    assert np.abs(numbers(drive(make_model(name), ROBOT, flat, 0.0, 0.0))).max() == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_many_robots_at_once_equal_one_by_one_bit_for_bit(name):
    course = parse_course(ICE.format(factor=2.0, surface="").replace("0.1", "0.2") + PATCH, "ice")
    generator, count, model = np.random.default_rng(3), 40, make_model(name)
    poses = Pose(x=generator.uniform(0.0, 2.0, count), y=np.zeros(count),
                 yaw=generator.uniform(-4.0, 4.0, count))  # fmt: skip
    left, right = generator.uniform(-0.3, 0.3, (2, count))
    together = drive(model, ROBOT, course, left, right, pose=poses, duration=0.5)
    for i in range(count):
        alone = drive(model, ROBOT, course, left[i], right[i], pose=poses[i], duration=0.5)
        for part in ("pose", "twist"):
            for key in ("x", "y", "yaw") if part == "pose" else ("vx", "vy", "yaw_rate"):
                one = getattr(getattr(alone, part), key)
                assert getattr(getattr(together, part), key)[i] == one


@pytest.mark.parametrize("name", NAMES)
def test_plain_steps_converge_to_the_arcs(name, flat):
    exact = drive(make_model(name), ROBOT, flat, SLOW, FAST, dt=0.01).pose
    errors = []
    for dt in (0.01, 0.005):
        model = make_model(name, integration="euler")
        pose = drive(model, ROBOT, flat, SLOW, FAST, dt=dt).pose
        same = drive(make_model(name), ROBOT, flat, SLOW, FAST, dt=dt).pose
        errors.append(np.hypot(pose.x - same.x, pose.y - same.y))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
    assert errors[0] < 0.05 * np.hypot(exact.x, exact.y)


# Slippery ground

ICE = """
name = "ice"
[surfaces.ice]
friction = 0.1
slip_factor = {factor}
[[terrain]]
kind = "plane"
{surface}
"""
PATCH = """
[[terrain]]
kind = "patch"
surface = "ice"
x_m = 1.0
y_m = 0.0
length_m = 1.0
width_m = 9.0
"""


@pytest.mark.parametrize("name", NAMES)
def test_slippery_ground_widens_the_robot(name):
    robot = skid_robot(TABLES.replace("-0.11", "-0.13"))
    turns = [
        velocity(name, robot, parse_course(ICE.format(factor=f, surface='surface = "ice"'), "ice"),
                 SLOW, FAST)
        for f in (1.0, 2.0)
    ]  # fmt: skip
    # The centres are 0.26 m apart at a gauge of 0.16 m; twice as far from the tracks, 0.36 m.
    assert turns[1][2] / turns[0][2] == pytest.approx(0.26 / 0.36)
    assert turns[1][0] == pytest.approx(turns[0][0])


# The remark


def remarks(robot: Robot, course, *drives: tuple[float, float]) -> list[str]:
    """Return what is reported while a plant drives, each pair of belt speeds for a second."""
    found: list[str] = []
    plant = start_model(make_model("smooth"), robot, course)
    with listen(found.append):
        for left, right in drives:
            for _ in range(100):
                plant.advance(command_sides(robot, left, right), 0.01)
    return found


def test_a_run_beyond_the_range_is_reported_once(flat):
    (sentence,) = remarks(ROBOT, flat, (0.1, 0.15), (0.3, 0.3), (0.1, 0.15), (0.3, -0.3))
    assert sentence == (
        "model smooth of robot 'tp100' was fitted to belt speeds up to 0.2 m/s with contrasts from "
        "0.02 to 0.9, and is driven beyond that, at 0.3 m/s with a contrast of 0: there it goes "
        "over into the constants of [slip] and [slip.icr]"
    )


def test_turning_on_the_spot_and_driving_straight_can_be_beyond_the_range(flat):
    assert len(remarks(ROBOT, flat, (-0.1, 0.1))) == 1
    assert "contrast of 1:" in remarks(ROBOT, flat, (-0.1, 0.1))[0]
    strict = skid_robot(TABLES.replace("contrast_low = 0.02", "contrast_low = 0.3"))
    assert "contrast of 0:" in remarks(strict, flat, (0.1, 0.1))[0]


def test_a_run_within_the_range_reports_nothing(flat):
    assert remarks(ROBOT, flat, (0.1, 0.15), (0.2, 0.16), (0.0, 0.0), (-0.2, -0.12)) == []


def test_arcs_in_reverse_are_beyond_a_range_of_arcs_ahead(flat):
    ways = """
[slip.smooth.ahead]
fastest_m_s = 0.2
[slip.smooth.back]
fastest_m_s = 0.2
right = -0.1
left = 0.05
[slip.smooth.spot]
fastest_m_s = 0.0
"""
    robot = skid_robot(TABLES + ways)
    assert remarks(robot, flat, (0.1, 0.15), (-0.15, -0.145)) == []
    (sentence,) = remarks(robot, flat, (-0.1, -0.15))
    assert "in reverse up to 0.2 m/s from -0.1 to 0.05, never on the spot, and is" in sentence
    assert "driven beyond that, in reverse at 0.15 m/s with a contrast of -0.167:" in sentence
    left, right = driven_range(robot).back.left, driven_range(robot.mirrored()).back.right
    assert left == -right == 0.05


def test_what_a_drive_cannot_reach_is_not_reported_as_driven(flat):
    fastest = ROBOT.drive.speed_limit
    assert f"at {fastest:.3g} m/s" in remarks(ROBOT, flat, (9.0, 9.0))[0]


def test_many_robots_report_the_one_that_is_beyond(flat):
    found: list[str] = []
    plant = start_model(make_model("smooth"), ROBOT, flat, Pose(x=np.zeros(3)))
    with listen(found.append):
        for _ in range(100):
            right = np.array([0.15, 0.15, 0.3])
            plant.advance(command_sides(ROBOT, np.array([0.1, 0.1, 0.25]), right), 0.01)
    (sentence,) = found
    assert "at 0.3 m/s with a contrast of 0.0833:" in sentence


def test_constant_models_have_no_range_to_report(flat, caplog):
    with caplog.at_level(logging.WARNING, logger="grouser"):
        for name in ("icr-slip", "icr-drift"):
            drive(make_model(name), ROBOT, flat, 0.4, 0.4, duration=1.0)
    assert caplog.records == []
