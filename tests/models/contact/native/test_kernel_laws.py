"""Laws of mechanics that our own kernel obeys."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from tests.models.contact.rides import (
    distance,
    energies,
    ground,
    put,
    ride,
    start,
    wedge,
)


@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("robot", ["wedge", "absolem"])
def test_robots_that_fall_and_tumble_never_gain_energy(robot, friction):
    robot = wedge() if robot == "wedge" else load_robot(robot)
    generator = np.random.default_rng(5)
    turn = Rotation.random(12, rng=generator)
    plant = start(robot, ground(friction), pose=Pose(x=np.zeros(12)))
    velocity, spin = generator.uniform(-1.5, 1.5, (12, 3)), generator.uniform(-4.0, 4.0, (12, 3))
    put(plant, lift=1.0, turn=turn, velocity=velocity, spin=spin)
    found = [energies(plant)]
    for _ in range(1500):
        plant.advance(command_sides(robot, 0.0, 0.0), 0.001)
        found.append(energies(plant))
    lowest = np.minimum.accumulate(found, axis=0)
    # Contacts are critically damped springs, which give back exp(-4) of what falls on them.
    gained = (np.array(found) - lowest).max(axis=0)
    assert (gained < 2.0 * np.exp(-4.0) * (found[0] - lowest[-1])).all()
    assert (found[-1] < found[0] - 5.0).all()


def test_without_friction_nothing_changes_the_level_part_of_momentum():
    robot = wedge()
    plant = start(robot, ground(0.0))
    put(plant, velocity=(0.7, -0.3, 0.0), spin=(0.0, 0.0, 2.0))
    for _ in range(100):
        plant.advance(command_sides(robot, 0.5, -0.2), 0.01)
    yaw, twist = plant.motion.pose.yaw, plant.motion.twist
    level = Rotation.from_rotvec([0.0, 0.0, yaw]).apply([twist.vx, twist.vy, 0.0])
    assert level[:2] == pytest.approx((0.7, -0.3), abs=1e-6)
    assert twist.yaw_rate == pytest.approx(2.0, abs=1e-6)


OBSTACLES = """
[[terrain]]
kind = "box"
x_m = {x}
y_m = {y}
length_m = 0.5
width_m = 0.6
height_m = 0.06
yaw_deg = {yaw}
"""


@pytest.mark.parametrize("angle", [90.0, 37.0, -160.0])
def test_a_turned_world_gives_a_turned_ride(angle):
    robot, turn = load_robot("absolem"), Rotation.from_euler("z", angle, degrees=True)
    ends = []
    for by in (0.0, angle):
        x, y, _ = Rotation.from_euler("z", by, degrees=True).apply([0.9, 0.15, 0.0])
        course = ground(0.9, pieces=OBSTACLES.format(x=x, y=y, yaw=20.0 + by))
        ends.append(
            ride(start(robot, course, pose=Pose(yaw=np.radians(by))), robot, 0.3, 0.3, 2.0).pose
        )
    plain, turned = ends
    assert abs(plain.roll) + abs(plain.pitch) > 0.02
    expected = turn.apply([plain.x, plain.y, plain.z])
    assert (turned.x, turned.y, turned.z) == pytest.approx(expected, abs=2e-4)


def test_a_mirrored_pallet_gives_a_mirrored_ride():
    robot, course = load_robot("absolem"), load_course("pallet")
    seen, mirrored = (
        ride(start(r, course, pose=Pose(y=y, yaw=yaw)), r, 0.1, 0.1, 12.0).pose
        for r, y, yaw in ((robot, 0.1, 0.1), (robot.mirrored(), -0.1, -0.1))
    )
    assert seen.z > 0.1
    assert (mirrored.x, mirrored.y, mirrored.z) == pytest.approx(
        (seen.x, -seen.y, seen.z), abs=1e-3
    )


def test_steps_from_a_quarter_to_two_milliseconds_agree():
    robot = wedge()
    course = ground(0.9, pieces=OBSTACLES.format(x=1.0, y=0.2, yaw=10.0))
    poses = [
        ride(start(robot, course, f"csm:timestep={step}"), robot, 0.3, 0.2, 4.0).pose
        for step in (0.00025, 0.0005, 0.001, 0.002)
    ]
    assert abs(poses[0].roll) + abs(poses[0].pitch) > 0.02
    assert max(distance(pose, poses[0]) for pose in poses) < 0.01


SLOPE = 20.0
"""Slope on which robots hold or slide, by their friction [deg]."""


@pytest.mark.parametrize("across", [1.0, 0.6, 0.3])
@pytest.mark.parametrize("robot", ["wedge", "absolem"])
def test_a_robot_of_any_heading_holds_below_the_ellipse_of_friction_and_slides_above(robot, across):
    robot = wedge() if robot == "wedge" else load_robot(robot)
    headings = np.repeat(np.radians([0.0, 30.0, 60.0, 90.0, 200.0]), 2)
    # Headings are seen from above; in the plane of the slope they are turned towards it.
    ahead, aside = np.cos(headings), np.sin(headings) * np.cos(np.radians(SLOPE))
    demand = np.hypot(ahead, aside) / np.hypot(ahead, aside / across)
    limits = np.tan(np.radians(SLOPE + np.tile([0.5, -0.5], 5)))
    model = make_model("csm", friction_factor=limits / demand)
    plant = model.start(robot, ground(1.0, across, slope=SLOPE), Pose(x=np.zeros(10), yaw=headings))
    begin = np.array([plant.motion.pose.x, plant.motion.pose.y])
    for _ in range(20):
        plant.advance(command_sides(robot, 0.0, 0.0), 0.1)
    moved = np.hypot(*(np.array([plant.motion.pose.x, plant.motion.pose.y]) - begin))
    assert moved[::2].max() < 1e-4
    assert moved[1::2].min() > 0.01


def test_a_robot_across_a_slope_tips_over_where_its_mass_leaves_the_outer_edge():
    robot = wedge(com_z=0.8)
    limit = np.degrees(np.arctan2(0.35 + 0.075, 0.8))
    rolls = []
    for off in (-0.5, 0.5):
        plant = start(robot, ground(1.5, slope=limit + off), pose=Pose(yaw=np.pi / 2))
        rolls.append(abs(ride(plant, robot, 0.0, 0.0, 4.0).pose.roll) - np.radians(limit + off))
    assert rolls[0] == pytest.approx(0.0, abs=5e-3)
    assert abs(rolls[1]) > 0.2


@pytest.mark.parametrize("course", ["flat", "slope:angle_deg=20", "staircase-stand"])
@pytest.mark.parametrize("robot", ["absolem", "tp100", "quince"])
def test_a_parked_robot_stands_still(robot, course):
    plant = start(robot, course)
    ride(plant, robot, 0.0, 0.0, 2.0, tick=0.1)
    begin = plant.motion.pose
    assert distance(ride(plant, robot, 0.0, 0.0, 20.0, tick=0.1).pose, begin) <= 1e-12


BARS = "".join(
    f'[[terrain]]\nkind = "box"\nx_m = {x:.3f}\nlength_m = 0.01\nwidth_m = 2.0\nheight_m = 0.02\n'
    for x in np.arange(-0.6, 0.6, 0.02)
)


@pytest.mark.parametrize("many", [False, True])
def test_contacts_that_find_no_room_are_told_once(many, caplog):
    robot = wedge()
    pose = Pose(x=np.array([9.0, 0.0, 0.0])) if many else Pose()
    plant = start(robot, ground(0.9, pieces=BARS), "csm:patches=2", pose)
    for _ in range(3):
        plant.advance(command_sides(robot, 0.0, 0.0), 0.01)
    told = [record.message for record in caplog.records if "more ground at once" in record.message]
    assert len(told) == 1
    assert "robot 'wedge' touched more ground at once than fits" in told[0]
