"""Drives work: what goes up was lifted, what turns on the spot rubs."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import command_sides, make_model, start_model

SLOPE = "slope:angle_deg=15"
ROBOT = load_robot("tp100")
UP = command_sides(ROBOT, 0.1, 0.1)


def climb(model: str, command=UP, course=SLOPE, pose=None, ticks=100):
    """Return the plant, its work and its gain of height after it has got going."""
    plant = start_model(make_model(model), ROBOT, load_course(course), pose)
    for _ in range(30):
        plant.advance(command, 0.01)
    height, work = plant.motion.pose.z, sum(plant.motion.works)
    for _ in range(ticks):
        plant.advance(command, 0.01)
    return plant, sum(plant.motion.works) - work, plant.motion.pose.z - height


@pytest.mark.parametrize(("model", "within"), [("csm", 0.01), ("wheels", 0.01), ("plates", 0.1)])
def test_work_uphill_lifts_the_robot(model, within):
    _, work, height = climb(model)
    assert height > 0.02
    assert work == pytest.approx(ROBOT.mass * 9.80665 * height, rel=within)


def test_a_turn_on_the_spot_only_rubs_and_the_rest_costs_nothing():
    _, rubbing, height = climb("csm", command_sides(ROBOT, -0.1, 0.1), "flat")
    assert height == pytest.approx(0.0, abs=1e-6)
    slip_way = 2.0 * 0.1  # no contact slides further than its belt runs
    most = 0.5 * ROBOT.mass * 9.80665 * slip_way
    assert 0.05 * most < rubbing < most
    plant, standing, _ = climb("csm", command_sides(ROBOT, 0.0, 0.0))
    assert standing == 0.0
    plant.advance(UP, 0.1)
    plant.reset()
    assert plant.motion.works == (0.0, 0.0)


@pytest.mark.parametrize("model", ["frictionless", "csm:engine=mujoco", "slip", "tankbot"])
def test_models_that_do_not_know_the_work_say_nothing(model):
    plant, _, _ = climb(model, ticks=1, course="flat")
    assert plant.motion.works == ()


def test_the_work_of_many_is_that_of_each_and_goes_back_with_the_state():
    poses = Pose(x=np.zeros(2), yaw=np.array([0.0, 0.1]))
    both, _, _ = climb("csm", pose=poses, ticks=10)
    for number in range(2):
        one, _, _ = climb("csm", pose=poses[number], ticks=10)
        assert one.motion.works == tuple(work[number] for work in both.motion.works)
        state, works = one.state, one.motion.works
        one.advance(UP, 0.1)
        assert one.motion.works != works
        one.state = state
        assert one.motion.works == works
