import math

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation

from grouser import load_robot
from grouser.geometry import Pose
from grouser.plugs import frames as robot_frames
from grouser.plugs.frames import Transform
from grouser.plugs.ros import frames
from grouser.plugs.ros.frames import FrameNames

STORE = get_typestore(Stores.ROS2_JAZZY)


def matrix(transform: Transform) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3] = Rotation.from_quat(transform.rotation).as_matrix()
    found[:3, 3] = transform.position
    return found


def test_transforms_are_read_by_an_independent_reader():
    given = [
        Transform("odom", "base_link", (1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8)),
        Transform("base_link", "imu_link", (0.1, 0.0, 0.2), (0.0, 0.0, 0.0, 1.0)),
    ]
    content = frames.write_transforms(given, 12.25, FrameNames("a"))
    message = STORE.deserialize_cdr(content, "tf2_msgs/msg/TFMessage")
    first, second = message.transforms
    assert (first.header.frame_id, first.child_frame_id) == ("a/odom", "a/base_link")
    assert (first.header.stamp.sec, first.header.stamp.nanosec) == (12, 250_000_000)
    place, turn = first.transform.translation, first.transform.rotation
    assert (place.x, place.y, place.z) == (1.0, 2.0, 3.0)
    assert (turn.x, turn.y, turn.z, turn.w) == (0.0, 0.0, 0.6, 0.8)
    assert second.child_frame_id == "a/imu_link"
    assert content == STORE.serialize_cdr(message, "tf2_msgs/msg/TFMessage").tobytes()


def test_correction_puts_the_odometry_where_the_robot_truly_is():
    truth, odometry = Pose(x=3.0, y=-1.0, z=0.5, yaw=1.2), Pose(x=2.0, y=0.4, yaw=-0.7)
    correction = matrix(frames.correct_odometry(truth, odometry))
    body = matrix(robot_frames.pose_transform("odom", "base_link", odometry))
    assert correction @ body == pytest.approx(
        matrix(robot_frames.pose_transform("map", "base_link", truth))
    )


def test_start_and_relative_pose_give_the_true_pose_again():
    start = Pose(x=1.0, y=2.0, yaw=0.5)
    pose = Pose(x=3.0, y=1.0, z=0.2, roll=0.1, pitch=-0.2, yaw=2.0)
    together = matrix(robot_frames.pose_transform("map", "odom", start)) @ matrix(
        robot_frames.pose_transform("odom", "base_link", frames.relative_pose(start, pose))
    )
    assert together == pytest.approx(matrix(robot_frames.pose_transform("map", "base_link", pose)))


def test_footprint_is_level_and_has_the_heading_of_the_robot():
    pose = Pose(roll=0.3, pitch=-0.2, yaw=1.0)
    body = matrix(robot_frames.pose_transform("odom", "base_link", pose))
    level = body @ matrix(frames.footprint(pose))
    assert level[:3, :3] == pytest.approx(Rotation.from_euler("z", 1.0).as_matrix())


def test_optical_frame_looks_along_z_with_x_to_the_right_and_y_down():
    axes = Rotation.from_quat(robot_frames.OPTICAL).as_matrix()
    ahead, right, down = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
    assert axes == pytest.approx(np.column_stack((right, down, ahead)))


def test_flippers_turn_about_their_hinges_and_positive_lowers_the_front_end():
    robot = load_robot("absolem")
    angles = [math.radians(30.0)] + [0.0] * (len(robot.flippers) - 1)
    first, *others = robot_frames.flipper_transforms(robot, angles)
    assert first.position == robot.flippers[0].hinge
    tip = Rotation.from_quat(first.rotation).apply((1.0, 0.0, 0.0))
    assert tip[2] == pytest.approx(-0.5)
    assert all(one.rotation == (0.0, 0.0, 0.0, 1.0) for one in others)


def test_prefix_is_for_all_frames_but_the_map():
    names = FrameNames("/a/b/")
    assert (names("map"), names("odom")) == ("map", "a/b/odom")
    assert FrameNames()("odom") == "odom"
