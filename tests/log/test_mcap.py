"""Logs as MCAP with messages of ROS 2."""

import sys
from collections import Counter

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from grouser.errors import InvalidLog, MissingExtra
from grouser.log import Column, Log, Provenance, read_foreign, read_log, write_log
from tests.log.reference_bag import Messages, text_message, write_bag

ROBOT = """
[[tracks]]
name = "left"
y_m = 0.2
[[tracks]]
name = "right"
y_m = -0.2
"""
CREATED = "2026-01-31T12:00:00+00:00"
BEGIN = 1_769_860_800  # the same in seconds since 1970
TIME = np.arange(0.0, 1.0, 0.02)


def make_log() -> Log:
    columns = {
        "tick": ("1", np.arange(len(TIME))),
        "time": ("s", TIME),
        "x": ("m", 0.3 * TIME),
        "y": ("m", 0.1 * TIME**2),
        "z": ("m", 0.01 + 0.0 * TIME),
        "roll": ("rad", 0.1 * TIME),
        "pitch": ("rad", -0.2 * TIME),
        "yaw": ("rad", 3.0 + TIME),  # passes pi
        "vx": ("m/s", 0.3 + 0.0 * TIME),
        "yaw_rate": ("rad/s", 1.0 + 0.0 * TIME),
        "belt_speed_commanded.left": ("m/s", 0.1 + 0.0 * TIME),
        "belt_speed_commanded.right": ("m/s", 0.5 + 0.0 * TIME),
        "belt_speed.left": ("m/s", 0.1 + 0.1 * TIME),
        "belt_speed.right": ("m/s", 0.5 + 0.0 * TIME),
        "slip.left": ("1", np.where(TIME < 0.5, np.nan, 0.125)),
        "flipper_angle.front": ("rad", -TIME),
        "gyro_yaw_rate": ("rad/s", 0.9 + 0.0 * TIME),
    }
    origin = Provenance(robot="tank", robot_text=ROBOT, created=CREATED, notes={"a": [1, 2]})
    return Log({name: Column(values, unit) for name, (unit, values) in columns.items()}, origin)


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    path = tmp_path_factory.mktemp("bags") / "a.mcap"
    write_log(make_log(), path)
    return path


def listen(path):
    """Return channel, schema, message and time of all messages, by an independent reader."""
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        found = reader.iter_decoded_messages()
        return [(channel, schema, words, raw.log_time) for schema, channel, raw, words in found]


@pytest.fixture(scope="module")
def heard(bag):
    return listen(bag)


def test_a_log_comes_back_exactly(bag):
    assert read_log(bag) == make_log()


def test_an_independent_reader_finds_the_usual_topics(heard):
    rows = Counter((channel.topic, schema.name) for channel, schema, _, _ in heard)
    assert rows == {
        ("/grouser/provenance", "std_msgs/msg/String"): 2,
        ("/grouser/columns", "std_msgs/msg/Float64MultiArray"): 50,
        ("/tf", "tf2_msgs/msg/TFMessage"): 50,
        ("/odom", "nav_msgs/msg/Odometry"): 50,
        ("/joint_states", "sensor_msgs/msg/JointState"): 50,
        ("/cmd_vel", "geometry_msgs/msg/Twist"): 50,
        ("/imu", "sensor_msgs/msg/Imu"): 50,
        ("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"): 10,
    }
    assert {schema.encoding for _, schema, _, _ in heard} == {"ros2msg"}
    assert {channel.message_encoding for channel, _, _, _ in heard} == {"cdr"}


def last(heard, topic):
    return next((m, t) for channel, _, m, t in reversed(heard) if channel.topic == topic)


def test_an_independent_reader_finds_the_numbers(heard):
    odometry, stamp = last(heard, "/odom")
    assert stamp == (BEGIN * 1_000_000_000) + 980_000_000
    assert (odometry.header.stamp.sec, odometry.header.stamp.nanosec) == (BEGIN, 980_000_000)
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
    assert odometry.pose.pose.position.x == 0.3 * TIME[-1]
    assert odometry.twist.twist.angular.z == 1.0
    q = odometry.pose.pose.orientation
    # Body x in the world, by the quaternion and by yaw and pitch.
    forward = 1.0 - 2.0 * (q.y**2 + q.z**2), 2.0 * (q.x * q.y + q.w * q.z)
    yaw, pitch = 3.98, -0.196
    assert forward == pytest.approx((np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch)))
    transform = last(heard, "/tf")[0].transforms[0]
    assert transform.transform.translation.x == odometry.pose.pose.position.x
    assert transform.transform.rotation.w == q.w
    joints = last(heard, "/joint_states")[0]
    assert joints.name == ["left_belt", "right_belt", "front"]
    assert joints.velocity[:2] == pytest.approx([0.198, 0.5])
    # Travel is the integral of speed.
    assert joints.position == pytest.approx([0.1 * 0.98 + 0.05 * 0.98**2, 0.49, -0.98])
    twist = last(heard, "/cmd_vel")[0]
    assert (twist.linear.x, twist.angular.z) == pytest.approx((0.3, (0.5 - 0.1) / 0.4))
    assert last(heard, "/imu")[0].angular_velocity.z == 0.9
    status = last(heard, "/diagnostics")[0].status[0]
    told = {value.key: value.value for value in status.values}
    assert told["slip.left [1]"] == "0.125"


@pytest.fixture
def foreign(tmp_path):
    """A bag of another program: joints at other times than odometry, wheels in rad/s."""
    path = tmp_path / "b.mcap"
    with write_bag(path) as writer:
        kinds, messages = writer.types.types, Messages(make_log(), writer.types)
        vector = kinds["geometry_msgs/msg/Vector3"]
        for row, time in enumerate(TIME):
            stamp = round(1e9 * (100.0 + time))
            odometry = messages.odometry(row, stamp)
            writer.write("/odometry/wheel", stamp + 5, odometry)
            writer.write("/imu/data", stamp, messages.imu(row, stamp))
            if row % 5:
                continue
            header = messages.odometry(row, stamp + 10_000_000).header
            state = kinds["sensor_msgs/msg/JointState"](
                header=header, name=["left_wheel", "right_wheel"],
                velocity=np.array([10.0 * time, 20.0]), position=np.empty(0), effort=np.empty(0),
            )  # fmt: skip
            writer.write("/joint_states", stamp, state)
            twist = kinds["geometry_msgs/msg/Twist"](
                linear=vector(x=float(row), y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=0.5)
            )
            command = kinds["geometry_msgs/msg/TwistStamped"](header=header, twist=twist)
            writer.write("/cmd_vel", stamp, command)
    return path


def test_a_bag_of_another_program_is_read_where_each_type_has_one_topic(foreign):
    log, ours = read_log(foreign), make_log()
    assert log.time == pytest.approx(TIME, abs=1e-9)
    for name in ("x", "y", "z", "roll", "pitch", "vx", "yaw_rate", "gyro_yaw_rate"):
        assert log[name] == pytest.approx(ours[name], abs=1e-12), name
    assert log["yaw"] - log["yaw"][0] == pytest.approx(TIME, abs=1e-12)  # without a jump
    # Joints were heard 10 ms later: a gap at first, then between two of them.
    assert np.isnan(log["joint_speed.left_wheel"][0])
    assert log["joint_speed.left_wheel"][3] == pytest.approx(10.0 * (TIME[3] - 0.01))
    # A command holds until the next one.
    assert log["speed_commanded"][[6, 10]].tolist() == [5.0, 5.0]
    assert log["speed_commanded"][11] == 10.0
    assert log.provenance.notes["start_ns"] == 100_000_000_000


def test_a_column_map_chooses_topics_fields_and_the_radius_of_wheels(foreign):
    columns = {
        "time": {"column": "/imu/data.stamp", "unit": "s"},
        "yaw": {"column": "/odometry/wheel.pose.pose.orientation.yaw", "unit": "rad", "sign": -1},
        "belt_speed.right": {
            "column": "/joint_states.velocity[right_wheel]", "unit": "m/s", "scale": 0.05,
        },
    }  # fmt: skip
    log = read_foreign(foreign, columns)
    assert np.diff(log["yaw"]) == pytest.approx(-0.02)
    assert np.nanmean(log["belt_speed.right"]) == pytest.approx(20.0 * 0.05)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("/odom.pose.pose.position.x", r"has no topic '/odom'; it has /odometry/wheel \(nav_msgs"),
        ("/imu/data.yaw", "topic /imu/data has no number 'yaw'; it has header.stamp.sec"),
    ],
)
def test_the_error_for_a_missing_topic_or_field_lists_those_that_exist(foreign, column, sentence):
    columns = {
        "time": {"column": "/imu/data.stamp", "unit": "s"},
        "x": {"column": column, "unit": "m"},
    }
    with pytest.raises(InvalidLog, match=sentence):
        read_foreign(foreign, columns)


def write_messages(path, topics):
    with write_bag(path) as writer:
        messages = Messages(make_log(), writer.types)
        for topic in topics:
            writer.write(topic, 1, messages.odometry(0, 1))
        writer.write("/chatter", 1, text_message(writer.types, "hello"))


def test_the_name_of_a_topic_may_have_dots(tmp_path):
    path = tmp_path / "d.mcap"
    with write_bag(path) as writer:
        messages = Messages(make_log(), writer.types)
        for row in range(len(TIME)):
            stamp = round(1e9 * (100.0 + TIME[row]))
            writer.write("/a.b/odom", stamp, messages.odometry(row, stamp))
            writer.write("/a", stamp, messages.imu(row, stamp))
    for log in (
        read_log(path),
        read_foreign(path, {
            "time": {"column": "/a.stamp", "unit": "s"},
            "x": {"column": "/a.b/odom.pose.pose.position.x", "unit": "m"},
            "gyro_yaw_rate": {"column": "/a.angular_velocity.z", "unit": "rad/s"},
        }),
    ):  # fmt: skip
        assert log["x"] == pytest.approx(0.3 * TIME, abs=1e-12)
        assert log["gyro_yaw_rate"] == pytest.approx(0.9)
    columns = {
        "time": {"column": "/a.b/odom.stamp", "unit": "s"},
        "x": {"column": "/a.b/odometry.pose.pose.position.x", "unit": "m"},
    }
    with pytest.raises(InvalidLog, match=r"topic /a has no number 'b/odometry.pose"):
        read_foreign(path, columns)


def test_two_topics_of_one_type_need_a_map(tmp_path):
    write_messages(tmp_path / "c.mcap", ["/odom", "/truth"])
    sentence = r"has 2 topics of type nav_msgs/msg/Odometry; a column map must choose; it has /odom"
    with pytest.raises(InvalidLog, match=sentence):
        read_log(tmp_path / "c.mcap")


def test_a_bag_without_known_message_types_raises_an_error(tmp_path):
    write_messages(tmp_path / "c.mcap", [])
    with pytest.raises(InvalidLog, match=r"has no topic of type .*it has /chatter \(std_msgs"):
        read_log(tmp_path / "c.mcap")


def test_damaged_missing_and_foreign_files_are_one_sentence(bag, tmp_path):
    with pytest.raises(InvalidLog, match="there is no such file; its folder holds no .csv"):
        read_log(tmp_path / "d.mcap")
    (tmp_path / "d.mcap").write_bytes(bag.read_bytes()[:3000])
    with pytest.raises(InvalidLog, match="d.mcap: cut off, damaged or not a bag"):
        read_log(tmp_path / "d.mcap")
    (tmp_path / "e.mcap").write_text("time,x\n")
    with pytest.raises(InvalidLog, match="e.mcap: cut off, damaged or not a bag"):
        read_log(tmp_path / "e.mcap")


def test_a_log_of_a_camera_has_poses_alone(tmp_path):
    log = make_log()
    bare = Log({name: log.columns[name] for name in ("time", "x", "y", "yaw")}, log.provenance)
    write_log(bare, tmp_path / "f.mcap")
    topics = {channel.topic for channel, *_ in listen(tmp_path / "f.mcap")}
    assert topics == {"/grouser/provenance", "/grouser/columns", "/tf", "/odom"}
    assert read_log(tmp_path / "f.mcap") == bare


def test_the_error_without_rosbags_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "rosbags", None)
    with pytest.raises(MissingExtra, match=r"pip install 'grouser\[mcap\]'"):
        write_log(make_log(), tmp_path / "g.mcap")
