"""Equivalent wheelbase against P0 (Low et al.), eq 7 and Table 2."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import InvalidValue
from grouser.laws.equivalent_wheelbase import equivalent_wheelbase, solve_gamma

DATA = Path(__file__).parents[1] / "data" / "tp100"
CHECKS = json.loads((DATA / "kinematics_checks.json").read_text())
CM = CHECKS["equivalent_wheelbase_cm"]


def table_2() -> dict[str, float]:
    with (DATA / "table2_equivalent_wheelbase.csv").open() as file:
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
