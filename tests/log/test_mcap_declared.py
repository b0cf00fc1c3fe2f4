"""Messages of sensors in bags, as the sensors declare them."""

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from grouser import Simulation, load_course, load_robot, make_model, read_log, write_log
from grouser.drivers import Constant, Sides
from grouser.errors import InvalidValue
from grouser.log import Column, Declaration, Log, Provenance
from grouser.log.mcap.bag import import_rosbags
from grouser.log.mcap.declared import lay_out


def drive(**changes):
    robot = load_robot("tp100", {f"sensors.imu.{key}": value for key, value in changes.items()})
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
    simulation.run(Constant(robot, Sides(left=0.1, right=0.0)), duration=1.0)
    return simulation.log()


def read(path, topic):
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        return [
            (round(message.log_time * 1e-9 % 1000.0, 6), decoded)
            for _, _, message, decoded in reader.iter_decoded_messages(topics=[topic])
        ]


def stamp(message):
    return message.header.stamp.sec % 1000 + message.header.stamp.nanosec * 1e-9


def test_a_slow_sensor_has_a_message_for_each_sample_and_none_for_held_values(tmp_path):
    log = drive(rate_hz=10.0)
    write_log(log, tmp_path / "a.mcap")
    found = read(tmp_path / "a.mcap", "/imu")
    assert len(found) == 11
    assert [m.angular_velocity.z for _, m in found] == log["gyro_yaw_rate"][::10].tolist()
    assert len(read(tmp_path / "a.mcap", "/odom")) == len(log)


def test_a_late_sample_is_stamped_with_the_time_at_which_it_was_taken(tmp_path):
    write_log(drive(rate_hz=10.0, latency_s=0.05), tmp_path / "a.mcap")
    found = read(tmp_path / "a.mcap", "/imu")
    assert len(found) == 10
    assert [time - stamp(m) for time, m in found] == pytest.approx([0.05] * 10, abs=1e-6)
    assert all(np.isfinite(m.angular_velocity.z) for _, m in found)


def test_a_sensor_without_a_message_type_has_its_columns_in_a_list(tmp_path):
    log = drive()
    write_log(log, tmp_path / "a.mcap")
    rows = np.array([m.data for _, m in read(tmp_path / "a.mcap", "/encoder")])
    assert np.array_equal(rows[:, 0], log["encoder.left"])
    assert np.array_equal(rows[:, 3], log["belt_speed_measured.right"])


def test_the_log_comes_back_exactly(tmp_path):
    log = drive(rate_hz=7.0, latency_s=0.03)
    write_log(log, tmp_path / "a.mcap")
    again = read_log(tmp_path / "a.mcap")
    assert all(log[name].tobytes() == again[name].tobytes() for name in log)


def test_a_sensor_of_anybody_becomes_its_message(tmp_path):
    declaration = Declaration(
        topic="engine/temperature", kind="sensor_msgs/msg/Temperature", frame="engine_link",
        columns={"temperature": "engine"}, constants={"variance": 0.25},
    )  # fmt: skip
    notes = {
        "sensors": {"engine": {"rate": None, "latency": 0.0, "messages": [declaration.to_dict()]}}
    }
    columns = {
        "time": Column(0.1 * np.arange(5), "s"), "engine": Column(20.0 + np.arange(5), "degC")
    }  # fmt: skip
    write_log(Log(columns, Provenance(notes=notes)), tmp_path / "a.mcap")
    found = [m for _, m in read(tmp_path / "a.mcap", "/engine/temperature")]
    assert [m.temperature for m in found] == [20.0, 21.0, 22.0, 23.0, 24.0]
    assert (found[0].header.frame_id, found[0].variance) == ("engine_link", 0.25)


def test_a_message_type_that_does_not_exist_is_a_sentence():
    with pytest.raises(InvalidValue, match="type of a message must be a type of ROS 2"):
        lay_out(Declaration(topic="a", kind="my_msgs/msg/Mine"), import_rosbags())


@pytest.mark.parametrize("sensors", [3, {"imu": 3}, {"imu": {"messages": [3], "rate": "x"}}])
def test_notes_of_another_program_do_no_harm(tmp_path, sensors):
    log = Log({"time": Column(np.arange(2.0), "s")}, Provenance(notes={"sensors": sensors}))
    write_log(log, tmp_path / "a.mcap")
    assert len(read_log(tmp_path / "a.mcap")) == 2
