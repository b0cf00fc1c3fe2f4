"""Worlds that MuJoCo computes, by what every engine must do."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from grouser.models.contact.engine import Variation
from grouser.models.contact.plant import ContactPlant
from grouser.models.mujoco.engine import MujocoWorld
from tests.models.contact.rides import ground

CSM, GRAVITY, TICK = "csm:engine=mujoco", 9.81, 0.01
WALL = """
[[terrain]]
kind = "box"
y_m = 0.3
length_m = 3.0
width_m = 0.2
height_m = 1.5
"""
ROBOT, FLAT = load_robot("absolem"), load_course("flat")


def start(model: str = CSM, course: str = "flat", pose: Pose | None = None) -> ContactPlant:
    plant = make_model(model).start(ROBOT, load_course(course), pose)
    assert isinstance(plant, ContactPlant)
    assert isinstance(plant.world, MujocoWorld)
    return plant


def ride(plant: ContactPlant, left: float, right: float, ticks: int) -> np.ndarray:
    for _ in range(ticks):
        plant.advance(command_sides(ROBOT, left, right), TICK)
    return plant.world.readings.copy()


@pytest.mark.parametrize("model", [CSM, "frictionless:engine=mujoco", "plates"])
def test_a_state_that_is_restored_goes_on_bit_for_bit(model):
    plant = start(model)
    ride(plant, 0.2, 0.3, 20)
    state = plant.state
    first = ride(plant, 0.3, -0.1, 20)
    plant.state = state
    assert np.array_equal(ride(plant, 0.3, -0.1, 20), first)


def test_the_state_of_one_robot_can_be_given_to_many():
    one, many = start(), start(pose=Pose(x=np.array([0.0, 1.0, 2.0]), yaw=0.5))
    ride(one, 0.2, 0.3, 20)
    many.state = one.state
    end = ride(one, 0.3, -0.1, 20)
    assert np.array_equal(ride(many, 0.3, -0.1, 20), np.repeat(end, 3, axis=0))


def test_many_robots_move_as_each_would_alone():
    places = [(0.0, 0.0), (0.3, 0.7), (0.0, -2.0)]
    x, yaw = np.array(places).T
    many = ride(start(course="rough", pose=Pose(x=x, yaw=yaw)), 0.1, 0.3, 30)
    for row, (at, heading) in zip(many, places, strict=True):
        alone = ride(start(course="rough", pose=Pose(x=at, yaw=heading)), 0.1, 0.3, 30)
        assert np.array_equal(alone[0], row)


def test_contacts_carry_the_weight_and_slip_as_the_belts_do():
    plant = start()
    ride(plant, 0.0, 0.0, 20)
    table = plant.world.contacts(0)
    assert table.force.sum(axis=0) == pytest.approx((0.0, 0.0, ROBOT.mass * GRAVITY), abs=0.5)
    assert table.normal[:, 2] == pytest.approx(1.0)
    assert set(table.belt) >= {track.name for track in ROBOT.tracks}
    assert np.abs(table.slip).max() < 1e-3
    ride(plant, 0.3, 0.3, 100)
    assert np.abs(plant.world.contacts(0).slip).max() < 5e-3, "belts roll on the ground"


def test_a_frictionless_robot_is_pushed_and_its_contacts_have_no_friction():
    plant = start("frictionless:engine=mujoco")
    end = ride(plant, 0.2, 0.2, 100)[0]
    assert end[6] == pytest.approx(0.2, abs=1e-3)
    table = plant.world.contacts(0)
    assert np.abs(table.force[:, :2]).max() < 1e-6 * ROBOT.mass * GRAVITY
    assert plant.world.works is None


def test_a_turn_from_outside_is_counted_in_the_heading():
    plant = start()
    plant.turn(3.0)
    plant.turn(3.0)
    assert plant.motion.pose.yaw == pytest.approx(6.0)
    ride(plant, 0.0, 0.0, 5)
    assert plant.motion.pose.yaw == pytest.approx(6.0, abs=1e-3)


def test_friction_masses_and_payloads_of_each_robot_are_its_own():
    plant = start(pose=Pose(x=np.zeros(3)))
    payload = {"payload": np.array([0.0, 0.0, 5.0]), "payload_x": 0.2, "payload_z": 0.3}
    plant.vary(Variation(mass=np.array([1.0, 2.0, 1.0]), **payload))
    ride(plant, 0.0, 0.0, 50)
    weights = [plant.world.contacts(n).force[:, 2].sum() / GRAVITY for n in range(3)]
    assert weights == pytest.approx((ROBOT.mass, 2.0 * ROBOT.mass, ROBOT.mass + 5.0), rel=1e-3)
    centres = plant.world.centre_of_mass
    moved = (np.array([0.2, 0.0, 0.3]) - centres[0]) * 5.0 / (ROBOT.mass + 5.0)
    assert centres[1] == pytest.approx(centres[0], abs=1e-3)
    assert centres[2] - centres[0] == pytest.approx(moved, abs=1e-3)


def test_without_friction_a_robot_does_not_leave():
    plant = start(pose=Pose(x=np.zeros(2)))
    plant.vary(Variation(friction=np.array([1.0, 1e-3])))
    gripping, sliding = ride(plant, 0.3, 0.3, 100)
    assert gripping[0] > 0.2
    assert abs(sliding[0]) < 0.02


def test_a_robot_is_lifted_out_of_the_stairs_and_refused_inside_a_wall():
    assert start(course="staircase-stand").motion.pose.z > 0.1
    with pytest.raises(InvalidValue, match="start must be clear of obstacles for robot 'absolem'"):
        make_model(CSM).start(ROBOT, ground(pieces=WALL))


def test_on_a_treadmill_a_robot_that_keeps_its_pace_stays():
    plant = start(course="treadmill:speed_m_s=0.2")
    ride(plant, 0.2, 0.2, 200)
    begin = plant.motion.pose.x
    end = ride(plant, 0.2, 0.2, 100)[0]
    assert end[0] == pytest.approx(begin, abs=5e-3)
    assert np.abs(plant.world.contacts(0).slip).max() < 5e-3


def test_what_mujoco_has_not_is_refused_with_engines_that_have_it():
    with pytest.raises(Unsupported, match=r"needs grousers, which .*engine mujoco.* can: native"):
        make_model("segments:engine=mujoco").start(load_robot("packbot510"), FLAT)
    with pytest.raises(Unsupported, match=r"friction law 'circles'.* can: native"):
        make_model("csm:engine=mujoco,steering_efficiency=0.5").start(ROBOT, FLAT)
    with pytest.raises(Unsupported, match=r"needs extras of mujoco, which .*engine native.*mujoco"):
        make_model("plates:engine=native").start(ROBOT, FLAT)
