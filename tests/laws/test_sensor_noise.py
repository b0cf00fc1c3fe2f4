"""Noise laws against their parameters, by Allan deviation and correlation."""

import math

import numpy as np
import pytest

from grouser.laws.sensor_noise import (
    CorrelatedNoise,
    RandomWalk,
    allan_deviation,
    sample_deviation,
    saturate_and_quantise,
)

RATE = 100.0
TIMES = np.array([0.1, 0.3, 1.0, 3.0, 10.0])


def generator(seed=1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_white_noise_averages_out_with_the_root_of_time():
    density = 0.003
    samples = generator().normal(0.0, sample_deviation(density, RATE), 200_000)
    found = allan_deviation(samples, RATE, TIMES)
    assert found == pytest.approx(density / np.sqrt(TIMES), rel=0.08)


def test_a_random_walk_grows_with_the_root_of_time():
    density = 0.002
    walk = RandomWalk(density, generator(), size=1)
    samples = np.array([walk.advance(1.0 / RATE)[0] for _ in range(100_000)])
    found = allan_deviation(samples, RATE, TIMES)
    assert found == pytest.approx(density * np.sqrt(TIMES / 3.0), rel=0.12)


def test_both_together_meet_where_their_lines_cross():
    white, walk = 0.01, 0.01
    generators = generator(2), generator(3)
    bias = RandomWalk(walk, generators[0])
    noise = generators[1].normal(0.0, sample_deviation(white, RATE), 100_000)
    samples = noise + np.array([bias.advance(1.0 / RATE)[0] for _ in noise])
    found = allan_deviation(samples, RATE, TIMES)
    assert found == pytest.approx(np.sqrt(white**2 / TIMES + walk**2 * TIMES / 3.0), rel=0.1)


def test_a_walk_without_a_density_draws_nothing():
    source = generator()
    before = source.bit_generator.state
    assert RandomWalk(0.0, source, size=3).advance(1.0).tolist() == [0.0, 0.0, 0.0]
    assert source.bit_generator.state == before


def test_correlated_noise_keeps_its_spread_and_forgets_in_its_time():
    noise = CorrelatedNoise(2.0, 5.0, generator(), size=400)
    samples = np.array([noise.value, *(noise.advance(0.5) for _ in range(400))])
    assert samples.std(axis=1) == pytest.approx(np.full(401, 2.0), rel=0.15)
    ten = int(5.0 / 0.5)
    kept = np.mean(samples[ten:] * samples[:-ten]) / np.mean(samples**2)
    assert kept == pytest.approx(math.exp(-1.0), rel=0.1)


def test_a_converter_shows_steps_and_stops_at_its_limit():
    shown = saturate_and_quantise([0.0, 0.26, -0.26, 7.0, -7.0, math.nan], 1.0, 3)
    assert shown[:5] == pytest.approx([0.0, 0.25, -0.25, 1.0, -1.0])
    assert math.isnan(shown[5])
