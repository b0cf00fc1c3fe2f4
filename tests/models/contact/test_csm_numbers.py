"""The 3D model against numbers that can be computed by hand, and over P1's obstacles."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.geometry import Pose
from grouser.laws.step_feasibility import friction_demand
from tests.models.contact.rides import (
    GRAVITY,
    distance,
    ground,
    loads,
    pivot_rate,
    ride,
    ride_with_flippers,
    start,
    wedge,
)
from tests.models.contact.turning_theory import even_turn_rate

STEP = """
[[terrain]]
kind = "step"
x_m = 0.55
height_m = 0.10
depth_m = 3.0
width_m = 3.0
"""


def test_straight_for_ten_seconds_is_three_metres():
    # P1 section V.B, scenario straight: 0.3 m/s for 10 s.
    pose = ride(start("absolem", "flat"), "absolem", 0.3, 0.3, 10.0).pose
    assert pose.x == pytest.approx(3.0, abs=0.02)
    assert (pose.y, pose.yaw) == pytest.approx((0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize("course", ["slope:angle_deg=30", "staircase-stand"])
def test_a_standing_robot_does_not_creep(course):
    # P1 section V.B, scenario stand on staircase: no command for 10 s.
    plant = start("absolem", course)
    begin = plant.motion.pose
    assert abs(begin.pitch) > 0.4
    assert distance(ride(plant, "absolem", 0.0, 0.0, 10.0).pose, begin) < 1e-4


@pytest.mark.parametrize("friction", [0.4, 0.7, 1.0])
@pytest.mark.parametrize("robot", ["absolem", "wedge"])
def test_a_robot_holds_below_the_angle_of_friction_and_slides_above_it(robot, friction):
    robot = wedge() if robot == "wedge" else load_robot(robot)
    limit = np.rad2deg(np.arctan(friction))
    below, above = (start(robot, ground(friction, slope=limit + off)) for off in (-0.5, 0.5))
    begin_below, begin_above = below.motion.pose, above.motion.pose
    assert distance(ride(below, robot, 0.0, 0.0, 2.0).pose, begin_below) < 1e-5
    slope = np.deg2rad(limit + 0.5)
    acceleration = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
    slid = distance(ride(above, robot, 0.0, 0.0, 2.0).pose, begin_above)
    assert slid == pytest.approx(0.5 * acceleration * 2.0**2, rel=0.02)


def test_back_and_forth_returns():
    # P1 section V.B: ten legs of 2 s at 0.2 m/s. The ramp of the belts alone accounts for
    # v^2 / a = 0.2^2 / 3 + 0.2 / 3 * 0.1 = 2 cm, less what is lost in one tick.
    plant = start("absolem", "flat")
    begin = plant.motion.pose
    for leg in range(10):
        speed = 0.2 if leg % 2 == 0 else -0.2
        ride(plant, "absolem", speed, speed, 2.0)
    assert distance(plant.motion.pose, begin) < 0.02
    assert abs(plant.motion.pose.y) < 1e-6


def test_absolem_crosses_the_pallet():
    # P1 section V.B, scenario pallet: 0.1 m/s for 30 s; it ends 1.8 m from the start.
    heights = []
    plant = start("absolem", "pallet")
    pose = ride(
        plant, "absolem", 0.1, 0.1, 30.0, tick=0.05, watch=lambda p: heights.append(p.motion.pose.z)
    ).pose
    assert max(heights) > 0.14
    assert pose.x > 2.7
    # It rears up on its rear flippers, where it turns to one side or the other; as with MuJoCo.
    assert pose.y == pytest.approx(0.0, abs=0.15)
    assert pose.z == pytest.approx(0.0, abs=0.05)
    assert (pose.roll, pose.pitch) == pytest.approx((0.0, 0.0), abs=1e-3)


FLIPPERS = (-0.5, -0.5, 0.0, 0.0)
"""Front flippers raised to meet the first edge, rear ones straight back against falling over."""


def test_absolem_climbs_the_staircase_with_its_flippers():
    robot = load_robot("absolem")
    plant = start(robot, "staircase")
    pose = ride_with_flippers(plant, robot, 0.3, lambda motion: FLIPPERS, 11.0).pose
    assert pose.z == pytest.approx(6 * 0.17, abs=2e-3)
    assert pose.x > 0.6 + 5 * 0.29 + 0.25  # all of the tracks is on the landing
    assert abs(pose.y) < 0.4


def test_absolem_descends_the_staircase_with_its_flippers():
    robot = load_robot("absolem")
    plant = start(robot, "staircase-down")
    assert plant.motion.pose.z == pytest.approx(6 * 0.17, abs=2e-3)
    pose = ride_with_flippers(plant, robot, 0.3, lambda motion: (0.0,) * 4, 12.0).pose
    assert pose.z == pytest.approx(0.0, abs=2e-3)
    assert pose.x > 2.05 + 0.25
    assert abs(pose.pitch) < 0.01  # on its tracks, not on its back


PIVOT_SPEEDS = (0.01, 0.1, 0.4)


@pytest.mark.parametrize("robot", ["packbot510", "tankbot", "wedge"])
def test_a_turn_on_the_spot_is_that_of_even_pressure_at_any_speed(robot):
    robot = wedge() if robot == "wedge" else load_robot(robot)
    rates = []
    for speed in PIVOT_SPEEDS:
        rate, airborne = pivot_rate(robot, ground(0.9), "csm", speed)
        assert airborne == 0.0
        rates.append(rate / speed)
    assert max(rates) / min(rates) < 1.02
    assert rates == pytest.approx([even_turn_rate(robot, 1.0)] * 3, rel=0.03)


def test_every_step_of_a_turn_carries_the_weight():
    robot = wedge()
    plant = start(robot, ground(0.9))
    ride(plant, robot, -0.4, 0.4, 0.5)
    lowest = []
    ride(plant, robot, -0.4, 0.4, 0.5, tick=0.001, watch=lambda p: lowest.append(loads(p).sum()))
    assert min(lowest) == pytest.approx(robot.mass * GRAVITY, rel=1e-3)


def test_the_engines_own_friction_lifts_a_turning_robot():
    # Why friction is ours: the engine's convex cone separates what slides.
    robot = wedge()
    _, airborne = pivot_rate(robot, ground(0.9), "csm:engine=mujoco", 0.4)
    assert airborne > 0.3


def climbs(friction: float) -> bool:
    # Slowly: at 0.2 m/s the robot's momentum lifts its nose where friction alone would not.
    robot = wedge(com_z=0.12)
    plant = start(robot, ground(friction, pieces=STEP), pose=Pose(x=0.03))
    ride(plant, robot, 0.03, 0.03, 3.0, tick=0.05)
    return bool(ride(plant, robot, 0.2, 0.2, 6.0, tick=0.05).pose.z > 0.09)


def test_the_least_friction_that_climbs_a_step_is_that_of_the_balance_of_two_contacts():
    demand = float(friction_demand(0.12, 0.76, 0.10))
    assert demand == pytest.approx(0.667, abs=1e-3)
    low, high = demand - 0.05, demand + 0.05
    assert not climbs(low)
    assert climbs(high)
