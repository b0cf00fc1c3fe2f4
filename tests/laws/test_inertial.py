"""Specific force: at rest, on a slope, in a turn, in free fall, beside the origin."""

import math

import numpy as np
import pytest

from grouser.geometry import Pose, Twist
from grouser.laws.inertial import specific_force_in_body
from grouser.laws.slope import GRAVITY

ORIGIN = np.zeros(3)


def turning(time: float, speed: float, rate: float) -> tuple[Pose, Twist]:
    yaw = rate * time
    radius = speed / rate
    pose = Pose(x=radius * math.sin(yaw), y=radius * (1.0 - math.cos(yaw)), yaw=yaw)
    return pose, Twist(vx=speed, yaw_rate=rate)


def test_at_rest_the_ground_pushes_upwards():
    rest = Pose(x=1.0, yaw=0.7), Twist()
    assert specific_force_in_body(rest, rest, 0.01, ORIGIN) == pytest.approx([0, 0, GRAVITY])


def test_on_a_slope_it_is_the_slope_that_is_felt():
    climbing = Pose(pitch=-0.3, yaw=1.0), Twist()
    felt = specific_force_in_body(climbing, climbing, 0.01, ORIGIN)
    assert felt == pytest.approx([GRAVITY * math.sin(0.3), 0.0, GRAVITY * math.cos(0.3)])
    leaning = Pose(roll=0.2, yaw=-2.0), Twist()
    felt = specific_force_in_body(leaning, leaning, 0.01, ORIGIN)
    assert felt == pytest.approx([0.0, GRAVITY * math.sin(0.2), GRAVITY * math.cos(0.2)])


@pytest.mark.parametrize("rate", [-1.5, 0.4, 2.0])
def test_a_steady_turn_is_felt_towards_its_centre(rate):
    before, now = turning(1.0, 0.8, rate), turning(1.01, 0.8, rate)
    felt = specific_force_in_body(before, now, 0.01, ORIGIN)
    assert felt == pytest.approx([0.0, 0.8 * rate, GRAVITY], abs=2e-4)


def test_a_sensor_off_the_axis_feels_the_turn_as_well():
    before, now = turning(0.0, 1e-9, 3.0), turning(0.001, 1e-9, 3.0)
    felt = specific_force_in_body(before, now, 0.001, np.array([0.2, -0.1, 0.3]))
    assert felt == pytest.approx([-0.2 * 9.0, 0.1 * 9.0, GRAVITY], abs=1e-6)
    before, now = (Pose(), Twist()), (Pose(), Twist(yaw_rate=0.05))
    felt = specific_force_in_body(before, now, 0.01, np.array([0.2, 0.0, 0.0]))
    assert felt[1] == pytest.approx(5.0 * 0.2)


def test_free_fall_is_not_felt():
    before, now = (Pose(), Twist()), (Pose(), Twist(vz=-GRAVITY * 0.01))
    assert specific_force_in_body(before, now, 0.01, ORIGIN) == pytest.approx([0, 0, 0], abs=1e-12)


def test_speeding_up_is_felt_forwards():
    before, now = (Pose(yaw=1.0), Twist(vx=0.1)), (Pose(yaw=1.0), Twist(vx=0.13))
    felt = specific_force_in_body(before, now, 0.01, ORIGIN)
    assert felt == pytest.approx([3.0, 0.0, GRAVITY])
