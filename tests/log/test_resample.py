"""A log at other times."""

import math

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.geometry import wrap_angle
from grouser.log import Column, Log, Provenance, resample


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


def test_the_provenance_says_that_it_was_resampled():
    provenance = resample(make([0.0, 1.0]), [0.5]).provenance
    assert provenance.robot == "tp100"
    assert provenance.notes == {"a": 1, "resampled": "linearly in time"}


@pytest.mark.parametrize("times", [[-0.1, 0.5], [0.5, 1.1]])
def test_times_outside_the_log_are_refused_unless_asked_for(times):
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
def test_bad_times_are_refused_in_words(time, times, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        resample(make(time), times)


def test_an_unknown_way_outside_is_refused():
    with pytest.raises(InvalidValue, match="outside must be 'refuse' or 'hold', not 'guess'"):
        resample(make([0.0]), [0.0], outside="guess")  # type: ignore[arg-type]
