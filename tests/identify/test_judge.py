"""Prediction errors on held-out blocks, their limits, and the choice of a family."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.identify import FAMILIES, KnownRobot, Status, identify_records, recommend
from grouser.identify.judge import NO_HOLD_OUT, Cases, HoldOut, choose_cases
from grouser.identify.pieces import cut_blocks
from grouser.identify.prediction_limits import find_limits
from grouser.identify.recovery import random_drive

KNOWN = KnownRobot(gauge=0.4)


def drive(family="icr", values=(0.35, -0.3, 0.02), duration=60.0, seed=3):
    record, _ = random_drive(
        FAMILIES[family], np.array(values), KNOWN, np.random.default_rng(seed), duration=duration
    )
    return record


@pytest.fixture(scope="module")
def found():
    return identify_records([drive()], KNOWN, ("ideal", "icr", "icr-slip"))


def test_horizons_are_those_that_blocks_hold(found):
    record = drive()
    cases = choose_cases(record, cut_blocks(record))
    assert cases is not None
    assert cases.judged == pytest.approx(6.0, abs=0.1)  # ten blocks of a minute
    assert set(cases.horizon.tolist()) == {0.0, 1.0, 2.0, 5.0, cases.judged}
    # No prediction leaves its block, and random ends lie in between.
    lengths = cases.length[cases.horizon == 0.0]
    assert lengths.max() <= cases.judged + 0.1
    assert np.ptp(lengths) > 2.0
    assert found.fits["icr"].hold_out.horizon == cases.judged


def test_the_true_family_is_recommended_and_the_price_of_a_cheaper_one_is_stated(found):
    chosen = found.recommendation
    assert chosen.family == "icr"
    assert chosen.errors["ideal"].excess_low > 0.1
    errors = chosen.errors["icr"]
    assert errors.low < errors.value < errors.high


def test_a_horizon_that_is_the_period_of_a_drive_does_not_make_families_alike():
    record = drive(duration=80.0)
    # Two seconds ahead and two back, again and again: after each period all families are at home.
    time = record.time
    belts = 0.3 * np.sign(np.sin(2.0 * np.pi * time / 8.0))
    periodic = replace(record, left=0.5 * belts, right=belts)
    path = FAMILIES["icr"].predict(np.array([[0.5, -0.45, 0.02]]), periodic, KNOWN)
    values = np.stack([np.interp(record.observation.time, time, row[0])
                       for row in (path.x, path.y, path.yaw)])  # fmt: skip
    values += np.random.default_rng(0).normal(0.0, 0.002, values.shape)
    seen = replace(record.observation, values=values)
    found = identify_records([replace(periodic, observation=seen)], KNOWN, ("ideal", "icr"))
    assert found.fits["icr"].hold_out.horizon == pytest.approx(8.0, abs=0.1)
    assert found.recommendation.family == "icr"
    assert found.fits["ideal"].hold_out.score > 3.0 * found.fits["icr"].hold_out.score


def test_families_that_are_dropped_are_named_with_their_reason(found):
    fits = dict(found.fits)
    fits["icr"] = replace(fits["icr"], status=Status.DOUBTFUL, doubts=("Too odd.",))
    fits["ideal"] = replace(fits["ideal"], status=Status.NOT_CONVERGED)
    chosen = recommend(fits)
    assert chosen.family == "icr-slip"
    assert chosen.dropped == {"icr": "Too odd.", "ideal": "its fit did not converge"}
    nothing = recommend({"icr": fits["icr"]})
    assert nothing.family == ""
    assert "Too odd." in nothing.sentence


def test_a_fit_that_did_not_converge_is_recommended_if_it_is_clearly_better(found):
    fits = {n: replace(f, status=Status.NOT_CONVERGED) for n, f in found.fits.items()}
    fits["ideal"] = found.fits["ideal"]
    chosen = recommend(fits)
    assert chosen.family == "icr"
    assert "its fit did not converge" in chosen.sentence


def test_what_was_not_judged_is_not_ranked(found):
    fits = {**found.fits, "icr": replace(found.fits["icr"], hold_out=NO_HOLD_OUT)}
    chosen = recommend(fits)
    assert chosen.family == "icr-slip"
    assert chosen.dropped["icr"] == "it was not judged"


def errors_that_grow(blocks: int, seed: int) -> HoldOut:
    """Return errors of random blocks, each with a slip of its own, after 1 and 4 s."""
    generator = np.random.default_rng(seed)
    block = np.repeat(np.arange(blocks), 6)
    horizon = np.tile([1.0, 1.0, 1.0, 4.0, 4.0, 4.0], blocks)
    travel = horizon * generator.uniform(0.2, 1.0, block.size)
    slip = 0.05 * generator.normal(size=(2, blocks))[:, block]
    away = slip * travel + 0.01 * np.sqrt(travel) * generator.normal(size=(2, block.size))
    rows = np.full((block.size, 1), -1)
    cases = Cases(start=rows, end=rows, block=block, horizon=horizon, length=horizon,
                  travel=travel, contrast=np.zeros(block.size), judged=4.0)  # fmt: skip
    return replace(
        NO_HOLD_OUT, cases=cases, position_errors=np.hypot(*away), heading_errors=away[0]
    )


def test_limits_hold_nine_in_ten_errors_of_blocks_they_have_not_seen():
    shares = []
    for seed in range(8):
        limits = find_limits(errors_that_grow(60, seed), np.arange(60) % 5)
        assert limits is not None
        assert limits.position is not None
        assert limits.heading is not None
        shares += [row.coverage for q in (limits.position, limits.heading) for row in q.table]
        # Slip of a block persists: the limit grows faster than the root of the travel.
        assert limits.position.at(4.0, 4.0) > 2.5 * limits.position.at(1.0, 4.0)
    assert 0.88 < np.mean(shares) < 0.95  # the limit of the worse half


def test_each_half_of_a_drive_keeps_its_limits():
    errors = errors_that_grow(60, 0)
    assert errors.cases is not None
    # On the ground of the second half, slip varies twice as much.
    factor = np.where(errors.cases.block < 30, 1.0, 2.0)
    grown = replace(errors, position_errors=factor * errors.position_errors)
    limits = find_limits(grown, np.arange(60) % 5)
    assert limits is not None
    assert limits.position is not None
    for late in (False, True):
        of_half = (errors.cases.block >= 30) == late
        inside = grown.position_errors[of_half] <= limits.position.of(errors.cases, of_half)
        assert np.mean(inside) >= 0.9


def test_turns_on_the_spot_have_a_least_limit():
    # They go aside by 0.3 m though their belts run as far as those of any other prediction.
    errors = errors_that_grow(60, 0)
    assert errors.cases is not None
    spot = errors.cases.block < 3
    cases = replace(errors.cases, contrast=np.where(spot, 0.95, 0.2))
    aside = np.where(spot, 0.3, errors.position_errors)
    limits = find_limits(replace(errors, cases=cases, position_errors=aside), np.arange(60) % 5)
    assert limits is not None
    assert limits.position is not None
    assert limits.position.at(0.2, 1.0, 0.95) >= 0.3
    assert limits.position.at(0.2, 1.0) < 0.25


def test_few_blocks_give_no_limits():
    assert find_limits(errors_that_grow(6, 0), np.arange(6) % 5) is None
