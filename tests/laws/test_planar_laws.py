"""Slips, friction ellipse, centre of pressure and motor map of P3 (data/tankbot)."""

import json
from pathlib import Path

import numpy as np
import pytest

from grouser.laws.friction_ellipse import (
    ellipse_radius,
    ellipse_utilisation,
    limit_to_ellipse,
)
from grouser.laws.motor_map import (
    motor_torque,
    sprocket_torque,
    steady_sprocket_speed,
    torque_per_volt,
)
from grouser.laws.pressure_centre import pressure_ahead, pressure_aside
from grouser.laws.track_slip import (
    longitudinal_slip,
    resting_shift,
    sideslip_angle,
    track_ground_speeds,
)

DATA = Path(__file__).parents[1] / "data/tankbot"
VECTORS = json.loads((DATA / "unit_vectors.json").read_text())["friction_ellipse"]
MAP = (1.0, 1.0, 4.0, 16.0)


def test_drift_to_the_left_is_positive_and_bounded_at_rest():
    assert sideslip_angle(0.5, 0.05, 0.02) == pytest.approx(np.arctan(0.1))
    assert sideslip_angle(-0.5, 0.05, 0.02) == pytest.approx(np.arctan(0.1))
    assert sideslip_angle(0.0, 0.001, 0.02) == pytest.approx(np.arctan(0.05))
    assert sideslip_angle(0.0, 0.0, 0.02) == 0.0


def test_in_a_left_turn_the_right_track_is_the_faster():
    left, right = track_ground_speeds(0.4, 0.5, 0.476)
    assert (left, right) == pytest.approx((0.4 - 0.119, 0.4 + 0.119))


@pytest.mark.parametrize(
    ("belt", "ground", "slip"),
    [
        (0.4, 0.4, 0.0),
        (0.5, 0.4, 0.2),  # relative to the larger
        (0.4, 0.5, -0.2),
        (0.5, 0.0, 1.0),  # spinning
        (0.0, 0.5, -1.0),  # locked
        (0.5, -0.5, 1.0),  # beyond full slip
        (0.001, 0.0, 0.05),  # the floor of 0.02 m/s counts
        (-0.5, -0.4, -0.2),
    ],
)
def test_slip_is_relative_to_the_larger_speed_and_bounded(belt, ground, slip):
    assert longitudinal_slip(belt, ground, 0.02) == pytest.approx(slip)


def test_the_resting_shift_vanishes_at_rest_and_turns_round():
    assert resting_shift(0.025, 0.0, 0.05) == 0.0
    assert resting_shift(0.025, -0.4, 0.05) == -resting_shift(0.025, 0.4, 0.05)
    assert resting_shift(0.025, 0.39126, 0.05) == pytest.approx(0.025, rel=1e-6)


@pytest.mark.parametrize("given", VECTORS)
def test_the_friction_ellipse_has_the_unit_vectors(given):
    lateral, left, right = given["F_L"], given["F_TL"], given["F_TR"]
    assert np.hypot(lateral, left + right) == pytest.approx(given["r1"], abs=1e-6)
    radius = ellipse_radius(lateral, left + right, 80.0, 122.0)
    assert radius == pytest.approx(given["r2"], abs=1e-6)
    used = ellipse_utilisation(lateral, left + right, 80.0, 122.0)
    assert used == pytest.approx(given["r1"] / given["r2"], abs=1e-7)
    limited = limit_to_ellipse(lateral, left, right, 80.0, 122.0)
    expected = given["F_L_new"], given["F_TL_new"], given["F_TR_new"]
    assert limited == pytest.approx(expected, abs=1e-6)


def test_no_force_uses_no_friction():
    assert limit_to_ellipse(0.0, 0.0, 0.0, 80.0, 122.0) == (0.0, 0.0, 0.0)


def test_the_lateral_force_acts_where_its_moment_opposes_the_turn():
    for vy, yaw_rate in ((0.01, 0.5), (-0.01, 0.5), (0.01, -0.5), (-0.01, -0.5)):
        ahead = pressure_ahead(vy, yaw_rate, 0.3, 0.3, 0.02)
        force = -np.sign(vy)
        assert ahead * force * yaw_rate < 0.0
    assert pressure_ahead(9.0, 0.1, 0.3, 0.2, 0.02) == 0.3
    assert pressure_ahead(-9.0, 0.1, 0.3, 0.2, 0.02) == -0.2
    assert pressure_ahead(0.1, 0.0, 0.3, 0.3, 0.02) == 0.0


def test_weight_to_the_left_moves_the_pressure_to_the_left():
    assert pressure_aside(16.0, 458.0, 0.15, 0.238) == pytest.approx(0.15 * 16.0 / 458.0)
    assert pressure_aside(-1e6, 458.0, 0.15, 0.238) == -0.238


def test_the_torque_map_has_the_sampled_values():
    rows = np.genfromtxt(DATA / "torque_map_samples.csv", delimiter=",", names=True)
    assert motor_torque(rows["V_V"], *MAP) == pytest.approx(rows["T_Nm"], abs=1e-6)
    assert sprocket_torque(rows["V_V"], MAP, MAP) == pytest.approx(rows["T_Nm"], abs=1e-6)


def test_each_sign_may_have_a_map_of_its_own():
    back = (0.5, 0.0, 2.0, 5.0)
    torque = sprocket_torque(np.array([2.0, -2.0, -9.0, 0.8, -0.8]), MAP, back)
    assert torque == pytest.approx([5.0, -3.0, -5.0, 0.0, -0.6])


def test_torque_per_volt_and_steady_speed():
    torque = motor_torque(np.array([10.0, 2.6273]), *MAP)
    assert torque_per_volt(np.array([10.0, 2.6273]), torque) == pytest.approx(
        [1.6, 2.858], abs=1e-3
    )
    assert np.isnan(torque_per_volt(0.0, 0.0))
    assert steady_sprocket_speed(7.5, 1.0) == 7.5
