"""Two logs of the same drive, and how far they are apart."""

import json
import math

import numpy as np
import pytest

from grouser.errors import InvalidValue, UnknownName
from grouser.log import Column, Log, compare


def make(time: list[float], x: list[float], y: list[float], yaw: list[float]) -> Log:
    units = {"time": "s", "x": "m", "y": "m", "yaw": "rad"}
    values = {"time": time, "x": x, "y": y, "yaw": yaw}
    return Log({name: Column(np.array(values[name]), unit) for name, unit in units.items()})


STRAIGHT = make([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
OFF = make([0.0, 1.0, 2.0], [0.3, 1.0, 1.4], [0.4, 0.0, -0.8], [0.1, -0.2, 0.0])


def test_numbers_by_hand():
    comparison = compare(OFF, STRAIGHT)
    # errors: x 0.3, 0, -0.6; y 0.4, 0, -0.8; distance 0.5, 0, 1.0; yaw 0.1, -0.2, 0.
    assert comparison.x_error == pytest.approx([0.3, 0.0, -0.6])
    assert comparison.y_error == pytest.approx([0.4, 0.0, -0.8])
    assert comparison.position_error == pytest.approx([0.5, 0.0, 1.0])
    assert comparison.yaw_error == pytest.approx([0.1, -0.2, 0.0])
    assert comparison.to_dict() == pytest.approx(
        {
            "position_error_max_m": 1.0,
            "position_error_mean_m": 0.5,
            "position_error_rms_m": math.sqrt(1.25 / 3.0),
            "position_error_final_m": 1.0,
            "yaw_error_max_rad": 0.2,
            "yaw_error_mean_rad": 0.1,
            "yaw_error_rms_rad": math.sqrt(0.05 / 3.0),
            "yaw_error_final_rad": 0.0,
            "mse_x_m2": 0.15,
            "mse_y_m2": 0.8 / 3.0,
            "mse_yaw_rad2": 0.05 / 3.0,
            "rmse_x_m": math.sqrt(0.15),
            "rmse_y_m": math.sqrt(0.8 / 3.0),
            "rmse_yaw_rad": math.sqrt(0.05 / 3.0),
            "common_duration_s": 2.0,
            "samples": 3,
            "samples_left_out": 0,
        }
    )
    assert json.loads(json.dumps(comparison.to_dict())) == comparison.to_dict()


def test_a_log_does_not_differ_from_itself():
    comparison = compare(OFF, OFF)
    assert comparison.position.max == 0.0
    assert comparison.mse_yaw == 0.0


def test_the_final_error_need_not_be_the_largest():
    comparison = compare(STRAIGHT, make([0.0, 1.0, 2.0], [0.0, 4.0, 2.5], [0.0] * 3, [0.0] * 3))
    assert comparison.position.max == pytest.approx(3.0)
    assert comparison.position.final == pytest.approx(0.5)


def test_the_reference_is_interpolated_to_the_times_of_the_log():
    log = make([0.0, 0.5, 1.5], [0.0, 0.5, 1.5], [0.0] * 3, [0.0] * 3)
    assert compare(log, STRAIGHT).x_error == pytest.approx([0.0, 0.0, 0.0])
    faster = make([0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0] * 3, [0.0] * 3)
    assert compare(log, faster).x_error == pytest.approx([0.0, -0.5, -1.5])


def test_only_the_common_time_counts():
    log = make([0.5, 1.5, 2.5], [0.5, 1.5, 99.0], [0.0] * 3, [0.0] * 3)
    comparison = compare(log, STRAIGHT)
    assert comparison.time.tolist() == [0.5, 1.5]
    assert comparison.duration == 1.0
    assert comparison.position.max == 0.0
    assert comparison.left_out == 0
    assert compare(STRAIGHT, log).time.tolist() == [1.0, 2.0]


def test_yaw_is_compared_the_short_way_round():
    log = make([0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [math.radians(179.0), math.radians(725.0)])
    reference = make([0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [math.radians(-179.0), math.radians(1.0)])
    comparison = compare(log, reference)
    assert comparison.yaw_error == pytest.approx(np.radians([-2.0, 4.0]))
    assert comparison.mse_yaw == pytest.approx(math.radians(1.0) ** 2 * (4.0 + 16.0) / 2.0)
    assert comparison.yaw.max == pytest.approx(math.radians(4.0))


def test_a_wrapped_reference_is_interpolated_across_the_half_turn():
    log = make([0.0, 0.5, 1.0], [0.0] * 3, [0.0] * 3, np.radians([170.0, 180.0, 190.0]).tolist())
    reference = make([0.0, 1.0], [0.0] * 2, [0.0] * 2, np.radians([170.0, -170.0]).tolist())
    assert compare(log, reference).yaw.max == pytest.approx(0.0, abs=1e-12)


def test_a_gap_in_the_reference_is_left_out_and_counted():
    gap = make([0.0, 1.0, 2.0], [0.0, np.nan, 2.0], [0.0] * 3, [0.0] * 3)
    comparison = compare(OFF, gap)
    assert comparison.time.tolist() == [0.0, 2.0]
    assert comparison.left_out == 1
    assert comparison.position.mean == pytest.approx(0.75)


def test_a_log_that_is_not_finite_is_refused():
    broken = make([0.0, 1.0, 2.0], [0.0, 1.0, np.nan], [0.0] * 3, [0.0] * 3)
    with pytest.raises(
        InvalidValue, match="column 'x' of a log to compare must be finite, not 'na"
    ):
        compare(broken, STRAIGHT)


def test_logs_that_do_not_meet_are_refused():
    late = make([5.0, 6.0], [0.0] * 2, [0.0] * 2, [0.0] * 2)
    sentence = "time of the reference must overlap with that of the log, 0 to 2 s, not '5 to 6 s'"
    with pytest.raises(InvalidValue, match=sentence):
        compare(STRAIGHT, late)
    between = make([0.2, 0.8], [0.0] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(InvalidValue, match=r"must have a row from 0\.2 to 0\.8 s"):
        compare(STRAIGHT, between)


def test_a_reference_that_is_nowhere_known_is_refused():
    blind = make([0.0, 2.0], [np.nan] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(InvalidValue, match="reference must be known at some time of the log"):
        compare(STRAIGHT, blind)


def test_an_empty_log_is_refused():
    with pytest.raises(InvalidValue, match="a log to compare must have at least one row"):
        compare(make([], [], [], []), STRAIGHT)


def test_a_missing_column_is_named():
    without = Log({name: STRAIGHT.columns[name] for name in ("time", "x", "y")})
    with pytest.raises(UnknownName, match="no column named 'yaw'"):
        compare(STRAIGHT, without)


def test_errors_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        compare(OFF, STRAIGHT).x_error[0] = 0.0
