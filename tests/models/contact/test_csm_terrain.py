"""Pieces of terrain under a 3D robot, and what its options change."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import Command
from tests.models.contact.rides import (
    GRAVITY,
    distance,
    ground,
    pivot_rate,
    ride,
    start,
    wedge,
)
from tests.models.contact.turning_theory import end_turn_rate, even_turn_rate, strips

FLAT_FIELD = ", ".join(["[0.1, 0.1, 0.1, 0.1, 0.1]"] * 5)
RISING_FIELD = ", ".join(["[0.0, 0.1, 0.2, 0.3, 0.4]"] * 5)
PIECES = {
    "plane": ("", 0.0),
    "top of a ramp": ('kind = "ramp"\nangle_deg = 20\nup_m = 1\ntop_m = 2\nwidth_m = 2', 0.0),
    "side of a ramp": ('kind = "ramp"\nangle_deg = 20\nup_m = 3\ntop_m = 2\nwidth_m = 2', -1.0),
    "step": ('kind = "step"\nheight_m = 0.1\ndepth_m = 3\nwidth_m = 3', 1.0),
    "landing": (
        'kind = "stairs"\ncount = 2\ntread_m = 0.29\nrise_m = 0.17\nwidth_m = 1.2\nlanding_m = 2',
        1.3,
    ),
    "pallet": ('kind = "pallet"\nlength_m = 1.2\nwidth_m = 0.8\nheight_m = 0.144', 0.0),
    "box": ('kind = "box"\nlength_m = 2\nwidth_m = 2\nheight_m = 0.3\nyaw_deg = 30', 0.0),
    "level field": (f'kind = "heightfield"\nspacing_m = 0.5\nheights_m = [{FLAT_FIELD}]', 0.0),
    "rising field": (f'kind = "heightfield"\nspacing_m = 0.5\nheights_m = [{RISING_FIELD}]', 0.0),
}


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("robot", ["wedge", "absolem"])
def test_a_robot_rests_on_every_piece_where_the_terrain_says(robot, piece):
    robot = wedge() if robot == "wedge" else load_robot(robot)
    text, x = PIECES[piece]
    course = ground(0.9, pieces=f"[[terrain]]\n{text}" if text else "")
    pose = start(robot, course, pose=Pose(x=x)).motion.pose
    expected = course.terrain.pose_at(pose.x, pose.y, pose.yaw)
    assert pose.z == pytest.approx(expected.z, abs=2e-3)
    assert (pose.roll, pose.pitch) == pytest.approx((expected.roll, expected.pitch), abs=2e-3)
    assert (pose.x, pose.y) == pytest.approx((x, 0.0), abs=2e-3)


def test_long_decks_do_not_sink_into_a_height_field():
    robot = wedge()
    course = load_course("rough")

    def depths(plant):
        x, y, z = plant.world.contacts(0).position.T
        return np.asarray(course.terrain.height(x, y)) - z

    for x in (1.5, 2.0, 2.5, 3.0):
        plant = start(robot, course, pose=Pose(x=x))
        ride(plant, robot, 0.0, 0.0, 0.2)
        assert depths(plant).max() < 2e-3
    deepest = []
    ride(plant, robot, 0.2, 0.2, 3.0, watch=lambda p: deepest.append(depths(p).max(initial=0.0)))
    assert max(deepest) < 4e-3  # it also falls from bump to bump


LOOPS = {
    "unequal pulleys": "{ x_m = 0.38, z_m = 0.06, radius_m = 0.06 }, "
    "{ x_m = -0.38, z_m = 0.12, radius_m = 0.12 }",
    "triangle": "{ x_m = 0.38, z_m = 0.06, radius_m = 0.06 }, "
    "{ x_m = -0.38, z_m = 0.06, radius_m = 0.06 }, { x_m = 0.0, z_m = 0.3, radius_m = 0.05 }",
    "trapezoid": "{ x_m = 0.25, z_m = 0.06, radius_m = 0.06 }, "
    "{ x_m = -0.25, z_m = 0.06, radius_m = 0.06 }, "
    "{ x_m = -0.45, z_m = 0.2, radius_m = 0.06 }, { x_m = 0.45, z_m = 0.2, radius_m = 0.06 }",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_any_loop_stands_on_level_ground_and_drives_straight(loop):
    robot = wedge(loop=LOOPS[loop])
    plant = start(robot, ground(0.9))
    pose = plant.motion.pose
    assert (pose.z, pose.pitch, pose.roll) == pytest.approx((0.0, 0.0, 0.0), abs=1e-4)
    end = ride(plant, robot, 0.3, 0.3, 1.0).pose
    assert end.x - pose.x == pytest.approx(0.3, abs=0.01)
    assert abs(end.y) < 1e-4


WALL = """
[[terrain]]
kind = "step"
x_m = 0.6
height_m = 0.6
depth_m = 1.0
width_m = 3.0
"""


def test_a_weak_drive_reaches_its_speed_on_level_ground_and_stalls_at_a_wall():
    robot = wedge(torque_limit=5.0)
    free = ride(start(robot, ground(0.9)), robot, 0.3, 0.3, 2.0)
    assert free.belt_speeds == pytest.approx((0.3, 0.3), abs=1e-3)
    assert free.twist.vx == pytest.approx(0.3, abs=1e-3)
    stalled = ride(start(robot, ground(0.9, pieces=WALL)), robot, 0.3, 0.3, 4.0)
    assert stalled.belt_speeds_commanded == (0.3, 0.3)
    assert stalled.belt_speeds == pytest.approx((0.0, 0.0), abs=1e-3)


SLOPE = ground(0.9, slope=20.0)
NEEDED = 60.0 * GRAVITY * np.sin(np.deg2rad(20.0)) * 0.12 / 2.0
"""Torque with which each of two drives holds the 60 kg on that slope [N m]."""


def test_a_drive_with_enough_torque_holds_its_speed_uphill():
    robot = wedge(torque_limit=1.2 * NEEDED)
    assert ride(start(robot, SLOPE), robot, 0.3, 0.3, 2.0).belt_speeds == pytest.approx(
        (0.3, 0.3), rel=0.01
    )


def test_a_drive_climbs_with_just_more_torque_than_the_slope_needs_and_not_with_less():
    ends = []
    for share in (0.95, 1.05):
        robot = wedge(torque_limit=share * NEEDED)
        ends.append(ride(start(robot, SLOPE), robot, 0.3, 0.3, 3.0).twist.vx)
    assert ends[0] < 0.0 < ends[1]


def test_the_engines_own_friction_drives_straight():
    robot = load_robot("absolem")
    pose = ride(start(robot, ground(0.9), "csm:engine=mujoco"), robot, 0.3, 0.3, 2.0).pose
    assert pose.x == pytest.approx(0.6, abs=0.03)
    assert abs(pose.y) < 1e-3


def test_less_friction_across_the_belt_turns_faster_and_less_along_it_slower():
    robot, speed = wedge(), 0.2
    easy, isotropic, hard = (
        pivot_rate(robot, ground(*friction), "csm", speed)[0]
        for friction in ((1.0, 0.3), (1.0, 1.0), (0.3, 1.0))
    )
    assert easy > 1.03 * isotropic
    assert hard < 0.95 * isotropic
    assert isotropic == pytest.approx(even_turn_rate(robot, speed), rel=0.015)


def test_a_belt_drives_although_nothing_holds_it_across():
    robot = wedge()
    pose = ride(start(robot, ground(0.8, 0.0)), robot, 0.3, 0.3, 1.0).pose
    assert pose.x == pytest.approx(0.3, abs=0.01)


def test_friction_along_circles_turns_as_p1_has_it():
    # Turning on the spot, circles are about the middle whatever the efficiency; a belt that moves
    # at v asks for v B/2 / r along the circle of radius r (P1 section IV).
    robot, speed = wedge(), 0.2
    ends = pivot_rate(robot, ground(1.0), "wheels:count=2,law=circles", speed)[0]
    assert ends == pytest.approx(end_turn_rate(robot, speed), rel=0.03)
    x, y, load = strips(robot.contact_length, robot.tracks[0].width, robot.gauge)
    radius = np.hypot(x, y)
    # Each place wants the rate v |y| / r^2; friction along circles has a moment of load times r.
    order = np.argsort(wanted := speed * np.abs(y) / radius**2)
    moments = np.cumsum((load * radius)[order])
    expected = wanted[order][np.searchsorted(moments, 0.5 * moments[-1])]
    for efficiency in (0.3, 0.8):
        model = f"csm:steering_efficiency={efficiency},patches=8"
        assert pivot_rate(robot, ground(1.0), model, speed)[0] == pytest.approx(expected, rel=0.03)


def test_a_greater_steering_efficiency_tightens_an_arc():
    robot = wedge()
    rates = [
        ride(
            start(robot, ground(1.0), f"csm:steering_efficiency={eta}"),
            robot,
            0.1,
            0.3,
            2.0,
        ).twist.yaw_rate
        for eta in (0.2, 0.5, 1.0)
    ]
    assert 0.0 < rates[0] < rates[1] < rates[2]


def test_gains_scale_the_mean_and_the_difference_of_the_sides():
    robot = wedge()
    straight = ride(start(robot, ground(1.0), "csm:linear_gain=0.8"), robot, 0.3, 0.3, 1.0)
    assert straight.twist.vx == pytest.approx(0.8 * 0.3, rel=1e-6)
    plain, more, same = (
        pivot_rate(robot, ground(1.0), model, 0.2)[0]
        for model in ("csm", "csm:angular_gain=1.5", "csm:linear_gain=0.5")
    )
    assert more == pytest.approx(1.5 * plain, rel=1e-4)
    assert same == pytest.approx(plain, rel=1e-9)


ICE = """
[[terrain]]
kind = "patch"
surface = "ice"
x_m = 5.0
length_m = 4.0
width_m = 4.0
"""


def test_a_robot_speeds_up_as_the_surface_below_it_allows():
    robot = wedge()
    course = ground(0.9, pieces=ICE, surfaces="[surfaces.ice]\nfriction = 0.05")
    dry = ride(start(robot, course), robot, 1.0, 1.0, 0.3).twist.vx
    plant = start(robot, course, pose=Pose(x=5.0))
    icy = ride(plant, robot, 1.0, 1.0, 0.3)
    assert dry == pytest.approx(1.0, abs=1e-3)
    assert icy.twist.vx == pytest.approx(0.05 * GRAVITY * 0.3, rel=0.02)


def test_a_box_of_another_surface_holds_less():
    robot = wedge()
    box = '[[terrain]]\nkind = "box"\nx_m = 5\nlength_m = 2\nwidth_m = 2\nheight_m = 0.1\n'
    course = ground(0.9, pieces=f'{box}surface = "ice"', surfaces="[surfaces.ice]\nfriction = 0.05")
    plant = start(robot, course, pose=Pose(x=5.0))
    assert ride(plant, robot, 1.0, 1.0, 0.3).twist.vx == pytest.approx(
        0.05 * GRAVITY * 0.3, rel=0.02
    )


def test_flippers_lift_the_robot():
    robot = load_robot("absolem")
    plant = start(robot, "flat")
    low = plant.motion.pose
    for _ in range(300):
        plant.advance(Command(belt_speeds=(0.0, 0.0), flipper_angles=(0.9, 0.9, -0.9, -0.9)), 0.01)
    assert plant.motion.flipper_angles == pytest.approx((0.9, 0.9, -0.9, -0.9), abs=0.1)
    assert distance(plant.motion.pose, low) > 0.1
    assert plant.motion.pose.z > 0.1
