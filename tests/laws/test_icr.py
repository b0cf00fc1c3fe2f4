"""Centres of rotation (Martínez et al. 2005, P1) and equivalent wheelbase (P0, eq 7, Table 2)."""

import csv
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
    equivalent_wheelbase,
    icr_twist,
    solve_gamma,
)

DATA = Path(__file__).parents[1] / "data"
CHECKS = json.loads((DATA / "tp100" / "kinematics_checks.json").read_text())
EXAMPLE = CHECKS["icr_example"]
SPEED = st.floats(-2.0, 2.0)
OUTWARD = st.floats(0.1, 2.0)


def test_circular_scenario_of_p1():
    icrs = SteeringEfficiency(EXAMPLE["chi"]).icrs(EXAMPLE["B_m"])
    assert (icrs.left_y, icrs.right_y) == pytest.approx((EXAMPLE["y_l_m"], EXAMPLE["y_r_m"]))
    vx, vy, yaw_rate = icr_twist(EXAMPLE["V_l"], EXAMPLE["V_r"], icrs.left_y, icrs.right_y)
    assert (vx, vy, yaw_rate) == pytest.approx((EXAMPLE["v_x"], EXAMPLE["v_y"], EXAMPLE["omega"]))
    assert vx / yaw_rate == pytest.approx(EXAMPLE["turn_radius_m"])


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


def test_efficiency_of_the_tp100():
    efficiency = SteeringEfficiency(0.2742 / 0.16)
    assert efficiency.chi == pytest.approx(CHECKS["L_over_b"], abs=5e-7)
    assert efficiency.eta == pytest.approx(CHECKS["steering_efficiency_b_over_L"], abs=5e-7)
    assert efficiency.effective_width(0.16) == pytest.approx(0.2742)


def test_an_efficiency_of_one_is_a_differential_drive():
    icrs = SteeringEfficiency(1.0).icrs(0.5)
    assert (icrs.left_y, icrs.right_y) == (0.25, -0.25)


def test_width_ratio_and_eccentricity_are_those_of_the_centres():
    icrs = TrackIcrs(left_y=0.5, right_y=-0.3)
    assert icrs.width == pytest.approx(0.8)
    assert icrs.width_ratio(0.4) == pytest.approx(2.0)
    assert icrs.eccentricity == pytest.approx(0.25)


@given(chi=st.floats(0.5, 4.0), eccentricity=st.floats(-0.9, 0.9), gauge=OUTWARD)
def test_centres_and_efficiency_say_the_same(chi, eccentricity, gauge):
    icrs = SteeringEfficiency(chi).icrs(gauge, eccentricity, x=0.1)
    assert icrs.width_ratio(gauge) == pytest.approx(chi)
    assert icrs.eccentricity == pytest.approx(eccentricity)
    assert icrs.x == 0.1


def test_centres_on_the_wrong_sides_are_refused():
    with pytest.raises(InvalidValue, match="left_y must be larger than right_y = 0.3"):
        TrackIcrs(left_y=-0.3, right_y=0.3)


def test_an_efficiency_that_is_not_positive_is_refused():
    with pytest.raises(InvalidValue, match="chi must be positive, not 0.0"):
        SteeringEfficiency(0.0)


CM = CHECKS["equivalent_wheelbase_cm"]


def table_2() -> dict[str, float]:
    with (DATA / "tp100" / "table2_equivalent_wheelbase.csv").open() as file:
        return {row["symbol"]: float(row["value"]) / 100.0 for row in csv.DictReader(file)}


PRINTED = table_2()
SHAPE = (PRINTED["a"], PRINTED["b"], PRINTED["delta_x"], PRINTED["delta_y"])


@pytest.mark.parametrize(("gamma", "key"), [(0.0, "gamma_0"), (1.0, "gamma_1")])
def test_gamma_gives_the_checked_wheelbase(gamma, key):
    assert equivalent_wheelbase(*SHAPE, gamma) == pytest.approx(CM[key] / 100.0, abs=5e-9)


def test_without_offsets_only_the_geometry_counts():
    a, b = SHAPE[:2]
    expected = pytest.approx(CM["zero_offsets_(a2+b2)/b"] / 100.0, abs=5e-9)
    assert equivalent_wheelbase(a, b, 0.0, 0.0, 3.0) == expected
    assert (a**2 + b**2) / b == expected


def test_printed_wheelbase_needs_a_gamma_of_about_eight():
    assert solve_gamma(PRINTED["L"], *SHAPE) == pytest.approx(CM["gamma_solution"], abs=5e-7)
    assert equivalent_wheelbase(*SHAPE, CM["gamma_solution"]) == pytest.approx(0.2742, abs=1e-9)


def test_rounding_of_the_printed_wheelbase_leaves_an_interval_of_gamma():
    interval = [solve_gamma(wheelbase, *SHAPE) for wheelbase in (0.27415, 0.27425)]
    assert interval == pytest.approx(CM["gamma_interval_for_27p42_rounding"], abs=5e-7)


def test_the_far_root_also_solves_the_equation_and_is_rejected():
    other = CM["second_root_gamma_rejected"]
    assert equivalent_wheelbase(*SHAPE, other) == pytest.approx(0.2742, abs=1e-8)
    assert solve_gamma(0.2742, *SHAPE) != pytest.approx(other)


def test_wheelbase_is_least_where_half_width_equals_half_length():
    a, _, dx, _ = SHAPE
    half_length = a / 2 - dx
    half_widths = half_length * np.linspace(0.5, 2.0, 31)
    wheelbases = equivalent_wheelbase(a, 2 * half_widths, dx, 0.0, 0.0)
    least = half_widths[np.argmin(wheelbases)]
    assert least == pytest.approx(half_length)
    assert np.min(wheelbases) == pytest.approx(4 * half_length)
    assert np.min(wheelbases) == pytest.approx(0.25904, abs=5e-6)


@given(gamma=st.floats(-5.0, 20.0))
def test_solving_undoes_the_equation_on_the_near_branch(gamma):
    assert solve_gamma(equivalent_wheelbase(*SHAPE, gamma), *SHAPE) == pytest.approx(
        gamma, abs=1e-6
    )


@given(gamma=st.floats(-5.0, 5.0))
def test_solving_undoes_the_equation_for_a_robot_longer_than_wide(gamma):
    long = (0.3, 0.1, 0.002, -0.001)
    assert solve_gamma(equivalent_wheelbase(*long, gamma), *long) == pytest.approx(gamma, abs=1e-6)


def test_published_ratio_to_the_true_width():
    assert PRINTED["L"] / PRINTED["b"] == pytest.approx(CHECKS["L_over_b"], abs=5e-6)


def test_a_wheelbase_below_the_least_possible_is_refused():
    with pytest.raises(InvalidValue, match=r"wheelbase must be at least 0\.25904 m, not 0\.25"):
        solve_gamma(0.25, *SHAPE)


def test_gamma_without_effect_is_refused():
    with pytest.raises(InvalidValue, match="offset_y must differ from zero"):
        solve_gamma(0.2742, 0.133, 0.16, 0.00174, 0.0)


def test_gamma_that_leaves_no_width_is_refused():
    with pytest.raises(InvalidValue, match="gamma must keep"):
        equivalent_wheelbase(*SHAPE, -60.0)
