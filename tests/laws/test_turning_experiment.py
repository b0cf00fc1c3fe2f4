"""Turning experiments against P2 (Zhou et al. 2022): eqs 13-20, Tables 2, 3, 5 and 6."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.turning_experiment import (
    TurningRun,
    apparent_width,
    apparent_width_range,
    distance_travelled,
    fit_radius_power_law,
    fit_speed_difference,
    is_width_credible,
    path_length_error,
    process_turning_run,
    slippage_ratios,
    standard_lengths,
    start_of_turn,
)
from grouser.laws.turning_geometry import FourWheels, wheel_radii

DATA = Path(__file__).parents[1] / "data" / "zhou2022"
CHECKS = json.loads((DATA / "derived_checks.json").read_text())
TEXT = json.loads((DATA / "text_numbers.json").read_text())
TABLE_5 = np.genfromtxt(DATA / "table5.csv", delimiter=",", names=True)
L, B = 1.23, 1.45
RATIOS = FourWheels(o1=1.026, o2=1.027, i1=1.0175, i2=0.991)


def table_3() -> dict[str, float]:
    with (DATA / "table3.csv").open() as file:
        return {r["quantity"]: float(r["value"]) for r in csv.DictReader(file) if r["value"]}


PRINTED = table_3()
LENGTHS_13 = FourWheels(*(PRINTED[f"L_x{wheel}"] for wheel in FourWheels._fields))


def left_turn(
    radius: float = 30.7228, offset: float = 0.3999, duration: float = 6.62, samples: int = 332
) -> TurningRun:
    """A turn on a perfect circle at a rising speed, whose wheels slip by `RATIOS`."""
    times = np.linspace(10.0, 10.0 + duration, samples)
    speed = 4.0 + 0.1 * (times - times[0])
    yaw = 3.0 + distance_travelled(speed, times) / radius
    outer, inner = speed * (1.0 + B / (2 * radius)), speed * (1.0 - B / (2 * radius))
    return TurningRun(
        times=times,
        speed=speed,
        yaw=np.arctan2(np.sin(yaw), np.cos(yaw)),
        wheel_speeds=FourWheels(
            o1=RATIOS.o1 * outer, o2=RATIOS.o2 * outer, i1=inner / RATIOS.i1, i2=inner / RATIOS.i2
        ),
        leftward_speed=-speed / radius * offset,
    )


def test_a_turn_made_with_known_slippage_gives_it_back():
    result = process_turning_run(left_turn(), L, B)
    distance = 4.0 * 6.62 + 0.05 * 6.62**2
    assert result.radius == pytest.approx(30.7228, rel=1e-9)
    assert result.calculated_width == pytest.approx(B, rel=1e-9)
    assert result.offset == pytest.approx(0.3999, rel=1e-9)
    assert result.yaw_change == pytest.approx(distance / 30.7228, rel=1e-9)
    assert result.duration == pytest.approx(6.62)
    assert result.slippage == pytest.approx(RATIOS, rel=1e-9)
    assert result.wheel_radii == pytest.approx(wheel_radii(30.7228, 0.3999, L, B), rel=1e-9)


def test_speeds_of_a_known_turn_are_its_lengths_over_time():
    result = process_turning_run(left_turn(), L, B)
    mean = 4.0 + 0.05 * 6.62
    outer, inner = mean * (1 + B / 61.4456), mean * (1 - B / 61.4456)
    assert result.standard_speeds == pytest.approx((outer, inner), rel=1e-9)
    assert result.standard_lengths == pytest.approx((6.62 * outer, 6.62 * inner), rel=1e-9)
    assert result.wheel_speeds.o1 == pytest.approx(1.026 * outer, rel=1e-9)
    assert result.wheel_lengths.i2 == pytest.approx(6.62 * inner / 0.991, rel=1e-9)
    assert result.true_difference == pytest.approx(outer - inner, rel=1e-9)
    assert result.apparent_difference == pytest.approx(
        1.0265 * outer - 0.5 * (1 / 1.0175 + 1 / 0.991) * inner, rel=1e-9
    )


def test_slipping_wheels_suggest_a_vehicle_wider_than_it_is():
    result = process_turning_run(left_turn(), L, B)
    least, largest = result.apparent_width
    assert B < least < largest
    yaw = result.yaw_change
    lengths = result.wheel_lengths
    assert least == pytest.approx((lengths.o1 - lengths.i2) / yaw)
    assert largest == pytest.approx((lengths.o2 - lengths.i1) / yaw)


@pytest.mark.parametrize(("power", "ratio"), [(1.25, 1 / 1.25), (0.9, 1 / 0.9)])
def test_calculated_width_tells_a_bent_heading_from_a_circle(power, ratio):
    run = left_turn(samples=2001)
    path = distance_travelled(run.speed, run.times) / 30.0
    bent = process_turning_run(replace(run, yaw=0.9 * (path / path[-1]) ** power), L, B)
    assert bent.calculated_width == pytest.approx(ratio * B, rel=1e-4)


def test_first_and_last_radii_do_not_count():
    run = left_turn(samples=40)
    yaw = np.unwrap(run.yaw)
    disturbed = yaw.copy()
    disturbed[1:6] += 0.01
    disturbed[-5:] += 0.01
    undisturbed = process_turning_run(run, L, B)
    assert process_turning_run(replace(run, yaw=disturbed), L, B).radius == pytest.approx(
        undisturbed.radius
    )
    disturbed[6] += 0.01
    assert process_turning_run(replace(run, yaw=disturbed), L, B).radius != pytest.approx(
        undisturbed.radius
    )


def test_the_turn_is_found_after_a_straight_drive():
    run = left_turn()
    straight = run.times < 12.0
    wheels = FourWheels(*(np.where(straight, run.speed, v) for v in run.wheel_speeds))
    start = start_of_turn(replace(run, wheel_speeds=wheels))
    assert start == run.times[~straight][0]
    turn = run.between(start, 16.0)
    assert (turn.times[0], turn.times[-1]) == (start, run.times[run.times <= 16.0][-1])
    assert process_turning_run(turn, L, B).radius == pytest.approx(30.7228)


def test_a_run_that_turns_from_its_first_sample_starts_there():
    assert start_of_turn(left_turn()) == 10.0


def test_distance_is_the_integral_of_speed():
    times = np.array([0.0, 1.0, 3.0])
    assert distance_travelled(np.array([1.0, 3.0, 1.0]), times).tolist() == [0.0, 2.0, 6.0]


def test_slippage_of_run_13_follows_from_table_3():
    ratios = slippage_ratios(LENGTHS_13, PRINTED["L_xo_t"], PRINTED["L_xi_t"])
    run_13 = TABLE_5[12]
    for name, ratio in ratios._asdict().items():
        assert ratio == pytest.approx(CHECKS["exp13_slippage"][f"sl_{name}"], abs=5e-7)
        assert ratio == pytest.approx(TEXT["slippage_ratios_exp13"][f"sl_{name}"], abs=5e-5)
        assert ratio == pytest.approx(run_13[f"sl_{name}"], abs=5e-5)


def test_mean_speeds_of_run_13_are_lengths_over_the_time_of_the_turn():
    duration = CHECKS["exp13_turn_time_s"]
    for name in ("xo_t", "xi_t", "xo1", "xo2", "xi1"):
        assert PRINTED[f"L_{name}"] / duration == pytest.approx(PRINTED[f"Vbar_{name}"], abs=2e-4)
    difference = PRINTED["Vbar_xo_t"] - PRINTED["Vbar_xi_t"]
    assert difference == pytest.approx(CHECKS["exp13_Ev_t_mps"], abs=5e-7)
    assert difference == pytest.approx(TABLE_5["Ev_t_mps"][12], abs=5e-5)


def test_table_3_holds_three_changes_of_heading_that_differ_by_five_percent():
    yaw = CHECKS["exp13_yaw_change_rad"]
    lengths = PRINTED["L_xo_t"], PRINTED["L_xi_t"]
    assert apparent_width(*lengths, yaw["from_Bc"]) == pytest.approx(PRINTED["B_c"], abs=5e-6)
    radius = PRINTED["R_0"]
    assert standard_lengths(radius, B, yaw["from_eq16_outer"])[0] == pytest.approx(
        lengths[0], abs=5e-5
    )
    assert standard_lengths(radius, B, yaw["from_eq16_inner"])[1] == pytest.approx(
        lengths[1], abs=5e-5
    )
    assert standard_lengths(radius, B, yaw["from_Bc"]) == pytest.approx(lengths, rel=0.05)


def test_equation_16_alone_always_gives_the_true_width():
    assert apparent_width(*standard_lengths(25.0, B, 0.9), 0.9) == pytest.approx(B)


def test_apparent_widths_pair_the_extremes_of_both_sides():
    lengths = FourWheels(o1=31.0, o2=30.0, i1=28.0, i2=29.0)
    assert apparent_width_range(lengths, 0.5) == pytest.approx((2.0, 6.0))


def test_slippage_ratios_of_table_5_are_as_the_text_says():
    for name in ("o1", "o2"):
        assert np.sum(TABLE_5[f"sl_{name}"] > 1.0) == CHECKS[f"count_sl_{name}_above_1"]
    assert np.sum(TABLE_5["sl_i1"] > 1.0) == CHECKS["count_sl_i1_above_1"]
    assert np.sum(TABLE_5["sl_i2"] < 1.0) == CHECKS["count_sl_i2_below_1"]
    wide = TABLE_5[3:]
    for name, spread in TEXT["slip_ratio_spread_exp4_to_26_printed"].items():
        assert np.ptp(wide[f"sl_{name}"]) == pytest.approx(spread, abs=1e-9)


@pytest.mark.parametrize("side", ["outer", "inner"])
def test_largest_front_rear_difference_of_table_5(side):
    wide, checks = TABLE_5[3:], CHECKS["max_front_rear_difference_exp4_to_26"]
    difference = np.abs(wide[f"sl_{side[0]}1"] - wide[f"sl_{side[0]}2"])
    assert np.max(difference) == pytest.approx(checks[side], abs=1e-9)
    assert wide["no"][np.argmax(difference)] == checks[f"{side}_experiment"]


def test_a_right_turn_is_refused():
    run = left_turn()
    with pytest.raises(InvalidValue, match=r"yaw must grow from its start \(a left turn\)"):
        process_turning_run(replace(run, yaw=-run.yaw), L, B)


def test_a_standing_vehicle_is_refused():
    run = left_turn()
    with pytest.raises(InvalidValue, match="speed must be positive in the turn, not 0.0"):
        process_turning_run(replace(run, speed=0.0 * run.speed), L, B)


def test_a_run_too_short_for_its_dropped_ends_is_refused():
    with pytest.raises(InvalidValue, match="times must hold at least 13 samples, not 12"):
        process_turning_run(left_turn(samples=12), L, B)


def test_a_run_that_ends_straight_has_no_turn():
    run = left_turn()
    wheels = FourWheels(*(run.speed for _ in range(4)))
    with pytest.raises(InvalidValue, match=r"wheel_speeds must end 0.0395 m/s faster outside"):
        start_of_turn(replace(run, wheel_speeds=wheels))


def test_columns_that_do_not_match_are_refused():
    run = left_turn()
    wheels = run.wheel_speeds._replace(i1=np.zeros(3))
    with pytest.raises(InvalidValue, match=r"wheel_speeds.i1 must hold 332 samples, not \(3,\)"):
        replace(run, wheel_speeds=wheels)
    with pytest.raises(InvalidValue, match="yaw must be finite everywhere"):
        replace(run, yaw=np.nan * run.yaw)
    with pytest.raises(InvalidValue, match="times must increase"):
        replace(run, times=run.times[::-1])


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


def test_the_line_through_runs_has_the_errors_of_regression():
    # By hand: residuals (1, -2, 1) / 6, so their squares sum to 1 / 6 with 1 degree of freedom.
    line = fit_speed_difference([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    assert (line.intercept, line.slope) == pytest.approx((-1 / 6, 0.5))
    assert (line.r2, line.rmse) == pytest.approx((0.75, np.sqrt(1 / 6)))


def test_equal_true_differences_give_a_level_line():
    line = fit_speed_difference([0.0, 0.1, 0.2], [0.1, 0.1, 0.1])
    assert (line.intercept, line.slope, line.r2) == pytest.approx((0.1, 0.0, 1.0), abs=1e-15)


@pytest.mark.parametrize(
    ("apparent", "true", "message"),
    [
        ([0.1, 0.2], [0.1, 0.2], "apparent must hold at least 3 values, not 2"),
        ([0.1, 0.2, 0.3], [0.1, 0.2], "true must hold as many values as apparent, not 2"),
        ([0.1, 0.1, 0.1], [0.1, 0.2, 0.3], "apparent must take at least two different values"),
        ([0.1, 0.2, 0.3], [0.1, 0.2, np.nan], "true must be finite everywhere, not nan"),
    ],
)
def test_points_without_a_line_raise(apparent, true, message):
    with pytest.raises(InvalidValue, match=message):
        fit_speed_difference(apparent, true)
