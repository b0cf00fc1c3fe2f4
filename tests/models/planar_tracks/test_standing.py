"""Robots at rest: held on slopes, raised with them, stopped by friction."""

import math
from itertools import pairwise

import numpy as np
import pytest

from grouser.geometry import Pose
from grouser.models.planar_tracks.advance import Numbers, advance_all
from tests.models.planar_tracks.robots import firm, ground, make_robot, many, run, started

TALL = make_robot(com=(0.03, 0.0, 0.15))


@pytest.mark.parametrize("angle", [15.0, 25.0, 34.0])
@pytest.mark.parametrize("K", [0.0, 1e-4, 0.01])
def test_a_robot_parked_on_a_slope_stays(angle, K):
    # Friction 0.7 holds up to 35 degrees.
    yaw = np.array([0.0, 0.7, math.pi / 2])
    plant = started("", TALL, ground(firm(0.7, K), angle), many(3, yaw=yaw))
    before = run(plant, TALL, 0.0, 0.0, 10.0, 1.0).pose
    after = run(plant, TALL, 0.0, 0.0, 10.0, 1.0).pose
    assert np.hypot(after.x - before.x, after.y - before.y).max() < 1e-9
    assert np.hypot(before.x, before.y).max() < 2e-3  # put down gently


def test_beyond_the_angle_of_friction_it_slides():
    for degrees, within in ((36.0, 0.3), (45.0, 0.03)):  # damping holds a hundredth of the strength
        angle = math.radians(degrees)
        plant = started("", TALL, ground(firm(0.7, 0.001), degrees))
        pose = run(plant, TALL, 0.0, 0.0, 2.0, 0.1).pose
        expected = 0.5 * 9.81 * (math.sin(angle) - 0.7 * math.cos(angle)) * 4.0
        assert -pose.x / math.cos(angle) == pytest.approx(expected, rel=within)


def test_a_robot_parked_on_a_slope_of_sand_comes_to_rest():
    # The resistance of soil is viscous at the least speeds: what is left of a motion dies away.
    plant = started("longest_step=0.005", TALL, ground('soil = "dry-sand"', 20.0), Pose(yaw=0.4))
    places = [run(plant, TALL, 0.0, 0.0, 15.0, 1.0).pose for _ in range(3)]
    ways = [math.hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(places)]
    assert ways[0] < 1e-7
    assert ways[1] < 1e-9


@pytest.mark.parametrize(("K", "within"), [(1e-4, 0.01), (0.001, 0.03)])
def test_the_ground_gives_as_a_slope_is_raised(K, within):
    # -K ln(1 - tan(angle) / friction), as long as the slope rises slowly.
    robot, angle = make_robot(), math.radians(25.0)
    plant = started("", robot, ground(firm(0.7, K)))
    state, way = plant.state, 0.0
    numbers = Numbers(*(getattr(state, name) for name in Numbers._fields))
    weight, belts = 9.81 * robot.mass, np.zeros((1, 2))
    under = np.zeros((1, 2), np.int64)
    for k in range(600):
        now = angle * min((k + 1) / 200.0, 1.0)
        loads = np.array([[-weight * math.sin(now), 0.0, weight * math.cos(now), 1.0]])
        assert (
            advance_all(plant._machine, numbers, plant._scratch, under, loads, belts, 0.01) is None
        )
        way += plant._scratch.moved[0, 0]
    assert way == pytest.approx(K * math.log(1.0 - math.tan(angle) / 0.7), rel=within)


@pytest.mark.parametrize("K", [0.0, 0.001])
def test_locked_belts_stop_a_robot_by_friction(K):
    robot = make_robot()
    plant = started("", robot, ground(firm(0.5, K)))
    before = run(plant, robot, 1.0, 1.0, 2.0)
    after = run(plant, robot, 0.0, 0.0, 1.0)
    assert after.pose.x - before.pose.x == pytest.approx(1.0 / (2.0 * 0.5 * 9.81), rel=0.03)
    assert abs(after.twist.vx) < 1e-3


def test_a_robot_that_nothing_holds_keeps_its_speed_and_turn():
    robot = make_robot(com=(0.05, 0.02, 0.1))
    plant = started("friction_factor=0", robot, ground())
    state = plant.state
    state.twists[0] = 0.5, 0.1, 2.0
    plant.state = state
    run(plant, robot, 0.3, -0.2, 3.0)
    u, v, omega = plant.state.twists[0]
    assert omega == 2.0
    assert math.hypot(u, v) == pytest.approx(math.hypot(0.5, 0.1), rel=1e-9)
