"""Velocity of a navigation system in the body frame, P2 (Zhou et al. 2022)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.geometry import Pose
from grouser.laws.ins_to_body import ins_to_body

ANGLE = st.floats(-3.0, 3.0)


def test_heading_east_driving_east_is_forward():
    assert ins_to_body([2.0, 0.0, 0.0], 0.0, 0.0, 0.0) == pytest.approx([2.0, 0.0, 0.0])


def test_heading_east_driving_north_is_leftward():
    assert ins_to_body([0.0, 2.0, 0.0], 0.0, 0.0, 0.0) == pytest.approx([0.0, 2.0, 0.0])


def test_heading_north_driving_east_is_rightward():
    body = ins_to_body([2.0, 0.0, 0.0], 0.0, 0.0, np.pi / 2)
    assert body == pytest.approx([0.0, -2.0, 0.0], abs=1e-15)


def test_climbing_with_the_nose_up_is_purely_forward():
    slope = 0.4
    climb = [np.cos(slope), 0.0, np.sin(slope)]
    assert ins_to_body(climb, 0.0, -slope, 0.0) == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_rising_with_the_right_side_down_is_partly_leftward():
    body = ins_to_body([0.0, 0.0, 1.0], 0.3, 0.0, 0.0)
    assert body == pytest.approx([0.0, np.sin(0.3), np.cos(0.3)])


@given(roll=ANGLE, pitch=ANGLE, yaw=ANGLE)
def test_turning_back_into_the_world_undoes_it(roll, pitch, yaw):
    velocity = np.array([1.0, -2.0, 0.5])
    body = ins_to_body(velocity, roll, pitch, yaw)
    pose = Pose(roll=roll, pitch=pitch, yaw=yaw)
    assert pose.rotation.apply(body) == pytest.approx(velocity, abs=1e-12)


def test_many_samples_at_once_equal_one_by_one():
    velocities = np.arange(12.0).reshape(4, 3)
    yaw, pitch = np.linspace(0.0, 3.0, 4), np.linspace(-0.2, 0.2, 4)
    together = ins_to_body(velocities, 0.1, pitch, yaw)
    alone = [ins_to_body(*sample) for sample in zip(velocities, [0.1] * 4, pitch, yaw, strict=True)]
    assert together == pytest.approx(np.array(alone))


def test_one_velocity_seen_at_many_attitudes():
    assert ins_to_body([1.0, 0.0, 0.0], 0.0, 0.0, np.zeros((2, 5))).shape == (2, 5, 3)
