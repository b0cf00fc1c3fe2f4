"""Slip on slopes, P0 (Low et al.): a linear law whose measured values were never printed."""

import csv
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.slip_odometry import slip_twist
from grouser.laws.slope_slip import (
    DEFAULT_COEFFICIENT,
    fit_slope_slip,
    friction_to_hold,
    slope_slip,
    speed_on_slope,
)

DATA = Path(__file__).parents[1] / "data" / "tp100"


def published_slopes() -> tuple[np.ndarray, np.ndarray]:
    with (DATA / "slip_vs_slope.csv").open() as file:
        rows = list(csv.DictReader(file))
    slips = [float(row["slip_left"] or "nan") for row in rows]
    return np.deg2rad([float(row["slope_deg"]) for row in rows]), np.array(slips)


def test_default_is_half_a_percent_per_degree():
    assert pytest.approx(0.2865, abs=5e-5) == DEFAULT_COEFFICIENT
    assert slope_slip(0.1, DEFAULT_COEFFICIENT, np.deg2rad(10.0)) == pytest.approx(0.15)


def test_slip_grows_uphill_and_shrinks_downhill():
    slopes = np.deg2rad([-28.0, 0.0, 28.0])
    slips = slope_slip(0.1188, DEFAULT_COEFFICIENT, slopes)
    assert slips == pytest.approx([0.1188 - 0.14, 0.1188, 0.1188 + 0.14])


def test_slip_is_kept_between_its_limits():
    assert slope_slip(0.1, 5.0, np.array([-1.0, 1.0])) == pytest.approx([-0.5, 0.95])


def test_fit_returns_the_law_that_made_the_data():
    slopes, _ = published_slopes()
    fit = fit_slope_slip(slopes, slope_slip(0.12, 0.4, slopes))
    assert (fit.alpha_flat, fit.coefficient, fit.r2) == pytest.approx((0.12, 0.4, 1.0))
    assert (fit.alpha_flat_error, fit.coefficient_error) == pytest.approx((0.0, 0.0), abs=1e-14)


def test_fit_gives_the_standard_errors_of_regression():
    # By hand: residuals (1, -2, 1) / 6, so their squares sum to 1 / 6 with 1 degree of freedom.
    fit = fit_slope_slip([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    assert (fit.alpha_flat, fit.coefficient) == pytest.approx((-1 / 6, 0.5))
    assert fit.r2 == pytest.approx(0.75)
    assert fit.coefficient_error == pytest.approx(np.sqrt(1 / 12))
    assert fit.alpha_flat_error == pytest.approx(np.sqrt(5 / 36))


def test_fit_of_equal_slips_is_a_level_line():
    fit = fit_slope_slip([0.0, 0.1, 0.2], [0.1, 0.1, 0.1])
    assert (fit.alpha_flat, fit.coefficient, fit.r2) == pytest.approx((0.1, 0.0, 1.0), abs=1e-15)


def test_the_unpublished_values_are_refused_and_not_guessed():
    with pytest.raises(InvalidValue, match="slips must be finite everywhere, not nan"):
        fit_slope_slip(*published_slopes())


@pytest.mark.parametrize(
    ("slopes", "slips", "message"),
    [
        ([0.1, 0.2], [0.1, 0.2], "slopes must hold at least 3 values, not 2"),
        ([0.1, 0.2, 0.3], [0.1, 0.2], "slips must hold as many values as slopes, not 2"),
        ([0.1, 0.1, 0.1], [0.1, 0.2, 0.3], "slopes must take at least two different values"),
    ],
)
def test_measurements_that_cannot_be_fitted_are_refused(slopes, slips, message):
    with pytest.raises(InvalidValue, match=message):
        fit_slope_slip(slopes, slips)


def test_a_ramp_of_28_degrees_splits_the_speed():
    vx, _, _ = slip_twist(0.1, 0.1, 0.1, 0.1188, 0.0, 0.2742)
    horizontal, upward = speed_on_slope(vx, np.deg2rad(28.0))
    assert horizontal == pytest.approx(0.078635, abs=5e-7)
    assert upward == pytest.approx(0.041811, abs=5e-7)


def test_downhill_the_robot_sinks():
    assert speed_on_slope(1.0, -0.5)[1] == pytest.approx(-np.sin(0.5))


def test_holding_on_28_degrees_needs_a_friction_of_053():
    assert friction_to_hold(np.deg2rad(28.0)) == pytest.approx(0.5317, abs=5e-5)
    assert friction_to_hold(np.deg2rad(-28.0)) == pytest.approx(0.5317, abs=5e-5)
