"""What is published, read back from a recording by the library of MCAP."""

import json
import math
from dataclasses import replace

import foxglove
import numpy as np
import pytest
from foxglove import Channel, Context
from mcap.reader import make_reader

from grouser import Scenario
from grouser.errors import Unwritable
from grouser.live import Frame
from grouser.log import Declaration
from grouser.plugs.foxglove.publisher import OWN, Pace, Publisher
from grouser.plugs.foxglove.recording import Recording
from grouser.plugs.foxglove.sensors import SensorChannel, json_schema
from grouser.simulation.sensors import Sample
from tests.plugs.foxglove.conftest import start
from tests.plugs.foxglove.protocol import decode, transforms, vector

START = 1_700_000_000 * 10**9
FLOAT32 = 7


def record(path, frames, live, factor=1.0):
    """Publish frames; return the messages of each topic and the schema of each."""
    with foxglove.open_mcap(str(path), context=live.context):
        publisher = Publisher(live.started, live.context, START)
        for frame in frames:
            publisher.publish(frame, factor)
        publisher.diagnose({"ticks": 3.0, "real_time_factor": math.nan})
        publisher.warn("a warning")
    return (publisher, *read(path))


def read(path):
    messages, schemas = {}, {}
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            messages.setdefault(channel.topic, []).append((message.log_time, message.data))
            schemas[channel.topic] = schema
    return messages, schemas


@pytest.fixture
def recorded(live, tmp_path):
    live.simulation.input.offer_twist(0.1, 0.3, 0.0)
    return record(tmp_path / "a.mcap", live.frames(50), live)


def test_a_recording_has_every_topic_with_its_schema(recorded):
    publisher, messages, schemas = recorded
    assert set(messages) == set(publisher.topics) - {"/contacts"}
    assert set(OWN) <= set(publisher.topics)
    names = {topic: schema.name for topic, schema in schemas.items()}
    assert names == {
        "/tf": "foxglove.FrameTransforms", "/tf_static": "foxglove.FrameTransforms",
        "/course": "foxglove.SceneUpdate", "/robot": "foxglove.SceneUpdate",
        "/state": "grouser.State", "/diagnostics": "grouser.Diagnostics", "/log": "foxglove.Log",
        "/encoder": "grouser.encoder", "/imu": "sensor_msgs/msg/Imu",
        "/fix": "foxglove.LocationFix", "/front_lidar/scan": "foxglove.LaserScan",
        "/points_lidar/points": "foxglove.PointCloud",
    }  # fmt: skip
    assert [len(messages[topic]) for topic in ("/tf", "/state", "/imu")] == [50, 50, 50]
    assert [len(messages[topic]) for topic in ("/course", "/robot", "/tf_static")] == [1, 1, 1]
    assert [len(messages[t]) for t in ("/fix", "/front_lidar/scan")] == [5, 10]


def test_the_state_is_that_of_the_frame(live, tmp_path):
    live.simulation.input.offer_twist(0.1, 0.3, 0.0)
    frames = live.frames(10)
    _, messages, _ = record(tmp_path / "a.mcap", frames, live)
    for (when, data), frame in zip(messages["/state"], frames, strict=True):
        state, motion = json.loads(data), frame.motion
        assert when == START + round(frame.time * 1e9)
        assert state["pose"]["yaw"] == motion.pose.yaw
        assert state["twist"]["vx"] == motion.twist.vx
        assert state["belts"]["left"]["speed"] == motion.belt_speeds[0]
        assert state["belts"]["right"]["commanded"] == motion.belt_speeds_commanded[1]
        assert (state["run"], state["tick"], state["is_paused"]) == (1, frame.tick, False)


def test_every_number_of_the_state_has_a_unit(recorded):
    schema = json.loads(recorded[2]["/state"].data)
    state = json.loads(recorded[1]["/state"][-1][1])

    def check(kind, value):
        if isinstance(value, dict):
            for name, inner in value.items():
                check(kind["properties"][name], inner)
        elif kind["type"] == "number":
            assert kind["description"].endswith("]"), kind

    check(schema, state)


def test_numbers_that_are_not_finite_are_left_out(recorded):
    (_, data), *_ = recorded[1]["/diagnostics"]
    assert json.loads(data) == {"ticks": 3.0}


def test_a_new_run_goes_on_in_time(live, tmp_path):
    frames = live.frames(5)
    live.simulation.reset()
    frames += live.frames(5)
    _, messages, _ = record(tmp_path / "a.mcap", frames, live)
    times = [when for when, _ in messages["/tf"]]
    assert len(times) == 10
    assert times == sorted(times)
    assert [json.loads(data)["run"] for _, data in messages["/state"]] == [1] * 5 + [2] * 5


def test_a_paused_simulation_is_published_once(live, tmp_path):
    frames = live.frames(3)
    live.simulation.pause()
    frames += [live.simulation.frame() for _ in range(20)]
    _, messages, _ = record(tmp_path / "a.mcap", frames, live)
    assert [json.loads(data)["is_paused"] for _, data in messages["/state"]] == [
        False, False, False, True,
    ]  # fmt: skip


def test_scans_and_points_are_those_of_the_sensor(live, tmp_path):
    frames = live.frames(10)
    samples = {sample.sensor: sample for frame in frames for sample in frame.fresh}
    _, messages, _ = record(tmp_path / "a.mcap", frames, live)
    scan = decode(messages["/front_lidar/scan"][-1][1])
    assert scan[2] == [b"front_lidar_link"]
    assert [scan[4][0], scan[5][0]] == pytest.approx([-0.5 * math.pi, 0.5 * math.pi])
    ranges = np.frombuffer(scan[6][0], "<f8")
    assert np.array_equal(ranges, samples["front_lidar"].array)
    cloud = decode(messages["/points_lidar/points"][-1][1])
    points = np.frombuffer(cloud[6][0], "<f4").reshape(-1, 3)
    expected = samples["points_lidar"].array.reshape(-1, 3)
    expected = expected[np.isfinite(expected).all(axis=1)]
    assert 0 < len(expected) < 60
    assert np.array_equal(points, expected)
    assert [decode(f)[1] for f in cloud[5]] == [[b"x"], [b"y"], [b"z"]]


def test_a_fix_is_on_the_earth(recorded):
    latitude, longitude = vector(recorded[1]["/fix"][-1][1], 1, 2)
    assert (latitude, longitude) == pytest.approx((47.0, 8.0), abs=1e-4)


def test_the_imu_has_the_fields_of_its_message(live, tmp_path):
    frames = live.frames(50)
    (rates,) = [one.values for one in frames[-1].fresh if one.sensor == "imu"]
    _, messages, schemas = record(tmp_path / "a.mcap", frames, live)
    message = json.loads(messages["/imu"][-1][1])
    assert message["header"]["frame_id"] == "base_link"
    assert message["header"]["stamp"] == {"sec": 1_700_000_000, "nanosec": 500_000_000}
    assert tuple(message["angular_velocity"].values()) == rates
    schema = json.loads(schemas["/imu"].data)["properties"]
    assert schema["angular_velocity"]["properties"]["z"]["description"] == "[rad/s]"


def test_frames_of_the_robot_move(recorded):
    first, last = (transforms(recorded[1]["/tf"][n][1])["base_link"] for n in (0, -1))
    assert last[1][0] > first[1][0] + 0.03


def test_contacts_are_published_where_the_model_gives_them(tmp_path):
    live = start(
        Scenario(robot="absolem", course="flat", model="csm", driver="foxglove", contacts=True)
    )
    _, messages, _ = record(tmp_path / "a.mcap", live.frames(20), live)
    assert 4 <= len(messages["/contacts"]) <= 6
    (entity,) = decode(messages["/contacts"][-1][1])[2]
    assert len(decode(entity)[7]) >= 4


def publish_one(tmp_path, declaration, columns, sample, units=None):
    """Publish one sample; return its message and its schema."""
    context = Context()
    with foxglove.open_mcap(str(tmp_path / "b.mcap"), context=context):
        channel = SensorChannel(declaration, columns, units or {}, context)
        channel.publish(sample, START, START)
    messages, schemas = read(tmp_path / "b.mcap")
    return messages.get(channel.topic, []), schemas.get(channel.topic)


def test_a_sensor_that_nobody_has_thought_of_needs_no_change(tmp_path):
    declaration = Declaration(topic="thermometer", columns={"data": ("t.hull", "t.air")})
    sample = Sample("thermometer", 0.0, (40.5, math.nan))
    ((_, data),), schema = publish_one(
        tmp_path, declaration, ("t.hull", "t.air"), sample, {"t.hull": "degC", "t.air": "degC"}
    )
    message = json.loads(data)
    assert message.pop("header")["frame_id"] == "base_link"
    assert message == {"t_hull": 40.5}
    fields = json.loads(schema.data)["properties"]
    assert fields["t_hull"] == {"type": "number", "description": "[degC]"}


def test_any_declared_message_becomes_json_of_its_fields(tmp_path):
    declaration = Declaration(
        topic="range", kind="other_msgs/msg/Odd", frame="odd_link",
        columns={"inner.value": "a", "inner.more": ("b", "a")},
        constants={"label": "x", "flags": [1, 2], "is_odd": True, "parts": [{"n": 1}]},
        array="data",
    )  # fmt: skip
    sample = Sample("range", 0.0, (1.0, 2.0), np.array([[3, 4], [5, 6]]))
    ((_, data),), schema = publish_one(tmp_path, declaration, ("a", "b"), sample)
    message = json.loads(data)
    assert message.pop("header")["frame_id"] == "odd_link"
    assert message == {
        "inner": {"value": 1.0, "more": [2.0, 1.0]}, "label": "x", "flags": [1, 2],
        "is_odd": True, "parts": [{"n": 1}], "data": [3, 4, 5, 6],
    }  # fmt: skip
    fields = json_schema(declaration, ("a", "b"), {"a": "m"})["properties"]
    assert fields["inner"]["properties"]["value"] == {"type": "number", "description": "[m]"}
    assert set(message) | {"header"} == set(json.loads(schema.data)["properties"])


def test_images_and_calibrations_have_messages_of_their_own(tmp_path):
    picture = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    declaration = Declaration(
        topic="camera/image_raw", kind="sensor_msgs/msg/Image", frame="camera_optical_frame",
        constants={"width": 4, "height": 2, "encoding": "rgb8", "step": 12}, array="data",
    )  # fmt: skip
    ((_, data),), schema = publish_one(tmp_path, declaration, (), Sample("c", 0.0, (), picture))
    assert schema.name == "foxglove.RawImage"
    assert picture.tobytes() in data
    assert b"rgb8" in data
    lens = [100.0, 0.0, 2.0, 0.0, 100.0, 1.0, 0.0, 0.0, 1.0]
    declaration = Declaration(
        topic="camera/camera_info", kind="sensor_msgs/msg/CameraInfo", frame="camera_optical_frame",
        constants={"width": 4, "height": 2, "k": lens, "p": [0.0] * 12, "r": [0.0] * 9, "d": []},
    )  # fmt: skip
    (tmp_path / "b.mcap").unlink()
    ((_, data),), schema = publish_one(tmp_path, declaration, (), Sample("c", 0.0, ()))
    assert schema.name == "foxglove.CameraCalibration"
    assert np.array(lens).tobytes() in data


def test_during_an_outage_there_is_no_fix(tmp_path):
    declaration = Declaration(
        topic="fix", kind="sensor_msgs/msg/NavSatFix",
        columns={"latitude": "a", "longitude": "b", "altitude": "c"},
    )  # fmt: skip
    sample = Sample("gnss", 0.0, (math.nan, math.nan, math.nan))
    assert publish_one(tmp_path, declaration, ("a", "b", "c"), sample) == ([], None)


def frames_at(tick, count):
    one = Frame(run=1, tick=0, time=0.0, motion=None, command=None)  # type: ignore[arg-type]
    return [replace(one, tick=n, time=n * tick) for n in range(count)]


@pytest.mark.parametrize(
    ("tick", "factor", "count", "expected"),
    [(0.01, 1.0, 300, 300), (0.001, 1.0, 3000, 300), (0.007, 1.0, 300, 210), (0.01, 10.0, 300, 30)],
)
def test_frames_are_thinned_to_a_rate_of_wall_time(tick, factor, count, expected):
    pace = Pace(100.0)
    sent = sum(pace.is_due(frame, factor) for frame in frames_at(tick, count))
    assert sent == pytest.approx(expected, rel=0.02, abs=1)


def test_nothing_is_made_for_a_topic_that_nobody_reads(live):
    channel = Channel("/nobody", schema={"type": "object"}, context=live.context)
    assert not channel.has_sinks()
    publisher = Publisher(live.started, live.context, START)
    publisher._state = None  # type: ignore[assignment]
    publisher.publish(live.frames(1)[0], 1.0)


def test_schemas_of_protocol_buffers_describe_themselves(recorded):
    schema = recorded[2]["/tf"]
    assert schema.encoding == "protobuf"
    files = [decode(one)[1][0].decode() for one in decode(schema.data)[1]]
    assert "foxglove/FrameTransforms.proto" in files


def test_a_full_disk_is_one_sentence_at_the_end(live):
    recording = Recording("/dev/full", live.context)
    publisher = Publisher(live.started, live.context, START)
    for frame in live.frames(3):
        publisher.publish(frame, 1.0)
    recording.close()
    assert "is not complete" in recording.problem
    assert "\n" not in recording.problem


def test_a_recording_that_cannot_be_opened_is_an_error(live, tmp_path):
    with pytest.raises(Unwritable, match="recording must be writable"):
        Recording(tmp_path / "nowhere" / "a.mcap", live.context)
