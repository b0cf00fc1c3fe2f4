"""Bags as `ros2 bag record` and `rosbag record` leave them: folders, .db3 and .bag files."""

import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore

from grouser.errors import InvalidLog
from grouser.log import read_foreign, read_log

START = 1_700_000_000_000_000_000
ROWS = 20


def header(kinds, stamp: int, number: int, *, is_ros1: bool):
    time = kinds["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9)
    more = {"seq": number} if is_ros1 else {}
    return kinds["std_msgs/msg/Header"](stamp=time, frame_id="world", **more)


def make_messages(kinds, number: int, *, is_ros1: bool):
    """Return a pose, joints and a command: half a turn and a metre each second."""
    stamp = START + number * 50_000_000
    head = header(kinds, stamp, number, is_ros1=is_ros1)
    seconds = number * 0.05
    vector, point = kinds["geometry_msgs/msg/Vector3"], kinds["geometry_msgs/msg/Point"]
    half = 0.5 * math.pi * seconds
    pose = kinds["geometry_msgs/msg/Pose"](
        position=point(x=seconds, y=2.0, z=0.0),
        orientation=kinds["geometry_msgs/msg/Quaternion"](
            x=0.0, y=0.0, z=math.sin(half), w=math.cos(half)
        ),
    )
    joints = kinds["sensor_msgs/msg/JointState"](
        header=head, name=["left_wheel", "right_wheel"], position=np.zeros(2),
        velocity=np.array([10.0, 20.0]), effort=np.zeros(0),
    )  # fmt: skip
    twist = kinds["geometry_msgs/msg/Twist"](
        linear=vector(x=1.0, y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=0.5)
    )
    stamped = kinds["geometry_msgs/msg/PoseStamped"](header=head, pose=pose)
    return stamp, {"/vrpn/pose": stamped, "/joint_states": joints, "/cmd_vel": twist}


def write_bag(path: Path, plugin: StoragePlugin | None) -> Path:
    """Write a bag of ROS 2 with a storage, or of ROS 1."""
    types = get_typestore(Stores.ROS1_NOETIC if plugin is None else Stores.ROS2_HUMBLE)
    is_ros1 = plugin is None
    writer = Writer1(path) if plugin is None else Writer2(path, version=9, storage_plugin=plugin)
    with writer:
        opened = {}
        for number in range(ROWS):
            stamp, messages = make_messages(types.types, number, is_ros1=is_ros1)
            for topic, message in messages.items():
                kind = message.__msgtype__
                if topic not in opened:
                    opened[topic] = writer.add_connection(topic, kind, typestore=types)
                encode = types.serialize_ros1 if is_ros1 else types.serialize_cdr
                writer.write(opened[topic], stamp, encode(message, kind))
    return path


@pytest.fixture(scope="module")
def bags(tmp_path_factory):
    """Return the same drive as folder with .db3, folder with .mcap, .db3 file and .bag file."""
    folder = tmp_path_factory.mktemp("bags")
    sqlite = write_bag(folder / "sqlite", StoragePlugin.SQLITE3)
    found = {
        "sqlite": sqlite,
        "mcap": write_bag(folder / "mcap", StoragePlugin.MCAP),
        "ros1": write_bag(folder / "drive.bag", None),
        "db3": folder / "alone.db3",
    }
    shutil.copy(next(sqlite.glob("*.db3")), found["db3"])
    return found


ALL = ("sqlite", "mcap", "db3", "ros1")


@pytest.mark.parametrize("kind", ALL)
def test_a_bag_is_read_by_the_types_of_its_messages(bags, kind):
    log = read_log(bags[kind])
    assert log.time == pytest.approx(np.arange(ROWS) * 0.05)
    assert log["x"] == pytest.approx(log.time)
    assert log["yaw"] == pytest.approx(math.pi * log.time)  # without a jump
    assert log["joint_speed.right_wheel"].tolist() == [20.0] * ROWS
    assert log["yaw_rate_commanded"].tolist() == [0.5] * ROWS
    assert log.provenance.notes["start_ns"] == START


def test_a_bag_without_definitions_of_its_messages_is_read_by_the_usual_ones(bags, tmp_path):
    folder = shutil.copytree(bags["sqlite"], tmp_path / "humble")
    database = next(folder.glob("*.db3"))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM message_definitions")
        connection.commit()
    for path in (folder, database):
        assert read_log(path)["joint_speed.right_wheel"].tolist() == [20.0] * ROWS


@pytest.mark.parametrize("kind", ALL)
def test_a_bag_is_read_by_a_column_map(bags, kind):
    columns = {
        "time": {"column": "/joint_states.stamp", "unit": "s"},
        "x": {"column": "/vrpn/pose.pose.position.x", "unit": "m"},
        "yaw": {"quaternion": [f"/vrpn/pose.pose.orientation.{axis}" for axis in "xyzw"]},
        "belt_speed.left": {
            "column": "/joint_states.velocity[left_wheel]", "unit": "rad/s", "radius_m": 0.1,
        },
    }  # fmt: skip
    log = read_foreign(bags[kind], columns)
    assert log["belt_speed.left"] == pytest.approx([1.0] * ROWS)
    assert log["yaw"] == pytest.approx(math.pi * log.time)


@pytest.mark.parametrize("kind", ALL)
def test_a_topic_that_is_not_there_is_named_with_those_that_are(bags, kind):
    columns = {"time": {"column": "/odom.stamp", "unit": "s"}}
    with pytest.raises(InvalidLog, match=r"has no topic '/odom'; it has .*/vrpn/pose \(geometry_m"):
        read_foreign(bags[kind], columns)


@pytest.mark.parametrize("kind", ["db3", "ros1"])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.6, 0.95])
def test_a_truncated_bag_raises_an_error(bags, kind, share, tmp_path):
    whole = bags[kind].read_bytes()
    path = tmp_path / bags[kind].name
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InvalidLog, match=path.name):
        read_log(path)


def test_a_folder_without_its_metadata_or_its_storage_raises_an_error(bags, tmp_path):
    folder = tmp_path / "drive"
    shutil.copytree(bags["sqlite"], folder)
    metadata = folder / "metadata.yaml"
    text = metadata.read_text()
    for content in ("", "a: [", "rosbag2_bagfile_information: 5", text.replace("message_", "m_")):
        metadata.write_text(content)
        with pytest.raises(InvalidLog, match="drive: the bag cannot be read"):
            read_log(folder)
    metadata.write_text(text)
    next(folder.glob("*.db3")).unlink()
    with pytest.raises(InvalidLog, match="database files are missing"):
        read_log(folder)
    metadata.unlink()
    with pytest.raises(InvalidLog, match=r"the folder has no metadata\.yaml.*it holds nothing"):
        read_log(folder)


@pytest.mark.parametrize(("kind", "name"), [("db3", "a.db3"), ("ros1", "a.bag")])
def test_damaged_bytes_never_raise_anything_but_an_invalid_log(bags, kind, name, tmp_path):
    whole, rng = bags[kind].read_bytes(), np.random.default_rng(7)
    messages = []
    for _ in range(60):
        changed = bytearray(whole)
        for place in rng.integers(0, len(whole), 20):
            changed[place] = rng.integers(0, 256)
        (tmp_path / name).write_bytes(changed)
        try:
            read_log(tmp_path / name)
        except InvalidLog as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert all(name in message for message in messages)


def test_a_file_of_another_kind_is_no_bag(tmp_path):
    for name in ("a.db3", "a.bag"):
        (tmp_path / name).write_text("time,x\n0,1\n")
        with pytest.raises(InvalidLog, match="the bag cannot be read"):
            read_log(tmp_path / name)


def test_keys_that_only_tables_have_raise_an_error(bags):
    time = {"column": "/joint_states.stamp", "unit": "s", "plus": {"column": "n", "unit": "ns"}}
    with pytest.raises(InvalidLog, match="time: a column of a bag has no key plus"):
        read_foreign(bags["db3"], {"time": time})


def test_poses_that_are_wishes_are_not_read(tmp_path):
    types = get_typestore(Stores.ROS2_HUMBLE)
    with Writer2(tmp_path / "bag", version=9) as writer:
        for number in range(3):
            stamp, messages = make_messages(types.types, number, is_ros1=False)
            for topic, ours in (("/goal_pose", "/vrpn/pose"), ("/joint_states", "/joint_states")):
                if number == 0:
                    kind = messages[ours].__msgtype__
                    writer.add_connection(topic, kind, typestore=types)
                connection = next(c for c in writer.connections if c.topic == topic)
                content = types.serialize_cdr(messages[ours], connection.msgtype)
                writer.write(connection, stamp, content)
    log = read_log(tmp_path / "bag")
    assert "x" not in log
    assert "joint_speed.left_wheel" in log
