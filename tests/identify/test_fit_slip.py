"""Slip from belts and a track, by the family `slip` with a known wheelbase."""

import numpy as np
import pytest

from grouser.errors import InvalidLog, InvalidValue
from grouser.identify.fusion import fit_slip
from grouser.log import Column, Log, resample
from tests.identify.camera.films import ROBOT, drive

LOG = drive(9.0)
TIMES = np.arange(0.0, 9.0, 1.0 / 30.0)
TRUE = {"slip_left": 0.1, "slip_right": 0.1188}


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
    found = fit_slip(exact(LOG), track(), ROBOT).parameters
    assert found["slip_left"].value == pytest.approx(0.1, abs=1e-5)
    assert found["slip_right"].value == pytest.approx(0.1188, abs=1e-5)
    assert found["slip_angle"].value == pytest.approx(np.deg2rad(0.404), abs=1e-5)


@pytest.mark.parametrize("measured", [True, False])
def test_with_noise_the_interval_holds_the_truth_in_most_cases(measured):
    log, held = LOG if measured else exact(LOG), []
    for seed in range(20):
        found = fit_slip(log, track(1.0, seed), ROBOT).parameters
        held += [found[name].holds(true) for name, true in TRUE.items()]
    # 95 % of 40, less three standard deviations of a binomial.
    assert np.count_nonzero(held) >= 34


def test_outliers_count_little():
    wrong = {name: column.values.copy() for name, column in track(1.0).columns.items()}
    wrong["x"][10::20] += 0.3
    units = {name: track().unit(name) for name in wrong}
    spoilt = Log({name: Column(values, units[name]) for name, values in wrong.items()})
    found = fit_slip(exact(LOG), spoilt, ROBOT).parameters
    for name, true in TRUE.items():
        assert found[name].value == pytest.approx(true, abs=0.01)


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
    found = fit_slip(exact(LOG), turned, ROBOT)
    assert found.parameters["slip_left"].value == pytest.approx(0.1, abs=1e-5)


def test_the_clock_of_a_long_film_may_be_off():
    long = drive(15.0)
    times = np.arange(0.0, 15.0, 1.0 / 30.0)
    seen = resample(long, times)
    columns = {name: seen.columns[name] for name in ("x", "y", "yaw")}
    late = Log({"time": Column(times + 0.08, "s"), **columns})
    found = fit_slip(exact(long), late, ROBOT).parameters
    assert found["time_offset"].value == pytest.approx(0.08, abs=0.001)
    assert found["slip_left"].value == pytest.approx(0.1, abs=0.001)


def test_what_cannot_be_identified_is_refused():
    with pytest.raises(InvalidLog, match=r"needs a column such as belt_speed\.left"):
        fit_slip(track(), track(), ROBOT)
    late = Log({**track().columns, "time": Column(TIMES + 100.0, "s")})
    with pytest.raises(InvalidValue, match="0 windows"):
        fit_slip(LOG, late, ROBOT)
    still = LOG.with_columns({"belt_speed_measured.left": Column(np.zeros(len(LOG)), "m/s")})
    assert "slip_left" in fit_slip(still, track(1.0), ROBOT).fixed
