"""Many robots of which each begins anew by itself."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue, NotFinite, Unsupported
from grouser.geometry import Pose
from grouser.models import CATALOGUE, Motion, command_sides, make_model, vary_model
from grouser.simulation import Fleet, Simulation

ROBOT, FLAT = load_robot("tp100"), load_course("flat")
COUNT, DT = 3, 0.02
POSES = Pose(x=np.linspace(-0.2, 0.2, COUNT), yaw=np.linspace(-0.5, 0.5, COUNT))
SPEEDS = np.array([[0.05, 0.1, 0.15], [0.15, 0.1, 0.05]])
MIDDLE = np.array([False, True, False])


def numbers(motion: Motion, robot: int | None) -> list[float]:
    """Return what a robot of many, or the only one, does."""
    pose, twist = motion.pose, motion.twist
    values = [pose.x, pose.y, pose.z, pose.yaw, twist.vx, twist.vy, twist.yaw_rate]
    values += [*motion.belt_speeds, *motion.belt_speeds_commanded]
    if robot is None:
        return [float(value) for value in values]
    return [float(np.broadcast_to(value, COUNT)[robot]) for value in values]


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_robot_that_begins_anew_is_as_new_and_the_others_go_on(name: str):
    model, again = make_model(name), Pose(x=np.full(COUNT, 0.3), yaw=np.full(COUNT, 0.2))
    fleet, alone = (Fleet(model, ROBOT, FLAT, POSES, dt=DT) for _ in range(2))
    command = command_sides(ROBOT, *SPEEDS)
    for of_many in (fleet, alone):
        of_many.advance(command)
    fleet.restart(MIDDLE, again)
    fresh = Simulation(model, ROBOT, FLAT, pose=again[1], dt=DT)
    assert numbers(fleet.motion, 1) == numbers(fresh.motion, None)
    for of_many in (fleet, alone):
        of_many.advance(command)
    fresh.advance(command_sides(ROBOT, *SPEEDS[:, 1]))
    assert numbers(fleet.motion, 1) == numbers(fresh.motion, None)
    for other in (0, 2):
        assert numbers(fleet.motion, other) == numbers(alone.motion, other)
    assert fleet.ticks.tolist() == [2, 1, 2]


def test_a_robot_may_begin_anew_on_ice_and_with_another_weight():
    model, factors = make_model("csm:patches=2"), {"friction": 0.03, "mass": 1.5}
    fleet = Fleet(model, ROBOT, FLAT, POSES, dt=DT)
    fleet.restart(MIDDLE, POSES, **factors)
    fresh = Simulation(vary_model(model, **factors), ROBOT, FLAT, pose=POSES[1], dt=DT)
    for _ in range(10):
        fleet.advance(command_sides(ROBOT, 0.3, 0.3))
        fresh.advance(command_sides(ROBOT, 0.3, 0.3))
    assert numbers(fleet.motion, 1) == numbers(fresh.motion, None)
    forward = np.asarray(fleet.motion.twist.vx)
    assert forward[1] < 0.5 * forward[0]


def test_factors_multiply_what_a_model_has_and_are_refused_by_one_that_has_not():
    model = vary_model(make_model("csm:friction_factor=0.5"), friction=0.5, mass=2.0)
    assert (model.friction_factor, model.mass_factor) == (0.25, 2.0)  # type: ignore[attr-defined]
    assert vary_model(make_model("ideal")) == make_model("ideal")
    with pytest.raises(
        Unsupported, match="models that can: csm, plates, segments, tankbot, tracks-planar, wheels"
    ):
        vary_model(make_model("slip"), friction=np.array([1.0, 0.9]))


def test_a_fleet_needs_many_poses_and_a_tick():
    with pytest.raises(InvalidValue, match="one number for each robot"):
        Fleet(make_model("ideal"), ROBOT, FLAT, Pose())
    with pytest.raises(InvalidValue, match="dt must be from 1e-06 to 1 s"):
        Fleet(make_model("ideal"), ROBOT, FLAT, POSES, dt=0.0)


def test_a_robot_that_is_no_longer_finite_is_named():
    fleet = Fleet(make_model("ideal"), ROBOT, FLAT, POSES, dt=DT)
    fleet.advance(command_sides(ROBOT, 0.1, 0.1))
    with pytest.raises(NotFinite, match=r"pose.x of robot 2 is no longer finite at 0.04 s"):
        fleet.advance(command_sides(ROBOT, np.array([0.1, 0.1, np.nan]), 0.1))
