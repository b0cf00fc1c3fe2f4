"""Frames: ours (east, north, up; forward, left, up) and ArduPilot's."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.geometry import Pose, Twist
from grouser.models import Motion
from grouser.plugs.ardupilot.ned import describe_vehicle

WORLD = np.array(((0, 1, 0), (1, 0, 0), (0, 0, -1)))
"""Takes east, north, up to north, east, down."""
STANDING = Twist()
BODY = np.diag((1, -1, -1))
"""Takes forward, left, up to forward, right, down, and back."""
POSES = [
    Pose(),
    Pose(x=1.0, y=2.0, z=3.0, yaw=0.7),
    Pose(roll=0.3),
    Pose(pitch=-0.4, yaw=-2.0),
    Pose(x=-5.0, y=0.5, z=0.1, roll=-0.5, pitch=0.6, yaw=9.0),
]


def motion(pose: Pose, twist: Twist = STANDING) -> Motion:
    nothing = ()
    return Motion(
        pose=pose, twist=twist, belt_speeds_commanded=nothing, belt_speeds=nothing,
        belt_travels=nothing,
    )  # fmt: skip


def at_rest(pose: Pose):
    return describe_vehicle(motion(pose), motion(pose), 0.01, 1.0)


def test_a_robot_that_looks_east_has_a_heading_of_90_degrees():
    state = at_rest(Pose(x=3.0, y=7.0, z=0.5))
    assert state.position == (7.0, 3.0, -0.5)
    assert state.attitude == (0.0, 0.0, math.pi / 2)


def test_a_turn_to_the_left_lowers_the_heading():
    assert at_rest(Pose(yaw=0.5)).attitude[2] == pytest.approx(math.pi / 2 - 0.5)
    assert at_rest(Pose(yaw=math.pi)).attitude[2] == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize("pose", POSES)
def test_both_attitudes_are_the_rotation_in_other_axes(pose):
    state = at_rest(pose)
    expected = WORLD @ Rotation.from_euler("ZYX", (pose.yaw, pose.pitch, pose.roll)).as_matrix()
    expected = expected @ BODY
    roll, pitch, yaw = state.attitude
    by_angles = Rotation.from_euler("ZYX", (yaw, pitch, roll)).as_matrix()
    by_quaternion = Rotation.from_quat(state.quaternion, scalar_first=True).as_matrix()
    assert by_angles == pytest.approx(expected, abs=1e-12)
    assert by_quaternion == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("pose", POSES)
def test_velocity_and_rates_are_the_same_vectors_in_other_axes(pose):
    twist = Twist(vx=1.0, vy=-0.2, vz=0.3, roll_rate=0.1, pitch_rate=0.2, yaw_rate=-0.4)
    state = describe_vehicle(motion(pose, twist), motion(pose, twist), 0.01, 1.0)
    turn = Rotation.from_euler("ZYX", (pose.yaw, pose.pitch, pose.roll)).as_matrix()
    assert state.velocity == pytest.approx(WORLD @ turn @ (1.0, -0.2, 0.3), abs=1e-12)
    assert state.gyro == (0.1, -0.2, 0.4)


def test_at_rest_the_ground_pushes_up():
    assert at_rest(Pose(yaw=1.0)).accel_body == pytest.approx((0.0, 0.0, -9.81), abs=1e-12)


def test_at_rest_with_the_nose_up_it_is_pushed_forward():
    force = at_rest(Pose(pitch=-0.2)).accel_body
    assert force == pytest.approx((9.81 * math.sin(0.2), 0.0, -9.81 * math.cos(0.2)))


def test_at_rest_with_the_right_side_down_it_is_pushed_to_the_left():
    force = at_rest(Pose(roll=0.2)).accel_body
    assert force == pytest.approx((0.0, -9.81 * math.sin(0.2), -9.81 * math.cos(0.2)))


def test_a_turn_to_the_right_pushes_to_the_right():
    twist, duration = Twist(vx=2.0, yaw_rate=-0.5), 0.002
    now = motion(Pose(yaw=-0.5 * duration), twist)
    state = describe_vehicle(motion(Pose(), twist), now, duration, 1.0)
    assert state.gyro == (0.0, 0.0, 0.5)
    assert state.accel_body == pytest.approx((0.0, 1.0, -9.81), abs=1e-5)


def test_speeding_up_pushes_forward():
    now = motion(Pose(yaw=2.0), Twist(vx=0.03))
    state = describe_vehicle(motion(Pose(yaw=2.0)), now, 0.01, 1.0)
    assert state.accel_body == pytest.approx((3.0, 0.0, -9.81))
