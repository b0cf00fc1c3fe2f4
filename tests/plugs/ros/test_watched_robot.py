"""What a watched robot publishes, read without ROS 2."""

import math
from types import SimpleNamespace as Message

import pytest

from grouser import load_robot
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose
from grouser.plugs.ros import watched_robot
from grouser.plugs.ros.watched_robot import JointReader, PoseReader, RosRobot, Topics, to_angles

ROBOT = load_robot("tp100")
WHEELS = Topics(left=("fl", "rl"), right=("fr", "rr"), wheel_radius=0.1)


def joints(names, position=(), velocity=()):
    return Message(name=list(names), position=list(position), velocity=list(velocity))


def test_belts_have_the_names_of_our_own_joint_states():
    found = JointReader(ROBOT, Topics()).read(
        joints(("right_belt", "left_belt"), (2.0, 1.0), (0.2, 0.1)), 5.0
    )
    assert (found.time, found.belts, found.travels) == (5.0, (0.1, 0.2), (1.0, 2.0))


def test_wheels_of_a_side_are_averaged_and_scaled_by_their_radius():
    found = JointReader(ROBOT, WHEELS).read(
        joints(("fl", "fr", "rl", "rr"), velocity=(1.0, 2.0, 3.0, 4.0)), 0.0
    )
    assert found.belts == pytest.approx((0.2, 0.3))
    assert found.travels is None


def test_without_velocities_speeds_follow_from_positions_also_where_angles_begin_again():
    reader, names = JointReader(ROBOT, WHEELS), ("fl", "fr", "rl", "rr")
    for k in range(100):
        angle = math.remainder(0.2 * k, math.tau)
        found = reader.read(joints(names, (angle, -angle, angle, -angle)), 0.02 * k)
        if k:
            assert found.belts == pytest.approx((1.0, -1.0))
        assert found.travels == pytest.approx((0.02 * k, -0.02 * k), abs=1e-9)


def test_a_velocity_that_is_no_number_is_passed_on_to_be_counted():
    found = JointReader(ROBOT, Topics()).read(
        joints(("left_belt", "right_belt"), velocity=(math.nan, 0.1)), 0.0
    )
    assert math.isnan(found.belts[0])


def test_joints_of_others_are_ignored_and_flippers_are_known_by_name():
    reader = JointReader(load_robot("absolem"), Topics())
    assert reader.read(joints(("arm", "gripper"), (1.0, 2.0)), 0.0) is None
    found = reader.read(joints(("arm", "front-left"), (1.0, 0.3)), 0.0)
    assert (dict(found.flippers), found.belts) == ({"front-left": 0.3}, None)
    assert reader.read(joints(("left_belt",), (1.0,), (0.1,)), 0.0) is None


def turned(yaw):
    return Message(w=math.cos(yaw / 2), x=0.0, y=0.0, z=math.sin(yaw / 2))


def place(x):
    return Message(x=x, y=2.0, z=0.0)


@pytest.mark.parametrize("kind", ["odometry", "covariance", "pose", "tf"])
def test_a_pose_is_read_from_each_kind_of_message(kind):
    pose = Message(position=place(1.0), orientation=turned(0.5))
    message = {
        "odometry": Message(header="h", pose=Message(pose=pose)),
        "covariance": Message(header="h", pose=Message(pose=pose)),
        "pose": Message(header="h", pose=pose),
        "tf": Message(
            transforms=[
                Message(header="h", child_frame_id=frame, transform=transform)
                for frame, transform in (
                    ("wheel", Message(translation=place(9.0), rotation=turned(2.0))),
                    ("base_link", Message(translation=place(1.0), rotation=turned(0.5))),
                )
            ]
        ),
    }[kind]
    ((header, found),) = PoseReader(Topics(pose_type=kind)).read(message)
    assert header == "h"
    assert (found.x, found.y, found.yaw) == pytest.approx((1.0, 2.0, 0.5))


def test_yaw_does_not_jump_at_half_a_turn():
    reader = PoseReader(Topics(pose_type="pose"))
    yaws = []
    for yaw in (3.0, 3.1, 3.2, 6.2, 6.4):
        pose = Message(position=place(0.0), orientation=turned(math.remainder(yaw, math.tau)))
        ((_, found),) = reader.read(Message(header=None, pose=pose))
        yaws.append(found.yaw)
    assert yaws == pytest.approx([3.0, 3.1, 3.2, 6.2, 6.4])


@pytest.mark.parametrize("angles", [(0.1, 0.2, 0.3), (-1.0, 1.2, -3.0), (0.0, 0.0, 3.1)])
def test_angles_of_a_quaternion_are_those_it_was_made_of(angles):
    roll, pitch, yaw = angles
    w, x, y, z = Pose(roll=roll, pitch=pitch, yaw=yaw).quaternion.tolist()
    assert to_angles(w, x, y, z) == pytest.approx(angles)


def test_a_quaternion_of_zeros_is_no_rotation():
    assert all(map(math.isnan, to_angles(0.0, 0.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"pose_type": "gps"}, "one of odometry, pose"),
        ({"wheel_radius": 0.0}, "positive"),
        ({"left": ("a",)}, "given together"),
    ],
)
def test_topics_that_cannot_be_are_a_sentence(bad, words):
    with pytest.raises(InvalidValue, match=words):
        Topics(**bad)


def test_without_ros_the_sentence_has_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(watched_robot, "find_spec", lambda name: None)
    with pytest.raises(GrouserError, match=r"'rclpy'.*pip install 'grouser\[ros\]'"):
        RosRobot(ROBOT, Topics())
