"""The choice of manoeuvres is about as good as the best of all."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from grouser.identify.plan_design import Contribution, choose_manoeuvres


def contribution(seed: int, count: int = 5, own: int = 3) -> Contribution:
    """Return random information of manoeuvres, each about one or two directions."""
    generator = np.random.default_rng(seed)
    slopes = generator.normal(size=(2, count, 2, own + 1)) * generator.uniform(5, 60, (count, 1, 1))
    hessian = np.swapaxes(slopes, -1, -2) @ slopes
    factors = generator.uniform(0.8, 2.0, (2, count, 1, 1))
    return Contribution(
        hessian=hessian, spread=hessian * factors, own=own, windows=np.full(count, 4.0)
    )


@pytest.mark.parametrize("seed", range(6))
def test_exchanges_find_about_the_best_of_all_drives(seed):
    one, durations = contribution(seed), np.array([3.0, 3.0, 6.0, 6.0, 12.0])
    every = [
        drive
        for size in range(1, 9)
        for drive in combinations_with_replacement(range(5), size)
        if sum(durations[list(drive)]) <= 24.0
    ]
    values = [float(one.log_variances(drive)[0]) for drive in every]
    design = choose_manoeuvres([one], durations, 24.0)
    assert durations[design].sum() <= 24.0
    # Half of a log variance is the log of a width: at most 2 % wider than the best.
    assert 0.5 * (float(one.log_variances(design)[0]) - min(values)) < 0.02


def test_candidates_are_judged_as_if_they_were_in_the_drive():
    one = contribution(9)
    added = one.log_variances([0, 0, 3], np.arange(5))
    whole = [float(one.log_variances([0, 0, 3, k])[0]) for k in range(5)]
    assert added == pytest.approx(whole, rel=1e-9)


def test_a_parameter_that_few_windows_determine_counts_as_less_well_known():
    few, many = contribution(4), contribution(4)
    many = Contribution(hessian=many.hessian, spread=many.spread, own=3, windows=np.full(5, 40.0))
    drive = [0, 1, 2, 3]
    assert few.log_variances(drive)[0] > many.log_variances(drive)[0] + 0.02
