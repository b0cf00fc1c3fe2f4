"""Compasses: the field of the earth in the sensor's frame, heading, declination, iron."""

import math

import numpy as np
import pytest

from grouser.description import load_course
from grouser.geometry import Pose
from tests.simulation.sensors.moments import make_sensor, moment, motion

FIELD = "strength_uT = 50.0\ninclination_deg = 60.0\n"


def compass(text="", seed=0):
    return make_sensor(f"[sensors.compass]\n{FIELD}{text}", load_course("flat"), seed)


def shown(sensor, pose=None):
    return np.array(sensor.sample(moment(motion(pose or Pose()))))


def test_a_robot_that_looks_east_has_north_to_its_left():
    assert shown(compass())[:3] == pytest.approx([0.0, 25e-6, -50e-6 * math.sin(math.pi / 3)])
    north = shown(compass(), Pose(yaw=math.pi / 2))
    assert north[0] == pytest.approx(25e-6)


@pytest.mark.parametrize("yaw", [-3.0, -1.0, 0.0, 0.7, 3.1])
def test_the_heading_is_the_yaw_at_any_tilt_declination_and_mounting(yaw):
    sensor = compass(
        "declination_deg = 8.0\nx_from_east_deg = 30.0\nyaw_deg = 45.0\nroll_deg = 9.0\n"
    )
    assert shown(sensor, Pose(yaw=yaw, roll=0.2, pitch=-0.3))[3] == pytest.approx(yaw)


def test_declination_turns_the_field_to_the_east():
    assert math.atan2(*shown(compass("declination_deg = 10.0\n"))[[1, 0]]) == pytest.approx(
        math.radians(80.0)
    )


def test_iron_of_the_robot_turns_its_heading_to_and_fro():
    sensor = compass("hard_iron_uT = [2.5, 0.0, 0.0]\n")
    errors = [shown(sensor, Pose(yaw=yaw))[3] - yaw for yaw in np.linspace(-3.0, 3.0, 200)]
    assert max(errors) == pytest.approx(math.asin(2.5 / 25.0), rel=0.01)
    assert min(errors) == pytest.approx(-math.asin(2.5 / 25.0), rel=0.01)


def test_noise_has_its_deviation_and_is_replayed():
    first, again = (compass("noise_uT = 0.5\n", seed=4) for _ in range(2))
    found = np.array([shown(first) for _ in range(2000)])
    assert found[:, :3].std(axis=0) == pytest.approx([0.5e-6] * 3, rel=0.06)
    assert found[0].tolist() == shown(again).tolist()
