"""Resampling of logs, and errors of a log against a reference."""

import json
import math

import numpy as np
import pytest

from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import wrap_angle
from grouser.log import Column, Log, Provenance, compare, resample


def make(time: list[float], **columns: tuple[list[float], str]) -> Log:
    return Log(
        {
            "time": Column(np.array(time), "s"),
            **{name: Column(np.array(values), unit) for name, (values, unit) in columns.items()},
        },
        Provenance(robot="tp100", notes={"a": 1}),
    )


def test_values_lie_on_the_line_between_rows():
    log = make([0.0, 1.0, 3.0], x=([0.0, 2.0, -2.0], "m"))
    again = resample(log, [0.25, 1.0, 2.5])
    assert again.time.tolist() == [0.25, 1.0, 2.5]
    assert again["x"].tolist() == [0.5, 2.0, -1.0]
    assert again.unit("x") == "m"


def test_its_own_times_give_the_same_numbers():
    time = np.cumsum(np.linspace(0.1, 0.3, 20))
    log = make(time.tolist(), x=(np.sin(time).tolist(), "m"))
    assert resample(log, log.time).columns == log.columns


@pytest.mark.parametrize("name", ["yaw", "roll", "yaw_reference", "camera.yaw", "pitch"])
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_attitudes_pass_the_half_turn_the_short_way(name, direction):
    # 170 deg to 190 deg, which a wrapped log writes as -170 deg.
    angles = [math.radians(direction * 170.0), math.radians(-direction * 170.0)]
    log = make([0.0, 1.0], **{name: (angles, "rad")})
    halfway = resample(log, [0.25, 0.5])[name]
    assert halfway == pytest.approx(np.radians([direction * 175.0, direction * 180.0]))


def test_a_robot_that_turns_on_stays_on_its_way():
    yaw = np.linspace(0.0, 20.0, 60)
    log = make(yaw.tolist(), yaw=(np.asarray(wrap_angle(yaw)).tolist(), "rad"))
    times = np.linspace(0.0, 20.0, 333)
    assert resample(log, times)["yaw"] == pytest.approx(times)


def test_only_attitudes_are_unwrapped():
    angles = ([0.0, 4.0], "rad")
    log = make([0.0, 1.0], **{"encoder.left": angles, "yaw_rate": ([0.0, 4.0], "rad/s")})
    again = resample(log, [0.5])
    assert again["encoder.left"].tolist() == [2.0]
    assert again["yaw_rate"].tolist() == [2.0]


def test_a_gap_stays_a_gap_and_spoils_nothing_else():
    log = make([0.0, 1.0, 2.0, 3.0, 4.0], yaw=([3.0, 3.1, np.nan, -3.1, -3.0], "rad"))
    yaw = resample(log, [0.5, 1.0, 1.5, 2.5, 3.0, 3.5])["yaw"]
    turn = 2.0 * math.pi
    expected = [3.05, 3.1, np.nan, np.nan, turn - 3.1, turn - 3.05]
    assert yaw == pytest.approx(expected, nan_ok=True)


def test_phases_are_held_and_ticks_left_out():
    log = make([0.0, 1.0, 2.0], phase=([0.0, 1.0, 3.0], "1"), tick=([0.0, 1.0, 2.0], "1"))
    again = resample(log, [-1.0, 0.9, 1.0, 1.9, 2.0, 3.0], outside="hold")
    assert again["phase"].tolist() == [0.0, 0.0, 1.0, 1.0, 3.0, 3.0]
    assert "tick" not in again


def test_the_provenance_notes_the_resampling():
    provenance = resample(make([0.0, 1.0]), [0.5]).provenance
    assert provenance.robot == "tp100"
    assert provenance.notes == {"a": 1, "resampled": "linearly in time"}


@pytest.mark.parametrize("times", [[-0.1, 0.5], [0.5, 1.1]])
def test_times_outside_the_log_raise_an_error_unless_held(times):
    log = make([0.0, 1.0], x=([2.0, 3.0], "m"))
    with pytest.raises(InvalidValue, match=r"times must lie within the log, 0 to 1 s \(outside='h"):
        resample(log, times)
    expected = [2.0, 2.5] if times[0] < 0.0 else [2.5, 3.0]
    assert resample(log, times, outside="hold")["x"].tolist() == expected


def test_no_times_give_no_rows():
    assert len(resample(make([0.0, 1.0], phase=([0.0, 1.0], "1")), [])) == 0


@pytest.mark.parametrize(
    ("time", "times", "sentence"),
    [
        ([0.0, 1.0, 1.0], [0.5], "time of the log must increase from row to row, not '1 s and the"),
        ([0.0, 1.0], [0.5, 0.4], "times must increase from row to row, not '0.5 s and then 0.4 s'"),
        ([0.0, np.nan], [0.5], "time of the log must be finite, not nan"),
        ([0.0, 1.0], [np.nan], "times must be finite, not nan"),
        ([0.0, 1.0], [[0.5]], "times must be a list of numbers"),
        ([], [], "a log to resample must have at least one row"),
    ],
)
def test_bad_times_raise_an_error(time, times, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        resample(make(time), times)


def test_an_unknown_value_of_outside_raises_an_error():
    with pytest.raises(InvalidValue, match="outside must be 'refuse' or 'hold', not 'guess'"):
        resample(make([0.0]), [0.0], outside="guess")  # type: ignore[arg-type]


def make_poses(time: list[float], x: list[float], y: list[float], yaw: list[float]) -> Log:
    units = {"time": "s", "x": "m", "y": "m", "yaw": "rad"}
    values = {"time": time, "x": x, "y": y, "yaw": yaw}
    return Log({name: Column(np.array(values[name]), unit) for name, unit in units.items()})


STRAIGHT = make_poses([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
OFF = make_poses([0.0, 1.0, 2.0], [0.3, 1.0, 1.4], [0.4, 0.0, -0.8], [0.1, -0.2, 0.0])


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
    comparison = compare(
        STRAIGHT, make_poses([0.0, 1.0, 2.0], [0.0, 4.0, 2.5], [0.0] * 3, [0.0] * 3)
    )
    assert comparison.position.max == pytest.approx(3.0)
    assert comparison.position.final == pytest.approx(0.5)


def test_the_reference_is_interpolated_to_the_times_of_the_log():
    log = make_poses([0.0, 0.5, 1.5], [0.0, 0.5, 1.5], [0.0] * 3, [0.0] * 3)
    assert compare(log, STRAIGHT).x_error == pytest.approx([0.0, 0.0, 0.0])
    faster = make_poses([0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0] * 3, [0.0] * 3)
    assert compare(log, faster).x_error == pytest.approx([0.0, -0.5, -1.5])


def test_only_the_common_time_counts():
    log = make_poses([0.5, 1.5, 2.5], [0.5, 1.5, 99.0], [0.0] * 3, [0.0] * 3)
    comparison = compare(log, STRAIGHT)
    assert comparison.time.tolist() == [0.5, 1.5]
    assert comparison.duration == 1.0
    assert comparison.position.max == 0.0
    assert comparison.left_out == 0
    assert compare(STRAIGHT, log).time.tolist() == [1.0, 2.0]


def test_yaw_is_compared_the_short_way_round():
    log = make_poses([0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [math.radians(179.0), math.radians(725.0)])
    reference = make_poses(
        [0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [math.radians(-179.0), math.radians(1.0)]
    )
    comparison = compare(log, reference)
    assert comparison.yaw_error == pytest.approx(np.radians([-2.0, 4.0]))
    assert comparison.mse_yaw == pytest.approx(math.radians(1.0) ** 2 * (4.0 + 16.0) / 2.0)
    assert comparison.yaw.max == pytest.approx(math.radians(4.0))


def test_a_wrapped_reference_is_interpolated_across_the_half_turn():
    log = make_poses(
        [0.0, 0.5, 1.0], [0.0] * 3, [0.0] * 3, np.radians([170.0, 180.0, 190.0]).tolist()
    )
    reference = make_poses([0.0, 1.0], [0.0] * 2, [0.0] * 2, np.radians([170.0, -170.0]).tolist())
    assert compare(log, reference).yaw.max == pytest.approx(0.0, abs=1e-12)


def test_a_gap_in_the_reference_is_left_out_and_counted():
    gap = make_poses([0.0, 1.0, 2.0], [0.0, np.nan, 2.0], [0.0] * 3, [0.0] * 3)
    comparison = compare(OFF, gap)
    assert comparison.time.tolist() == [0.0, 2.0]
    assert comparison.left_out == 1
    assert comparison.position.mean == pytest.approx(0.75)


def test_a_log_that_is_not_finite_raises_an_error():
    broken = make_poses([0.0, 1.0, 2.0], [0.0, 1.0, np.nan], [0.0] * 3, [0.0] * 3)
    with pytest.raises(
        InvalidValue, match="column 'x' of a log to compare must be finite, not 'na"
    ):
        compare(broken, STRAIGHT)


def test_logs_without_common_time_raise_an_error():
    late = make_poses([5.0, 6.0], [0.0] * 2, [0.0] * 2, [0.0] * 2)
    sentence = "time of the reference must overlap with that of the log, 0 to 2 s, not '5 to 6 s'"
    with pytest.raises(InvalidValue, match=sentence):
        compare(STRAIGHT, late)
    between = make_poses([0.2, 0.8], [0.0] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(InvalidValue, match=r"must have a row from 0\.2 to 0\.8 s"):
        compare(STRAIGHT, between)


def test_a_reference_of_nan_raises_an_error():
    blind = make_poses([0.0, 2.0], [np.nan] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(InvalidValue, match="reference must be known at some time of the log"):
        compare(STRAIGHT, blind)


def test_an_empty_log_raises_an_error():
    with pytest.raises(InvalidValue, match="a log to compare must have at least one row"):
        compare(make_poses([], [], [], []), STRAIGHT)


def test_a_missing_column_is_named():
    without = Log({name: STRAIGHT.columns[name] for name in ("time", "x", "y")})
    with pytest.raises(UnknownName, match="no column named 'yaw'"):
        compare(STRAIGHT, without)


def test_errors_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        compare(OFF, STRAIGHT).x_error[0] = 0.0
