"""Kinematics by instantaneous centres of rotation, after Martínez et al. 2005 and P1."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import InvalidValue
from grouser.laws.icr import (
    SteeringEfficiency,
    TrackIcrs,
    body_icr,
    friction_direction,
    icr_belt_speeds,
    icr_twist,
    identify_icrs,
)

DATA = Path(__file__).parents[1] / "data"
CHECKS = json.loads((DATA / "tp100" / "kinematics_checks.json").read_text())
ZHOU = json.loads((DATA / "zhou2022" / "derived_checks.json").read_text())
EXAMPLE = CHECKS["icr_example"]
SPEED = st.floats(-2.0, 2.0)
OUTWARD = st.floats(0.1, 2.0)


def test_circular_scenario_of_p1():
    icrs = SteeringEfficiency(EXAMPLE["chi"]).icrs(EXAMPLE["B_m"])
    assert (icrs.left_y, icrs.right_y) == pytest.approx((EXAMPLE["y_l_m"], EXAMPLE["y_r_m"]))
    vx, vy, yaw_rate = icr_twist(EXAMPLE["V_l"], EXAMPLE["V_r"], icrs.left_y, icrs.right_y)
    assert (vx, vy, yaw_rate) == pytest.approx((EXAMPLE["v_x"], EXAMPLE["v_y"], EXAMPLE["omega"]))
    assert body_icr(vx, vy, yaw_rate) == pytest.approx((0.0, EXAMPLE["turn_radius_m"]))


@given(left=SPEED, right=SPEED, left_y=OUTWARD, right_y=OUTWARD, x=SPEED)
def test_belt_speeds_for_a_velocity_give_that_velocity(left, right, left_y, right_y, x):
    vx, _, yaw_rate = icr_twist(left, right, left_y, -right_y, x)
    again = icr_belt_speeds(vx, yaw_rate, left_y, -right_y)
    assert again == pytest.approx((left, right), abs=1e-8)


@given(left=SPEED, right=SPEED, left_y=OUTWARD, right_y=OUTWARD, x=SPEED)
def test_each_belt_would_rest_on_the_ground_at_its_centre(left, right, left_y, right_y, x):
    vx, vy, yaw_rate = icr_twist(left, right, left_y, -right_y, x)
    assert vx - yaw_rate * left_y == pytest.approx(left, abs=1e-8)
    assert vx + yaw_rate * right_y == pytest.approx(right, abs=1e-8)
    assert vy + yaw_rate * x == pytest.approx(0.0, abs=1e-12)


def test_centres_ahead_swing_the_middle_to_the_outside_of_a_left_turn():
    _, vy, yaw_rate = icr_twist(0.1, 0.3, 0.4, -0.4, 0.05)
    assert yaw_rate > 0.0
    assert vy == pytest.approx(-0.05 * 0.25)


def test_equal_belts_drive_straight_without_a_warning():
    vx, vy, yaw_rate = icr_twist(0.2, 0.2 + 5e-10, 0.4, -0.3, 0.05)
    assert vx == pytest.approx(0.2)
    assert (vy, yaw_rate) == (0.0, 0.0)
    assert body_icr(0.2, 0.0, 0.0) == (np.inf, np.inf)


def test_many_robots_at_once_equal_one_by_one():
    left, right = np.array([0.1, 0.2, -0.1]), np.array([0.3, 0.2, 0.1])
    together = np.stack(icr_twist(left, right, 0.4, -0.3, 0.05), axis=-1)
    alone = [icr_twist(*belts, 0.4, -0.3, 0.05) for belts in zip(left, right, strict=True)]
    assert together == pytest.approx(np.array(alone))


def test_symmetric_centres_scale_the_yaw_rate_of_a_differential_drive():
    efficiency = SteeringEfficiency(1.7)
    icrs = efficiency.icrs(0.5)
    vx, _, yaw_rate = icr_twist(0.1, 0.4, icrs.left_y, icrs.right_y)
    assert vx == pytest.approx(0.25)
    assert yaw_rate == pytest.approx(efficiency.eta * 0.3 / 0.5)


def test_an_efficiency_of_one_is_a_differential_drive():
    icrs = SteeringEfficiency(1.0).icrs(0.5)
    assert (icrs.left_y, icrs.right_y) == (0.25, -0.25)


def logged_drive(rng: np.random.Generator, noise: float) -> tuple[np.ndarray, ...]:
    left, right = rng.uniform(-1.0, 1.0, (2, 400))
    twist = icr_twist(left, right, 0.55, -0.35, 0.08)
    return left, right, *(np.asarray(v) + noise * rng.standard_normal(400) for v in twist)


def test_identification_returns_the_centres_that_made_the_log():
    found = identify_icrs(*logged_drive(np.random.default_rng(1), 0.0))
    assert (found.left_y, found.right_y, found.x) == pytest.approx((0.55, -0.35, 0.08))


def test_identification_bears_noise():
    found = identify_icrs(*logged_drive(np.random.default_rng(2), 0.01))
    assert (found.left_y, found.right_y, found.x) == pytest.approx((0.55, -0.35, 0.08), abs=0.01)


def test_one_turning_sample_gives_the_centres_of_that_instant():
    twist = icr_twist(0.1, 0.3, 0.5, -0.3, 0.1)
    found = identify_icrs(0.1, 0.3, *twist)
    assert (found.left_y, found.right_y, found.x) == pytest.approx((0.5, -0.3, 0.1))


def test_a_straight_log_has_no_centres():
    straight = np.full(10, 0.2)
    with pytest.raises(InvalidValue, match="yaw_rate must differ from zero somewhere, not 0.0"):
        identify_icrs(straight, straight, straight, 0.0 * straight, 0.0 * straight)


def test_width_ratio_and_eccentricity_are_those_of_the_centres():
    icrs = TrackIcrs(left_y=0.5, right_y=-0.3)
    assert icrs.width == pytest.approx(0.8)
    assert icrs.width_ratio(0.4) == pytest.approx(2.0)
    assert icrs.eccentricity == pytest.approx(0.25)


@given(chi=st.floats(0.5, 4.0), eccentricity=st.floats(-0.9, 0.9), gauge=OUTWARD)
def test_centres_and_efficiency_say_the_same(chi, eccentricity, gauge):
    icrs = SteeringEfficiency(chi).icrs(gauge, eccentricity, x=0.1)
    assert SteeringEfficiency.from_icrs(icrs, gauge).chi == pytest.approx(chi)
    assert icrs.eccentricity == pytest.approx(eccentricity)
    assert icrs.x == 0.1


def test_efficiency_of_the_tp100():
    efficiency = SteeringEfficiency.from_width(0.2742, 0.16)
    assert efficiency.chi == pytest.approx(CHECKS["L_over_b"], abs=5e-7)
    assert efficiency.eta == pytest.approx(CHECKS["steering_efficiency_b_over_L"], abs=5e-7)


def test_efficiency_of_zhous_vehicle_from_its_apparent_widths():
    table = np.genfromtxt(DATA / "zhou2022" / "table2.csv", delimiter=",", skip_header=1)
    chi = SteeringEfficiency.from_width(table[:, 1:], 1.45).chi
    expected = ZHOU["apparent_width_over_true_width"]
    for value, key in zip(
        np.ravel(chi), ("fig5a_min", "fig5a_max", "fig5b_min", "fig5b_max"), strict=True
    ):
        assert value == pytest.approx(expected[key], abs=5e-7)


@given(x=SPEED, y=SPEED, vx=SPEED, vy=SPEED, yaw_rate=st.floats(0.05, 3.0), left=st.booleans())
def test_friction_is_a_right_angle_to_the_line_from_the_centre(x, y, vx, vy, yaw_rate, left):
    turn = yaw_rate if left else -yaw_rate
    x_icr, y_icr = body_icr(vx, vy, turn)
    distance = np.hypot(x - x_icr, y - y_icr)
    if distance < 1e-6:
        return
    expected = np.sign(turn) * np.array([-(y - y_icr), x - x_icr]) / distance
    assert friction_direction(x, y, vx, vy, turn) == pytest.approx(expected, abs=1e-6)


def test_friction_points_where_the_robot_is_to_go():
    assert friction_direction(0.2, 0.3, 0.5, 0.0, 0.0) == pytest.approx((1.0, 0.0))
    assert friction_direction(0.2, 0.3, -0.5, 0.0, 0.0) == pytest.approx((-1.0, 0.0))
    assert friction_direction(0.0, 0.3, 0.0, 0.0, 1.0) == pytest.approx((-1.0, 0.0))
    assert friction_direction(0.3, 0.0, 0.0, 0.0, 1.0) == pytest.approx((0.0, 1.0))


def test_there_is_no_friction_direction_at_the_centre_itself():
    assert friction_direction(0.0, 0.5, 0.5, 0.0, 1.0) == (0.0, 0.0)


def test_centres_on_the_wrong_sides_are_refused():
    with pytest.raises(InvalidValue, match="left_y must be larger than right_y = 0.3"):
        TrackIcrs(left_y=-0.3, right_y=0.3)


def test_an_efficiency_that_is_not_positive_is_refused():
    with pytest.raises(InvalidValue, match="chi must be positive, not 0.0"):
        SteeringEfficiency(0.0)
