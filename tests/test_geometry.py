"""Poses, angles and the two ways to integrate a planar twist."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from grouser.geometry import (
    Pose,
    arc_displacement,
    carry_over_ground,
    euler_displacement,
    heading_on_ground,
    rotate,
    tilt_rates,
    wrap_angle,
)

SPEEDS = st.floats(-2.0, 2.0)
ANGLES = st.floats(-20.0, 20.0)


def euler_path(vx: float, vy: float, yaw_rate: float, duration: float, steps: int) -> np.ndarray:
    """Integrate with explicit Euler steps from the origin, heading along x."""
    dt = duration / steps
    yaws = yaw_rate * dt * np.arange(steps)
    return np.sum(euler_displacement(vx, vy, yaws, dt), axis=1)


def test_arc_is_the_limit_of_fine_euler_steps():
    exact = np.array(arc_displacement(0.3, 0.1, 0.8, 0.0, 2.0))
    assert euler_path(0.3, 0.1, 0.8, 2.0, 200_000) == pytest.approx(exact, abs=5e-6)


def test_euler_error_halves_with_the_step():
    exact = np.array(arc_displacement(0.3, 0.1, 0.8, 0.0, 2.0))
    errors = [np.linalg.norm(euler_path(0.3, 0.1, 0.8, 2.0, n) - exact) for n in (50, 100, 200)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.02)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.01)


def test_arc_follows_a_quarter_circle_to_the_left():
    dx, dy = arc_displacement(1.0, 0.0, np.pi / 2, 0.0, 1.0)
    assert (dx, dy) == pytest.approx((2 / np.pi, 2 / np.pi))


def test_leftward_speed_on_an_arc_bends_backward():
    dx, dy = arc_displacement(0.0, 1.0, np.pi / 2, 0.0, 1.0)
    assert (dx, dy) == pytest.approx((-2 / np.pi, 2 / np.pi))


def test_arc_equals_its_printed_form_with_sine_and_cosine():
    vx, vy, yaw_rate, dt = 0.4, -0.2, -1.3, 0.7
    turn = yaw_rate * dt
    s, q = np.sin(turn) / turn, (1 - np.cos(turn)) / turn
    expected = (dt * (s * vx - q * vy), dt * (q * vx + s * vy))
    assert arc_displacement(vx, vy, yaw_rate, 0.0, dt) == pytest.approx(expected)


def test_arc_without_turning_is_a_straight_line():
    assert arc_displacement(1.0, 0.5, 0.0, 0.0, 2.0) == pytest.approx((2.0, 1.0))


@given(vx=SPEEDS, vy=SPEEDS, yaw=ANGLES)
def test_arc_is_continuous_where_the_turn_vanishes(vx, vy, yaw):
    straight = arc_displacement(vx, vy, 0.0, yaw, 1.0)
    for yaw_rate in (-3e-8, -1e-9, 1e-9, 3e-8):
        assert arc_displacement(vx, vy, yaw_rate, yaw, 1.0) == pytest.approx(straight, abs=1e-7)


@given(vx=SPEEDS, vy=SPEEDS, yaw_rate=SPEEDS, yaw=ANGLES)
def test_two_arcs_of_half_the_time_make_one(vx, vy, yaw_rate, yaw):
    whole = np.array(arc_displacement(vx, vy, yaw_rate, yaw, 1.0))
    first = np.array(arc_displacement(vx, vy, yaw_rate, yaw, 0.5))
    second = np.array(arc_displacement(vx, vy, yaw_rate, yaw + yaw_rate * 0.5, 0.5))
    assert first + second == pytest.approx(whole, abs=1e-12)


def test_many_arcs_at_once_equal_one_by_one():
    rates = np.array([-1.0, 0.0, 1e-10, 2.0])
    together = np.array(arc_displacement(0.3, 0.1, rates, 0.2, 0.5))
    alone = np.array([arc_displacement(0.3, 0.1, rate, 0.2, 0.5) for rate in rates]).T
    assert together == pytest.approx(alone, abs=1e-15)


@pytest.mark.parametrize(
    ("angle", "wrapped"),
    [(0.0, 0.0), (np.pi, np.pi), (-np.pi, np.pi), (3 * np.pi, np.pi), (4.0, 4.0 - 2 * np.pi)],
)
def test_wrapping_keeps_pi_and_excludes_minus_pi(angle, wrapped):
    assert wrap_angle(angle) == pytest.approx(wrapped)


@given(angle=ANGLES)
def test_wrapped_angle_points_the_same_way(angle):
    wrapped = wrap_angle(angle)
    assert -np.pi < wrapped <= np.pi
    assert np.cos(wrapped) == pytest.approx(np.cos(angle), abs=1e-12)
    assert np.sin(wrapped) == pytest.approx(np.sin(angle), abs=1e-12)


def test_rotating_x_by_a_right_angle_gives_y():
    assert rotate(1.0, 0.0, np.pi / 2) == pytest.approx((0.0, 1.0))


def test_positive_yaw_turns_the_nose_to_the_left():
    assert Pose(yaw=np.pi / 2).rotation.apply([1, 0, 0]) == pytest.approx([0, 1, 0])


def test_positive_pitch_lowers_the_nose():
    assert Pose(pitch=0.3).rotation.apply([1, 0, 0])[2] == pytest.approx(-np.sin(0.3))


def test_positive_roll_lowers_the_right_side():
    assert Pose(roll=0.3).rotation.apply([0, -1, 0])[2] == pytest.approx(-np.sin(0.3))


def test_pitch_acts_about_the_axis_that_yaw_has_turned():
    nose = Pose(yaw=np.pi / 2, pitch=0.3).rotation.apply([1, 0, 0])
    assert nose == pytest.approx([0, np.cos(0.3), -np.sin(0.3)])


def test_roll_acts_about_the_nose_of_the_pitched_body():
    pose = Pose(yaw=0.4, pitch=0.3, roll=0.2)
    without_roll = Pose(yaw=0.4, pitch=0.3)
    nose = pose.rotation.apply([1, 0, 0])
    assert nose == pytest.approx(without_roll.rotation.apply([1, 0, 0]))


def test_poses_of_many_robots_are_picked_by_index():
    poses = Pose(x=np.array([1.0, 2.0]), yaw=np.array([0.1, 0.2]), z=0.5)
    assert poses[1] == Pose(x=2.0, yaw=0.2, z=0.5)


def test_many_poses_share_the_angles_that_they_do_not_have():
    poses = Pose(x=np.zeros(3), yaw=np.array([0.0, 0.5, 1.0]))
    forward = poses.rotation.apply([1.0, 0.0, 0.0])
    assert forward[:, 1] == pytest.approx(np.sin([0.0, 0.5, 1.0]))


def test_one_of_many_poses_can_be_taken_out():
    poses = Pose(x=np.array([1.0, 2.0]), yaw=0.3)
    assert poses[1] == Pose(x=2.0, yaw=0.3)


def test_quaternion_and_matrix_are_the_rotation():
    rng = np.random.default_rng(4)
    roll, pitch, yaw = rng.uniform(-1.5, 1.5, (3, 20))
    for pose in (Pose(roll=roll, pitch=pitch, yaw=yaw), Pose(roll=0.3, yaw=yaw), Pose(pitch=0.7)):
        assert pose.matrix == pytest.approx(pose.rotation.as_matrix(), abs=1e-15)
        quaternion = pose.rotation.as_quat(scalar_first=True)
        sign = np.sign((pose.quaternion * quaternion).sum(axis=-1, keepdims=True))
        assert pose.quaternion == pytest.approx(sign * quaternion, abs=1e-15)


TILTS = st.floats(-1.2, 1.2)


def tilted(roll: float, pitch: float, yaw: float) -> Pose:
    return Pose(roll=roll, pitch=pitch, yaw=yaw)


@given(roll=TILTS, pitch=TILTS, yaw=ANGLES, turn=ANGLES, way=st.tuples(SPEEDS, SPEEDS))
def test_a_motion_in_a_plane_is_that_of_its_rotations_seen_from_above(roll, pitch, yaw, turn, way):
    rotation = tilted(roll, pitch, yaw).rotation
    dx, dy, turned = carry_over_ground(tilted(roll, pitch, yaw), *way, turn)
    assert (dx, dy) == pytest.approx(rotation.apply((*way, 0.0))[:2], abs=1e-12)
    axis = rotation.apply((np.cos(turn), np.sin(turn), 0.0))  # x axis of the turned body
    assert wrap_angle(yaw + turned - np.arctan2(axis[1], axis[0])) == pytest.approx(0.0, abs=1e-9)
    assert abs(turned - turn) < np.pi / 2 + 1e-9


@given(yaw=ANGLES, turn=ANGLES)
def test_on_level_ground_a_turn_is_a_change_of_yaw_to_the_last_bit(yaw, turn):
    assert carry_over_ground(Pose(yaw=yaw), 0.0, 0.0, turn)[2] == turn
    assert heading_on_ground(Pose(yaw=yaw)) == yaw


@given(roll=TILTS, pitch=TILTS, yaw=ANGLES)
def test_a_heading_on_the_ground_is_from_the_line_above_world_x(roll, pitch, yaw):
    pose = tilted(roll, pitch, yaw)
    back = -heading_on_ground(pose)
    line = pose.rotation.apply((np.cos(back), np.sin(back), 0.0))
    assert line[1] == pytest.approx(0.0, abs=1e-9)
    assert line[0] > 0.0


@given(roll=TILTS, pitch=TILTS, yaw=ANGLES, rates=st.tuples(SPEEDS, SPEEDS), turn=ANGLES)
def test_tilt_rates_are_the_angular_velocity_across_the_normal(roll, pitch, yaw, rates, turn):
    before, dt = tilted(roll, pitch, yaw), 1e-5
    tilts = Rotation.from_rotvec((rates[0] * dt, rates[1] * dt, 0.0))
    after = before.rotation * tilts * Rotation.from_euler("Z", turn)
    heading, nose_down, right_down = after.as_euler("ZYX")
    seen = tilt_rates(before, tilted(right_down, nose_down, heading), dt)
    assert seen == pytest.approx(rates, abs=1e-6)
