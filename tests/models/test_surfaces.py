"""Slippery ground, and the limits of drives."""

import numpy as np
import pytest

from grouser.description import load_robot, parse_course
from grouser.models import Command, command_sides, make_model, start_model
from tests.models.drives import drive

ICE = """
name = "ice"
[surfaces.ice]
friction = 0.1
slip_factor = {factor}
[[terrain]]
kind = "plane"
surface = "ice"
"""


PATCH = """
[[terrain]]
kind = "patch"
surface = "ice"
x_m = 1.0
y_m = 0.0
length_m = 1.0
width_m = 1.0
"""


def ice(factor: float):
    return parse_course(ICE.format(factor=factor), "ice.toml")


def test_slip_ratios_grow_with_the_surface():
    robot = load_robot("tp100")
    normal = drive(make_model("slip"), robot, ice(1.0), 0.1, 0.1)
    slippery = drive(make_model("slip"), robot, ice(3.0), 0.1, 0.1)
    # Not 0.1 and 0.3: P0's wheelbase is wider than the gauge, so the turn adds to the slip.
    assert normal.slips[0] == pytest.approx(0.104, abs=1e-3)
    assert slippery.slips[0] == pytest.approx(0.312, abs=3e-3)


def test_slippery_ground_makes_a_robot_turn_less():
    robot = load_robot("absolem")
    ends = [
        drive(make_model("icr"), robot, ice(factor), -0.1, 0.1).pose.yaw
        for factor in (1.0, 2.0, 3.0)
    ]
    # Absolem behaves twice as wide as it is; its slip is the other half of that.
    assert ends[1] / ends[0] == pytest.approx(2 / 3)
    assert ends[2] / ends[0] == pytest.approx(2 / 4)


def test_a_patch_counts_only_where_it_lies():
    course = parse_course(
        ICE.format(factor=3.0).replace('surface = "ice"', "") + PATCH,
        "patch.toml",
    )
    robot = load_robot("tp100")
    plant = start_model(make_model("slip"), robot, course)
    slips = []
    for _ in range(1000):
        plant.advance(command_sides(robot, 0.1, 0.1), 0.01)
        slips.append((float(plant.motion.pose.x), float(plant.motion.slips[1])))
    outside = [slip for x, slip in slips if 0.02 < x < 0.48]
    inside = [slip for x, slip in slips if 0.52 < x < 0.8]
    assert np.mean(inside) / np.mean(outside) == pytest.approx(3.0, rel=0.02)


def test_belts_ramp_up_and_stop_at_their_limits():
    robot = load_robot("tp100")
    limit, rise = robot.drive.speed_limit, robot.drive.acceleration_limit
    plant = start_model(make_model("ideal"), robot, ice(1.0))
    plant.advance(command_sides(robot, 9.0, -9.0), 0.01)
    assert plant.motion.belt_speeds == pytest.approx((0.01 * rise, -0.01 * rise))
    assert plant.motion.belt_speeds_commanded == (9.0, -9.0)
    for _ in range(500):
        plant.advance(command_sides(robot, 9.0, -9.0), 0.01)
    assert plant.motion.belt_speeds == (limit, -limit)


def test_flippers_turn_at_their_speed_and_stop_at_their_limits():
    robot = load_robot("absolem")
    plant = start_model(make_model("ideal"), robot, ice(1.0))
    low, high = robot.flippers[0].limits
    asked = Command(belt_speeds=(0.0, 0.0), flipper_angles=(99.0, -99.0, 0.0, 0.0))
    start = plant.motion.flipper_angles
    plant.advance(asked, 0.1)
    step = 0.1 * robot.flippers[0].speed_limit
    assert plant.motion.flipper_angles[:2] == pytest.approx((start[0] + step, start[1] - step))
    for _ in range(200):
        plant.advance(asked, 0.1)
    assert plant.motion.flipper_angles == pytest.approx((high, low, 0.0, 0.0))
    plant.advance(command_sides(robot, 0.1, 0.1), 0.1)
