"""Satellite receivers: antenna, noise, slow errors, outages, places on the earth."""

import math

import numpy as np
import pytest

from grouser.description import load_course
from grouser.errors import InvalidDescription
from grouser.geometry import Pose
from tests.simulation.sensors.moments import make_sensor, moment, motion, with_sensors

HERE = "latitude_deg = 50.0767\nlongitude_deg = 14.4179\naltitude_m = 250.0\n"


def receiver(text="", seed=0):
    return make_sensor(f"[sensors.gnss]\nrate_hz = 1.0\n{text}", load_course("flat"), seed)


def positions(sensor, count, pose=None):
    there = motion(pose or Pose())
    return np.array(
        [sensor.sample(moment(there, time=float(k), duration=1.0)) for k in range(count)]
    )


def test_the_antenna_is_measured_and_not_the_origin_of_the_robot():
    sensor = receiver("position_m = [0.5, 0.0, 1.0]\n")
    found = positions(sensor, 1, Pose(x=2.0, y=3.0, yaw=math.pi / 2))[0]
    assert found[:3] == pytest.approx([2.0, 3.5, 1.0])
    tilted = positions(sensor, 1, Pose(roll=math.pi / 2))[0]
    assert tilted[:3] == pytest.approx([0.5, -1.0, 0.0])


def test_a_minute_of_latitude_is_a_nautical_mile():
    sensor = receiver(HERE)
    north = positions(sensor, 1, Pose(y=1854.0))[0]
    assert (north[3] - 50.0767) * 60.0 == pytest.approx(1.0, abs=2e-3)
    assert north[4] == pytest.approx(14.4179, abs=1e-9)
    east = positions(sensor, 1, Pose(x=100.0))[0]
    radius = 6378137.0 / math.sqrt(1.0 - 0.00669438 * math.sin(math.radians(50.0767)) ** 2)
    expected = math.degrees(100.0 / ((radius + 250.0) * math.cos(math.radians(50.0767))))
    assert east[4] - 14.4179 == pytest.approx(expected, rel=1e-6)
    assert east[5] == pytest.approx(250.0, abs=2e-3)


def test_world_x_may_point_to_the_north():
    found = positions(receiver(HERE + "x_from_east_deg = 90.0\n"), 1, Pose(x=1854.0))[0]
    assert (found[3] - 50.0767) * 60.0 == pytest.approx(1.0, abs=2e-3)


def test_noise_is_white_and_slow():
    found = positions(receiver("noise_m = 0.5\nvertical_noise_m = 1.5\n", seed=1), 4000)
    assert found[:, :3].std(axis=0) == pytest.approx([0.5, 0.5, 1.5], rel=0.06)
    slow = positions(receiver("slow_noise_m = 2.0\nslow_time_s = 5.0\n", seed=1), 20_000)[:, 0]
    assert slow.std() == pytest.approx(2.0, rel=0.1)
    assert np.mean(slow[5:] * slow[:-5]) / np.mean(slow**2) == pytest.approx(math.exp(-1), abs=0.06)


def test_outages_have_their_share_of_the_time_and_no_position():
    text = "outage_every_s = 30.0\noutage_time_s = 10.0\nnoise_m = 0.1\n"
    found, clear = (
        positions(receiver(text, seed=2), 8000),
        positions(receiver("noise_m = 0.1\n", seed=2), 8000),
    )
    is_out = found[:, 6] == -1.0
    assert is_out.mean() == pytest.approx(0.25, abs=0.05)
    assert np.isnan(found[is_out, :6]).all()
    assert found[~is_out].tolist() == clear[~is_out].tolist()  # noise is that without outages
    lengths = np.diff(np.flatnonzero(np.diff(is_out.astype(int))))
    assert lengths.max() > 20


def test_messages_are_those_of_a_receiver():
    (declared,) = receiver("noise_m = 0.5\nvertical_noise_m = 2.0\n").declarations
    assert (declared.topic, declared.kind) == ("fix", "sensor_msgs/msg/NavSatFix")
    assert declared.columns["latitude"] == "gnss_latitude_deg"
    assert declared.constants["position_covariance"] == [0.25, 0, 0, 0, 0.25, 0, 0, 0, 4.0]


def test_a_latitude_beyond_the_pole_is_rejected():
    with pytest.raises(InvalidDescription, match=r"latitude_deg: .*90.* given 91"):
        with_sensors("[sensors.gnss]\nlatitude_deg = 91.0\n")
