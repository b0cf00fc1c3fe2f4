"""Fits and checks over the 26 runs of P2 (Zhou et al. 2022), Tables 5 and 6."""

import json
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.turning_runs import (
    fit_radius_power_law,
    fit_speed_difference,
    is_width_credible,
    path_length_error,
    path_length_from_coordinates,
)

DATA = Path(__file__).parents[1] / "data" / "zhou2022"
CHECKS = json.loads((DATA / "derived_checks.json").read_text())
TEXT = json.loads((DATA / "text_numbers.json").read_text())
TABLE_5 = np.genfromtxt(DATA / "table5.csv", delimiter=",", names=True)
TABLE_6 = np.genfromtxt(DATA / "table6.csv", delimiter=",", names=True)
WITHOUT_RUN_1 = TABLE_5[1:]
WITHOUT_RUNS_1_TO_3 = TABLE_5[3:]


def test_equation_19_comes_out_when_run_1_is_left_out():
    fit = fit_speed_difference(WITHOUT_RUN_1["Ev_a_mps"], WITHOUT_RUN_1["Ev_t_mps"])
    checks = CHECKS["eq19_refit_dropping_only_experiment_1"]
    assert fit.slope == pytest.approx(checks["slope"], abs=5e-7)
    assert fit.intercept == pytest.approx(checks["intercept_mps"], abs=5e-7)
    assert fit.r2 == pytest.approx(checks["r2"], abs=5e-7)
    assert fit.rmse == pytest.approx(checks["rmse_n_minus_2_mps"], abs=5e-8)
    assert fit.slope == pytest.approx(TEXT["eq19"]["slope"], abs=5e-4)
    assert fit.intercept == pytest.approx(TEXT["eq19"]["intercept_mps"], abs=5e-6)
    intended = CHECKS["statistics_as_intended"]["eq19"]
    assert (fit.rmse, fit.r2) == pytest.approx((intended["rmse"], intended["r2"]), abs=5e-5)


def test_equation_19_does_not_come_out_without_the_runs_the_text_names():
    fit = fit_speed_difference(WITHOUT_RUNS_1_TO_3["Ev_a_mps"], WITHOUT_RUNS_1_TO_3["Ev_t_mps"])
    checks = CHECKS["eq19_refit_dropping_experiments_1_to_3"]
    assert fit.slope == pytest.approx(checks["slope"], abs=5e-7)
    assert fit.intercept == pytest.approx(checks["intercept_mps"], abs=5e-7)
    assert fit.r2 == pytest.approx(checks["r2"], abs=5e-7)
    assert fit.slope != pytest.approx(TEXT["eq19"]["slope"], abs=0.01)


def test_equation_20_comes_out_when_run_1_is_left_out():
    fit = fit_radius_power_law(WITHOUT_RUN_1["Ev_t_mps"], WITHOUT_RUN_1["R0_m"])
    checks = CHECKS["eq20_refit_dropping_only_experiment_1"]
    assert fit.coefficient == pytest.approx(checks["coefficient"], abs=2e-5)
    assert fit.exponent == pytest.approx(checks["exponent"], abs=2e-6)
    assert fit.r2 == pytest.approx(checks["r2"], abs=5e-7)
    assert fit.rmse == pytest.approx(checks["rmse_n_minus_2_m"], abs=5e-7)
    assert fit.coefficient == pytest.approx(TEXT["eq20"]["coefficient"], abs=0.01)
    assert fit.exponent == pytest.approx(TEXT["eq20"]["exponent"], abs=1e-3)
    intended = CHECKS["statistics_as_intended"]["eq20"]
    assert fit.rmse == pytest.approx(intended["rmse"], abs=5e-4)
    assert fit.r2 == pytest.approx(intended["r2"], abs=5e-5)


def test_power_law_fit_returns_the_law_that_made_the_data():
    differences = np.linspace(0.05, 0.8, 12)
    fit = fit_radius_power_law(differences, 7.0 * differences**-1.2)
    assert (fit.coefficient, fit.exponent, fit.r2) == pytest.approx((7.0, -1.2, 1.0))
    assert fit.rmse == pytest.approx(0.0, abs=1e-10)


def test_runs_without_a_credible_width_are_those_that_p2_drops():
    credible = is_width_credible(TABLE_5["Bc_m"], 1.45)
    dropped = TABLE_5["no"][~credible]
    assert dropped.tolist() == TEXT["experiments_dropped_for_Bc_deviation_over_0p1m"]
    kept = TABLE_5[credible]
    assert kept["no"].tolist() == TEXT["experiment_numbers_kept_in_table6"]
    assert len(kept) == TEXT["experiments_table6"]
    for column in ("R0_m", "Bc_m", "Ev_a_mps"):
        assert kept[column].tolist() == TABLE_6[column].tolist()


@pytest.mark.parametrize(
    ("latitude_deg", "north_m", "east_m"),
    # Lengths of one degree on WGS 84, in public tables of latitude and longitude.
    [(0.0, 110_574.0, 111_320.0), (45.0, 111_132.0, 78_847.0), (60.0, 111_412.0, 55_800.0)],
)
def test_a_degree_has_its_tabulated_length(latitude_deg, north_m, east_m):
    half = np.deg2rad(0.5)
    latitude = np.deg2rad(latitude_deg)
    north = path_length_from_coordinates(
        np.array([latitude - half, latitude + half]), np.array([0.3, 0.3])
    )
    east = path_length_from_coordinates(np.array([latitude, latitude]), np.array([-half, half]))
    assert north == pytest.approx(north_m, abs=1.0)
    assert east == pytest.approx(east_m, abs=1.0)


def test_an_eighth_of_a_meridian_has_its_tabulated_length():
    latitude = np.deg2rad(np.linspace(0.0, 45.0, 1001))
    length = path_length_from_coordinates(latitude, np.zeros(1001))
    assert length == pytest.approx(4_984_944.378, abs=1.0)


def test_a_path_across_the_date_line_is_short():
    length = path_length_from_coordinates(np.zeros(2), np.deg2rad(np.array([179.9999, -179.9999])))
    assert length == pytest.approx(22.26, abs=0.01)


def test_a_circle_driven_on_the_ground_has_the_length_of_its_speed():
    # Radius of 30 m around a point at 39.9 degrees north; metres per radian there by hand.
    latitude = np.deg2rad(39.9)
    meridian, parallel = 6_361_750.0, 6_386_936.0 * np.cos(latitude)
    angle = np.linspace(0.0, 1.0, 500)
    length = path_length_from_coordinates(
        latitude + 30.0 * np.sin(angle) / meridian, 2.0 + 30.0 * np.cos(angle) / parallel
    )
    assert length == pytest.approx(30.0, rel=1e-4)


def test_path_length_error_of_run_13():
    error = path_length_error(
        TEXT["trajectory_length_u_m_printed"], TEXT["trajectory_length_latlon_m_probable"]
    )
    assert 100.0 * error == pytest.approx(TABLE_5["E_percent"][12], abs=2e-4)


@pytest.mark.parametrize(
    ("differences", "radii", "message"),
    [
        ([0.1, 0.2, -0.3], [30.0, 20.0, 10.0], "true_differences must be positive"),
        ([0.1, 0.2, 0.3], [30.0, 20.0, 0.0], "radii must be positive everywhere, not 0.0"),
        ([0.1, 0.2], [30.0, 20.0], "true_differences must hold at least 3 values, not 2"),
        ([0.1, 0.1, 0.1], [3.0, 2.0, 1.0], "true_differences must take at least two"),
    ],
)
def test_runs_that_cannot_be_fitted_are_refused(differences, radii, message):
    with pytest.raises(InvalidValue, match=message):
        fit_radius_power_law(differences, radii)
