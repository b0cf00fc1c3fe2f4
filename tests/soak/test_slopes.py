"""The judge of the soak: a leak is seen, noise and warm-up are not."""

import numpy as np
import pytest

from tests.soak.slopes import fit_slope

SECONDS = np.arange(0.0, 1800.0, 2.0)


def test_a_leak_is_measured_and_seen():
    noise = np.random.default_rng(1).normal(0.0, 2.0, len(SECONDS))
    slope = fit_slope(SECONDS, 200.0 + 30.0 * SECONDS / 3600.0 + noise)
    assert slope is not None
    assert slope.per_hour == pytest.approx(30.0, abs=slope.margin)
    assert slope.exceeds(5.0, 1.0)


def test_a_warm_up_is_no_leak():
    slope = fit_slope(SECONDS, 200.0 + 50.0 * (1.0 - np.exp(-SECONDS / 60.0)))
    assert slope is not None
    assert not slope.exceeds(5.0, 1.0)


def test_noise_that_remembers_is_seldom_taken_for_a_leak():
    random = np.random.default_rng(2)
    wrong = 0
    for _ in range(200):
        steps = random.normal(0.0, 1.0, len(SECONDS))
        values = np.zeros(len(SECONDS))
        for i in range(1, len(values)):
            values[i] = 0.98 * values[i - 1] + steps[i]
        slope = fit_slope(SECONDS, values)
        wrong += slope is not None and slope.exceeds(0.0, 0.0)
    assert wrong <= 0.05 * 200


def test_one_descriptor_that_stays_is_seen_and_one_that_flickers_is_not():
    kept = fit_slope(SECONDS, 20.0 + SECONDS // 300.0)
    flickers = fit_slope(SECONDS, 20.0 + np.random.default_rng(3).integers(0, 2, len(SECONDS)))
    assert kept is not None
    assert flickers is not None
    assert kept.exceeds(0.0, 1.0)
    assert not flickers.exceeds(0.0, 1.0)


def test_too_few_samples_say_nothing():
    assert fit_slope([], []) is None
    assert fit_slope([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]) is None
