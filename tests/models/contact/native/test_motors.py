"""Belts whose motors have a largest torque, against balances of force."""

import numpy as np
import pytest

from grouser.models.contact.scene import BELT_SHARE
from tests.models.contact.rides import GRAVITY, ground, ride, start, wedge

MASS, RADIUS = 60.0, 0.12
BELT = BELT_SHARE * MASS
WALL = """
[[terrain]]
kind = "step"
x_m = 0.6
height_m = 0.6
depth_m = 1.0
width_m = 3.0
surface = "glass"
"""
GLASS = "[surfaces.glass]\nfriction = 0.0\n"


@pytest.mark.parametrize("slope", [0.0, 10.0, 20.0])
@pytest.mark.parametrize("pull", [60.0, 120.0, 180.0])
def test_a_robot_that_pulls_as_hard_as_it_can_speeds_up_as_newton_has_it(slope, pull):
    robot, angle = wedge(torque_limit=pull * RADIUS), np.radians(slope)
    plant = start(robot, ground(1.2, slope=slope))
    first, last = (ride(plant, robot, 1.0, 1.0, 0.08).twist.vx for _ in range(2))
    expected = (2.0 * pull - MASS * GRAVITY * np.sin(angle)) / (MASS + 2.0 * BELT)
    assert (last - first) / 0.08 == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("pull", [20.0, 60.0])
def test_a_stalled_robot_pushes_a_wall_with_what_its_motors_pull(pull):
    robot = wedge(torque_limit=pull * RADIUS)
    plant = start(robot, ground(0.9, pieces=WALL, surfaces=GLASS))
    motion = ride(plant, robot, 0.3, 0.3, 3.0)
    assert motion.belt_speeds == pytest.approx((0.0, 0.0), abs=1e-6)
    table = plant.world.contacts(0)
    wall = table.normal[:, 0] < -0.9
    assert -table.force[wall, 0].sum() == pytest.approx(2.0 * pull, rel=1e-3)


def test_strong_motors_slip_at_a_wall_when_friction_ends():
    robot = wedge(torque_limit=400.0 * RADIUS)
    plant = start(robot, ground(0.5, pieces=WALL, surfaces=GLASS))
    motion = ride(plant, robot, 0.3, 0.3, 3.0)
    assert motion.belt_speeds == pytest.approx((0.3, 0.3), abs=1e-6)
    table = plant.world.contacts(0)
    wall = table.normal[:, 0] < -0.9
    assert -table.force[wall, 0].sum() == pytest.approx(0.5 * MASS * GRAVITY, rel=0.01)


def test_a_slope_is_climbed_from_the_pull_that_its_balance_asks_for():
    angle = np.radians(20.0)
    needed = 0.5 * MASS * GRAVITY * np.sin(angle)
    speeds = []
    for share in (0.999, 1.001):
        robot = wedge(torque_limit=share * needed * RADIUS)
        speeds.append(ride(start(robot, ground(0.9, slope=20.0)), robot, 0.3, 0.3, 2.0).twist.vx)
    assert speeds[0] < 0.0 < speeds[1]
    expected = 2.0 * 0.001 * needed / (MASS + 2.0 * BELT) * 2.0
    assert speeds == pytest.approx([-expected, expected], rel=0.1)
