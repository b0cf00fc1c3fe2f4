"""Robots on cylinders, cones, tilted boxes and the pieces of test lanes."""

import numpy as np
import pytest

from grouser import Simulation
from grouser.description import load_course, load_robot
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.models import make_model
from tests.models.contact.rides import distance, ground, ride, start

LOG = '[[terrain]]\nkind = "cylinder"\ndiameter_m = {0}\nlength_m = 3\nx_m = {1}\nyaw_deg = {2}\n'
CONE = '[[terrain]]\nkind = "cone"\ndiameter_m = 0.6\nheight_m = 0.15\nx_m = 0.9\ny_m = {0}\n'
BOX = '[[terrain]]\nkind = "box"\nlength_m = 0.6\nwidth_m = 2\nheight_m = 0.05\npitch_deg = -8\n'
RESTS = {
    "post": ('kind = "cylinder"\nstanding = true\ndiameter_m = 2\nlength_m = 0.2', 0.0, 0.2),
    "cone": ('kind = "cone"\ndiameter_m = 3\ntop_diameter_m = 2\nheight_m = 0.2', 0.0, 0.2),
    "tilted box": (
        'kind = "box"\nlength_m = 2\nwidth_m = 2\nheight_m = 0.3\npitch_deg = -15\nroll_deg = 5',
        0.0,
        None,
    ),
    "ramp": ('kind = "ramps"\nlength_m = 8\nwidth_m = 4\ncell_m = 2', 1.0, None),
    "platform": ('kind = "gap"\nlength_m = 2\nwidth_m = 2\ngap_m = 0.3\nheight_m = 0.3', 1.1, 0.3),
    "gap": ('kind = "gap"\nlength_m = 2\nwidth_m = 2\ngap_m = 0.2\nheight_m = 0.3', 0.0, 0.3),
    "posts": ('kind = "stepfield"\nlength_m = 2\nwidth_m = 2\nseed = 3', 0.0, 0.1),
    "crest": ('kind = "waves"\nwave_length_m = 6\nwidth_m = 2\nheight_m = 0.4', 0.0, 0.4),
    "two logs": ("\n[[terrain]]\n".join(
        LOG.format(0.2, x, 90).removeprefix("[[terrain]]\n") for x in (-0.25, 0.25)), 0.0, 0.2),
}  # fmt: skip


@pytest.mark.parametrize("piece", RESTS)
def test_a_robot_stands_still_on_each_piece(piece: str):
    text, x, height = RESTS[piece]
    course, robot = ground(0.9, pieces=f"[[terrain]]\n{text}"), load_robot("absolem")
    plant = start(robot, course, pose=Pose(x=x))
    pose = plant.motion.pose
    expected = course.terrain.pose_at(pose.x, pose.y, pose.yaw)
    assert pose.z == pytest.approx(expected.z if height is None else height, abs=1e-3)
    if height is None:
        assert (pose.roll, pose.pitch) == pytest.approx((expected.roll, expected.pitch), abs=1e-3)
    assert distance(ride(plant, robot, 0.0, 0.0, 0.5).pose, pose) < 1e-5


PAIRS = {
    "oblique logs": [
        LOG.format(0.1, 0.7, yaw) + LOG.format(0.1, 1.2, yaw) for yaw in (70, -70)
    ],
    "cone": [CONE.format(y) for y in (0.3, -0.3)],
    "box": [f"{BOX}x_m = 0.9\nroll_deg = {roll}\nyaw_deg = {4 * roll}\n" for roll in (2, -2)],
    "posts": [
        '[[terrain]]\nkind = "box"\nlength_m = 0.1\nwidth_m = 0.1\nheight_m = 0.05\n'
        f"x_m = 0.6\ny_m = {y}\n" for y in (0.2, -0.2)
    ],
}  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS)
def test_the_mirror_image_of_a_ride_is_the_ride_over_the_mirror_image(pair: str):
    robot = load_robot("absolem")
    here, there = (
        ride(start(robot, ground(0.9, pieces=pieces)), robot, *belts, 2.5).pose
        for pieces, belts in zip(PAIRS[pair], ((0.3, 0.33), (0.33, 0.3)), strict=True)
    )
    assert (here.x, here.y) == pytest.approx((there.x, -there.y), abs=1e-3)
    assert (here.roll, here.pitch, here.yaw) == pytest.approx(
        (-there.roll, there.pitch, -there.yaw), abs=2e-3
    )


@pytest.mark.parametrize("pieces", ["oblique logs", "cone"])
def test_mujoco_and_the_kernel_agree_on_the_way_over(pieces: str):
    course, robot = ground(0.9, pieces=PAIRS[pieces][0]), load_robot("absolem")
    rides: list[list[Pose]] = []
    for model in ("csm", "csm:engine=mujoco"):
        poses: list[Pose] = []
        plant = start(robot, course, model)
        ride(plant, robot, 0.3, 0.33, 3.0, watch=lambda p, seen=poses: seen.append(p.motion.pose))
        rides.append(poses)
    heights = np.array([[pose.z for pose in poses] for poses in rides])
    assert heights.max() > 0.07
    assert np.abs(heights[0] - heights[1]).max() < 6e-3
    assert distance(rides[0][-1], rides[1][-1]) < 0.03


def test_a_drop_onto_a_log_ends_where_mujoco_ends():
    """A robot drives off a step onto two logs."""
    step = '[[terrain]]\nkind = "box"\nlength_m = 1.5\nwidth_m = 2\nheight_m = 0.2\nx_m = -0.3\n'
    logs = LOG.format(0.1, 0.8, 90) + LOG.format(0.1, 1.3, 90)
    course, robot = ground(0.9, pieces=step + logs), load_robot("absolem")
    poses = [
        ride(start(robot, course, model), robot, 0.3, 0.3, 3.5).pose
        for model in ("csm", "csm:engine=mujoco")
    ]
    assert poses[0].z == pytest.approx(poses[1].z, abs=5e-3)
    assert poses[0].pitch == pytest.approx(poses[1].pitch, abs=0.02)
    assert distance(*poses) < 0.03


@pytest.mark.parametrize("model", ["segments", "wheels", "frictionless", "plates"])
def test_every_model_with_contacts_drives_over_a_log(model: str):
    robot, course = load_robot("quince"), ground(0.9, pieces=LOG.format(0.04, 0.6, 80))
    plant = start(robot, course, model, Pose(x=0.05))
    rest, heights = plant.motion.pose.z, []
    ride(plant, robot, 0.4, 0.4, 0.8, watch=lambda p: heights.append(p.motion.pose.z))
    assert 0.006 < max(heights) - rest < 0.045
    assert min(heights) > rest - 2e-3


@pytest.mark.parametrize(
    ("lane", "lacking"),
    [("logs", "mesh"), ("stepfield", "stairs"), ("gap", "gaps"), ("crossing-ramps", "drops")],
)
def test_a_kinematic_model_says_what_it_lacks(lane: str, lacking: str):
    with pytest.raises(GrouserError, match=f"needs .*{lacking}.*, which model .slip. lacks"):
        Simulation(make_model("slip"), load_robot("tp100"), load_course(f"lane-{lane}"))
