"""Curves through points that are noisy in both coordinates."""

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.identify import fit_curve


def line(x, slope, offset):
    return slope * x + offset


GUESS = {"slope": (1.0, "N"), "offset": (0.0, "N")}


def test_exact_points_give_the_exact_line():
    x = np.linspace(0.0, 1.0, 9)
    found = fit_curve(line, x, 3.0 * x - 1.0, 0.01, 0.01, GUESS)
    assert found["slope"].value == pytest.approx(3.0, abs=1e-6)
    assert found["offset"].value == pytest.approx(-1.0, abs=1e-6)
    assert found["slope"].unit == "N"


def test_intervals_hold_the_truth_as_often_as_they_say():
    generator, inside = np.random.default_rng(2), 0
    truth = np.linspace(0.0, 1.0, 20)
    for _ in range(100):
        x = truth + generator.normal(0.0, 0.03, 20)
        y = 3.0 * truth - 1.0 + generator.normal(0.0, 0.05, 20)
        inside += fit_curve(line, x, y, 0.03, 0.05, GUESS)["slope"].holds(3.0)
    assert 88 <= inside <= 100


def test_noise_in_x_does_not_flatten_the_line():
    # Plain least squares is biased towards zero by noise in x: to 2.5 here.
    generator = np.random.default_rng(3)
    truth = np.linspace(0.0, 1.0, 400)
    x = truth + generator.normal(0.0, 0.13, 400)
    y = 3.0 * truth + generator.normal(0.0, 0.01, 400)
    assert np.polyfit(x, y, 1)[0] < 2.7
    assert fit_curve(line, x, y, 0.13, 0.01, GUESS)["slope"].value == pytest.approx(3.0, abs=0.1)


def test_too_few_points_and_gaps_are_refused():
    with pytest.raises(InvalidValue, match="points of a fit must be more than its 2 parameters"):
        fit_curve(line, [0.0, 1.0], [0.0, 1.0], 0.0, 0.1, GUESS)
    with pytest.raises(InvalidValue, match="points of a fit must be finite"):
        fit_curve(line, [0.0, 1.0, np.nan], [0.0, 1.0, 2.0], 0.0, 0.1, GUESS)
