from dataclasses import replace

import numpy as np
import pytest

from grouser.description import parse_course
from grouser.errors import InvalidValue
from grouser.log import Column, Log, compare
from grouser.report import (
    Metric,
    find_divergences,
    measure_blocks,
    measure_difference,
    measure_run,
    thin_run,
)
from tests.report.conftest import FLAT, make_log


def values(metrics) -> dict[str, float | None]:
    return {metric.name: metric.value for metric in metrics}


def test_numbers_of_a_tiny_run_are_those_worked_out_by_hand(course):
    numbers = values(measure_run(make_log(y=0.1), course))
    assert numbers["duration"] == 4.0
    assert numbers["distance driven"] == pytest.approx(1.0 + 2.0 * 1.25**0.5)
    assert (numbers["final x"], numbers["final y"], numbers["final z"]) == (3.0, 0.1, 0.0)
    assert numbers["final yaw"] == -np.pi / 2
    assert numbers["mean cross-track error"] == pytest.approx(0.1)
    assert numbers["largest cross-track error"] == pytest.approx(0.1)
    assert numbers["final distance to the end of the path"] == pytest.approx(1.01**0.5)
    assert numbers["largest |pitch|"] == 0.3
    assert numbers["largest belt speed"] == 1.2


def test_slip_of_a_standing_belt_and_unknown_slip_do_not_count():
    numbers = values(measure_run(make_log()))
    assert numbers["mean slip left"] == pytest.approx(0.2)  # rows where the belt moved
    assert numbers["mean slip right"] == pytest.approx(0.2)  # no belt speed: all known rows


def test_course_comes_from_the_log_itself_if_none_is_given(run):
    assert values(measure_run(run))["mean cross-track error"] == pytest.approx(0.1)


def test_given_course_counts_more_than_that_of_the_log(run):
    elsewhere = parse_course(FLAT.replace("name", "start.y_m = 0.3\nname", 1), "elsewhere")
    assert values(measure_run(run, elsewhere))["mean cross-track error"] == pytest.approx(0.2)


def test_log_of_a_clock_alone_has_only_a_duration():
    log = Log({"time": Column(np.array([1.0, 3.0]), "s")})
    assert measure_run(log) == (Metric("duration", 2.0, "s"),)


def test_rows_that_are_not_finite_do_not_count(course):
    log = make_log(y=0.1)
    broken = log.with_columns({"x": Column(np.array([0.0, 1.0, 2.0, np.inf]), "m")})
    assert values(measure_run(broken, course))["final x"] == 2.0
    assert values(measure_difference(broken, log))["largest gap to the reference run"] == 0.0


def test_runs_part_when_their_gap_first_exceeds_a_threshold():
    # Apart by 0, 0, 0.03 and 0.06 m at 0, 1, 2 and 4 s.
    numbers = values(measure_difference(make_log(offset=0.03), make_log(), (0.01, 0.03, 0.05, 1.0)))
    assert numbers["diverged by 1 cm at"] == 2.0
    assert numbers["diverged by 5 cm at"] == 4.0
    assert numbers["diverged by 100 cm at"] is None
    assert numbers["largest gap to the reference run"] == pytest.approx(0.06)
    assert numbers["mean gap to the reference run"] == pytest.approx(0.09 / 4)
    assert numbers["rms difference of yaw"] == 0.0


def test_default_thresholds_are_one_and_five_centimetres():
    comparison = compare(make_log(offset=0.03), make_log())
    assert [(d.threshold, d.time) for d in find_divergences(comparison)] == [
        (0.01, 2.0),
        (0.05, 4.0),
    ]


def test_runs_at_other_times_cannot_be_compared():
    log = make_log()
    later = log.with_columns({"time": Column(log.time + 100.0, "s")})
    with pytest.raises(InvalidValue, match="overlap"):
        measure_difference(later, log)


def test_runs_without_poses_are_not_compared():
    log = Log({"time": Column(np.array([1.0, 3.0]), "s")})
    assert measure_difference(log, make_log()) == ()


@pytest.mark.parametrize(
    ("metric", "text"),
    [
        (Metric("a", 0.123456, "m"), "0.1235 m"),
        (Metric("a", 0.5, "1"), "0.5"),
        (Metric("a", -1e-17, "1"), "0"),
        (Metric("a", None, "s"), "never"),
    ],
)
def test_a_metric_reads_well(metric, text):
    assert metric.text == text


def test_a_metric_cannot_be_changed():
    metric = Metric("a", 1.0, "m")
    with pytest.raises(AttributeError):
        metric.value = 2.0  # type: ignore[misc]
    assert replace(metric, value=2.0).text == "2 m"


def test_blocks_give_the_numbers_of_the_whole(course):
    log = make_log(y=0.1)
    for cuts in ([1], [2, 2, 3], [1, 2, 3, 4]):
        blocks = [
            Log({n: Column(part, log.unit(n)) for n, part in zip(log, parts, strict=True)})
            for parts in zip(*(np.split(log[n], cuts) for n in log), strict=True)
        ]
        found, whole = values(measure_blocks(blocks, course)), values(measure_run(log, course))
        assert list(found) == list(whole)
        assert found == pytest.approx(whole, rel=1e-14)


def test_a_thinned_run_keeps_ends_peaks_and_gaps():
    time = np.arange(40_000) * 0.01
    x, yaw = np.sin(time), np.zeros_like(time)
    x[12_345], yaw[23_456], yaw[34_567] = 9.0, -7.0, np.nan
    columns = {"time": (time, "s"), "x": (x, "m"), "yaw": (yaw, "rad")}
    blocks = [
        Log({n: Column(v[k : k + 3000], unit) for n, (v, unit) in columns.items()})
        for k in range(0, len(time), 3000)
    ]
    thin = thin_run(blocks, len(time), 200)
    assert len(thin) < 1500
    assert (thin.time[0], thin.time[-1]) == (time[0], time[-1])
    assert np.all(np.diff(thin.time) > 0.0)
    assert thin["x"].max() == 9.0
    assert np.nanmin(thin["yaw"]) == -7.0
    assert np.isnan(thin["yaw"][np.searchsorted(thin.time, time[34_567])])
