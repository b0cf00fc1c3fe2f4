"""Force curves, slips, friction ellipse, pressure and motor map of P3 (data/tankbot)."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.plain_planar import limit_to_ellipse, sideslip_angle, sprocket_torque

from grouser.laws.slope import GRAVITY, grade_forces
from grouser.laws.track_forces import (
    ellipse_utilisation,
    longitudinal_slip,
    magic_formula,
    motor_torque,
    pressure_ahead,
    pressure_aside,
    resting_shift,
    stiffness_factor,
    track_ground_speeds,
)

DATA = Path(__file__).parents[1] / "data/tankbot"
CHECKS = json.loads((DATA / "consistency_checks.json").read_text())
LATERAL, TRACK = (38.5, 1.3, 80.0, -0.5), (29.8, 1.65, 61.0, 0.0)
SHIFT, MASS = 0.025, 46.8


def samples(name: str) -> np.ndarray:
    return np.genfromtxt(DATA / name, delimiter=",", names=True)


def test_the_lateral_force_has_the_sampled_values():
    rows = samples("magic_formula_lateral_samples.csv")
    assert -magic_formula(rows["sideslip_rad"], *LATERAL) == pytest.approx(
        rows["F_lateral_N"], abs=1e-6
    )


def test_a_tracks_force_has_the_sampled_values_with_and_without_shift():
    rows = samples("magic_formula_longitudinal_samples.csv")
    # Two of the slips are the peak, with and without shift, printed with four digits.
    peak = CHECKS["longitudinal_peak_slip"]
    slips = np.where(rows["slip"] == 0.0471, peak, rows["slip"])
    slips = np.where(slips == 0.0221, peak - SHIFT, slips)
    for shift, column in ((0.0, "F_track_without_shift_N"), (SHIFT, "F_track_with_shift_N")):
        force = magic_formula(slips + shift, *TRACK)
        assert force == pytest.approx(rows[column], abs=1e-6)


def test_the_force_is_odd_and_its_slope_at_zero_is_the_stiffness():
    assert magic_formula(-0.03, *LATERAL) == -magic_formula(0.03, *LATERAL)
    slope = (magic_formula(1e-7, *TRACK) - magic_formula(-1e-7, *TRACK)) / 2e-7
    assert slope == pytest.approx(CHECKS["BCD_longitudinal_N"], rel=1e-6)
    slope = (magic_formula(1e-7, *LATERAL) - magic_formula(-1e-7, *LATERAL)) / 2e-7
    assert slope == pytest.approx(CHECKS["BCD_lateral_N_per_rad"], rel=1e-6)


def test_the_printed_stiffness_factors_follow_from_the_other_numbers():
    lateral, track = CHECKS["B_from_C_alpha"], CHECKS["B_l_from_C_lambda"]
    assert stiffness_factor(4000.0, 1.3, 80.0) == pytest.approx(lateral["value"], abs=1e-6)
    assert stiffness_factor(3000.0, 1.65, 61.0) == pytest.approx(track["value"], abs=1e-6)
    assert lateral["value"] == pytest.approx(lateral["printed"], abs=0.05)
    assert track["value"] == pytest.approx(track["printed"], abs=0.05)


def test_peaks_lie_where_the_printed_numbers_put_them():
    slips = np.linspace(0.0, 0.2, 2_000_001)
    lateral, track = (slips[np.argmax(magic_formula(slips, *curve))] for curve in (LATERAL, TRACK))
    assert lateral == pytest.approx(CHECKS["lateral_peak_alpha_rad"], abs=5e-6)
    assert track == pytest.approx(CHECKS["longitudinal_peak_slip"], abs=1e-6)
    assert magic_formula(lateral, *LATERAL) == pytest.approx(80.0, abs=1e-9)
    assert track * 0.39126 == pytest.approx(CHECKS["slip_speed_at_peak_and_cruise_mps"], abs=1e-6)


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 20, 45, 90])
def test_lateral_forces_at_round_angles(degrees):
    force = magic_formula(np.deg2rad(degrees), *LATERAL)
    assert force == pytest.approx(CHECKS["lateral_force_N_at_deg"][str(degrees)], abs=0.006)


def test_at_full_slip_a_track_has_about_the_kinetic_friction():
    full = CHECKS["F_T_lambda_1_N"]
    assert magic_formula(1.0, *TRACK) == pytest.approx(full["without_S_h"], abs=1e-6)
    assert magic_formula(1.0 + SHIFT, *TRACK) == pytest.approx(full["with_S_h_added"], abs=1e-6)
    back = CHECKS["F_T_lambda_minus_1_with_S_h_N"]
    assert magic_formula(-1.0 + SHIFT, *TRACK) == pytest.approx(back, abs=1e-6)
    rest = CHECKS["F_T_lambda_0_with_S_h_N"]
    assert magic_formula(SHIFT, *TRACK) == pytest.approx(rest, abs=1e-6)
    kinetic = 0.15 * MASS * GRAVITY / 2.0  # P3 prints 34.42 N, ours is 34.433 N
    assert kinetic == pytest.approx(CHECKS["mu_m_g_over_2_N"]["value_g_9.81"], abs=1e-4)
    assert CHECKS["mu_m_g_over_2_N"]["printed"] == pytest.approx(kinetic, abs=0.02)


@pytest.mark.parametrize(
    ("key", "B", "shift"),
    [
        ("B_l_fixed_29.8", 29.8, 0.0),
        ("B_l_fixed_29.8_with_S_h", 29.8, SHIFT),
        ("B_l_recomputed", None, 0.0),
        ("B_l_recomputed_with_S_h", None, SHIFT),
    ],
)
def test_a_largest_force_a_little_below_61_n_gives_the_printed_kinetic_force(key, B, shift):
    D = CHECKS["D_l_that_gives_34p42_exactly_N"][key]
    factor = stiffness_factor(3000.0, 1.65, D) if B is None else B
    assert magic_formula(1.0 + shift, factor, 1.65, D, 0.0) == pytest.approx(34.42, abs=1e-5)


def test_friction_and_tilts_at_the_peaks():
    weight = MASS * GRAVITY
    assert 80.0 / weight == pytest.approx(CHECKS["mu_equivalent"]["lateral_peak"], abs=1e-6)
    assert 122.0 / weight == pytest.approx(CHECKS["mu_equivalent"]["longitudinal_peak"], abs=1e-6)
    roll, pitch = np.rad2deg(np.arcsin([80.0 / weight, 122.0 / weight]))
    assert roll == pytest.approx(CHECKS["roll_angle_at_lateral_peak_deg"], abs=1e-5)
    assert pitch == pytest.approx(CHECKS["pitch_angle_at_longitudinal_peak_deg"], abs=1e-5)
    along, across, normal = grade_forces(MASS, np.deg2rad(-2.0), 0.0)
    assert along == pytest.approx(-CHECKS["grade_force_2deg_N"], abs=1e-6)  # climbing: backwards
    assert across == 0.0
    assert normal == pytest.approx(weight * np.cos(np.deg2rad(2.0)))
    slip = 0.5 * CHECKS["grade_force_2deg_N"] / CHECKS["BCD_longitudinal_N"]
    assert slip == pytest.approx(CHECKS["grade_force_2deg_per_track_slip"], abs=1e-5)


def test_right_side_down_pulls_to_the_right():
    _, across, _ = grade_forces(MASS, 0.0, np.deg2rad(2.0))
    assert across == pytest.approx(-CHECKS["grade_force_2deg_N"], abs=1e-6)


def test_the_sprocket_speed_of_cruising_is_that_of_the_treadmill():
    assert pytest.approx(CHECKS["cruise_sprocket_speed_radps"], abs=1e-6) == 0.39126 / 0.0508


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
