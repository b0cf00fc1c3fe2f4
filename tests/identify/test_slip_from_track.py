"""Slip ratios from belt speeds and a track."""

import numpy as np
import pytest

from grouser.errors import InvalidLog
from grouser.identify.slip_from_track import slip_from_track
from grouser.log import Column, Log, resample
from grouser.models.effective_width import effective_width
from tests.identify.camera.films import ROBOT, drive

WIDTH = effective_width(ROBOT)
LOG = drive(9.0)
TIMES = np.arange(0.0, 9.0, 1.0 / 30.0)


def track(noise: float = 0.0, seed: int = 0) -> Log:
    generator, truth = np.random.default_rng(seed), resample(LOG, TIMES)
    scale = {"x": 0.001, "y": 0.001, "yaw": 0.005}
    columns = {
        name: Column(truth[name] + noise * size * generator.normal(size=len(TIMES)), unit)
        for (name, size), unit in zip(scale.items(), ("m", "m", "rad"), strict=True)
    }
    return Log({"time": Column(TIMES, "s"), **columns})


def exact(log: Log) -> Log:
    """Leave out what encoders said, so that the belt speeds are exact."""
    kept = {n: c for n, c in log.columns.items() if not n.startswith("belt_speed_measured")}
    return Log(kept, log.provenance)


def test_without_noise_the_slip_of_p0_table_3_comes_back():
    found = slip_from_track(exact(LOG), track(), width=WIDTH).estimates
    assert found["slip_left"].value == pytest.approx(0.1, abs=1e-5)
    assert found["slip_right"].value == pytest.approx(0.1188, abs=1e-5)
    assert found["slip_angle"].value == pytest.approx(np.deg2rad(0.404), abs=1e-5)


def test_with_noise_the_interval_holds_the_truth_in_most_cases():
    held = [
        found.holds(truth)
        for seed in range(20)
        for found, truth in zip(
            list(slip_from_track(exact(LOG), track(1.0, seed), width=WIDTH).estimates.values())[:2],
            (0.1, 0.1188),
            strict=True,
        )
    ]
    # 95 % of 40, less three standard deviations of a binomial.
    assert np.count_nonzero(held) >= 34


def test_outliers_count_little():
    wrong = {name: column.values.copy() for name, column in track(1.0).columns.items()}
    wrong["x"][10::20] += 0.3
    units = {name: track().unit(name) for name in wrong}
    spoilt = Log({name: Column(values, units[name]) for name, values in wrong.items()})
    found = slip_from_track(exact(LOG), spoilt, width=WIDTH).estimates
    assert found["slip_left"].value == pytest.approx(0.1, abs=0.01)
    assert found["slip_right"].value == pytest.approx(0.1188, abs=0.01)


def test_gaps_and_a_turned_world_do_not_matter():
    whole, holes = track(), {n: c.values.copy() for n, c in track().columns.items()}
    holes["x"][30:60] = np.nan
    cos, sin = np.cos(1.0), np.sin(1.0)
    x, y = holes["x"], holes["y"]
    turned = Log(
        {
            "time": whole.columns["time"],
            "x": Column(2.0 + cos * x - sin * y, "m"),
            "y": Column(-1.0 + sin * x + cos * y, "m"),
            "yaw": Column(holes["yaw"] + 1.0, "rad"),
        }
    )
    found = slip_from_track(exact(LOG), turned, width=WIDTH)
    assert found.poses == len(TIMES) - 30
    assert found.estimates["slip_left"].value == pytest.approx(0.1, abs=1e-5)


def test_what_cannot_be_identified_is_refused():
    with pytest.raises(InvalidLog, match="has no belt speeds; slip takes columns belt_speed.left"):
        slip_from_track(track(), track(), width=WIDTH)
    late = Log({**track().columns, "time": Column(TIMES + 100.0, "s")})
    with pytest.raises(InvalidLog, match="0 poses within the time of the log"):
        slip_from_track(LOG, late, width=WIDTH)
    still = LOG.with_columns({"belt_speed_measured.left": Column(np.zeros(len(LOG)), "m/s")})
    with pytest.raises(InvalidLog, match="belt 'left' never moves"):
        slip_from_track(still, track(), width=WIDTH)
