"""Noise of sensors: what is drawn is as large and as slow as what was recorded."""

import numpy as np
import pytest
from scipy.signal import lfilter

from grouser.geometry import Array
from grouser.identify.sensor_noise import estimate_noise, fast_noise, is_gross_error

PERIOD = 0.02


def record_noise(white: float, slow: float, time: float, rows: int, samples: int) -> Array:
    generator = np.random.default_rng(7)
    kept = np.exp(-PERIOD / time)
    steps = generator.standard_normal((rows, samples))
    steps[:, 1:] *= np.sqrt(1.0 - kept**2)
    drift = np.asarray(lfilter([1.0], [1.0, -kept], steps, axis=1))
    return white * generator.standard_normal((rows, samples)) + slow * drift


@pytest.mark.parametrize(("slow", "time"), [(0.0, 1.0), (1.0, 1.0), (1.0, 10.0)])
def test_differences_over_any_time_are_those_of_the_record(slow: float, time: float):
    recorded = record_noise(0.3, slow, time, rows=6, samples=2000)
    drawn = estimate_noise([recorded], PERIOD).draw(2000, 300, np.random.default_rng(0))
    for lag in (1, 25, 250):
        expected = np.sqrt(2.0 * 0.3**2 + 2.0 * slow**2 * (1.0 - np.exp(-lag * PERIOD / time)))
        assert np.std(drawn[:, lag] - drawn[:, 0]) == pytest.approx(expected, rel=0.2)


def test_a_trend_is_no_noise():
    at = np.linspace(-1.0, 1.0, 400)
    smooth = (3.0 + 2.0 * at - at**3)[None]
    noise = estimate_noise([smooth], PERIOD, degree=3, longest=0.5)
    assert np.std(noise.draw(50, 100, np.random.default_rng(0))) < 1e-6


def test_fast_noise_does_not_see_motion_or_gross_errors():
    time = np.arange(0.0, 20.0, PERIOD)
    values = 5.0 * time + np.sin(time) + np.random.default_rng(0).normal(0.0, 0.01, time.size)
    values[::50] += 3.0
    assert fast_noise(values) == pytest.approx(0.01, rel=0.15)


def test_gross_errors_are_found_in_motion():
    time = np.arange(0.0, 20.0, PERIOD)
    values = 4.0 * time + np.random.default_rng(0).normal(0.0, 0.005, time.size)
    values[[100, 500]] += (0.4, -0.4)
    wrong = is_gross_error(values)
    assert wrong[100]
    assert wrong[500]
    assert wrong.sum() <= 10
