"""Claims of P1: what counts as evidence, and how numbers over several models are found."""

from collections import Counter

import numpy as np
import pytest

from grouser.errors import NotFinite
from grouser.papers.p1 import experiments, obstacles, steering
from grouser.papers.p1.cells import measure_cells
from grouser.papers.p1.claims import P1, derive, draw_all, make_claims
from grouser.papers.p1.comparison import P1Result
from grouser.papers.p1.obstacles import Sweep, sweep_pallet, sweep_stairs
from grouser.papers.p1.ranks import compare_ranks, correlate_ranks, resample_ranks
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, tuned_values
from grouser.papers.p1.steering import Turning, find_turning
from grouser.papers.p1.tables import ABSOLUTE_ROWS, name_cell, table_1
from grouser.papers.paper import Kind, Status, Verdict, Word

CLAIMS = {claim.key: claim for claim in make_claims()}


def test_every_claim_that_can_fail_rejects_its_null():
    able = [claim for claim in CLAIMS.values() if claim.kind.can_fail]
    assert len(able) >= 30
    assert [claim.key for claim in able if not claim.rejects_null] == []


def test_a_robot_that_never_moves_agrees_with_no_cell_of_table_1():
    still = {"d_t": 3.0, "d_yaw": -6.0, "d_omega": 0.283, "d_st": 0.0, "reach": 0.0}
    still |= {"sum_d_t": 0.0, "sum_d_omega": 0.0}
    results = [
        P1Result(model="csm", scenario=s.name, run=0, metrics=still, seconds=1.0, reference="")
        for s in SCENARIOS
        if s.name != "stand"
    ]
    slid = {"d_st": 0.2, "d_omega": 0.1}
    results.append(
        P1Result(model="csm", scenario="stand", run=0, metrics=slid, seconds=1.0, reference="")
    )
    for name in P1_MODELS:
        for scenario, metric in ABSOLUTE_ROWS[:3]:
            key = name_cell(scenario, metric, name)
            cells = measure_cells(name, results)
            assert CLAIMS[key].judge(cells[key]) == Word.DIFFERS
    assert CLAIMS["Stand on st. d_st, csm"].judge(cells_of("csm", results)) == Word.DIFFERS


def cells_of(name: str, results: list[P1Result]) -> float:
    return measure_cells(name, results)[name_cell("Stand on st.", "d_st", name)]


def test_rows_that_the_search_saw_are_calibrated_and_sums_cannot_be_compared():
    kinds = {
        row: Counter(CLAIMS[name_cell(*row, name)].kind for name in P1_MODELS) for row in table_1()
    }
    assert kinds["Straight", "d_t"] == kinds["Rotate", "d_omega"] == {Kind.CALIBRATED: 8}
    assert kinds["Back&forth", "d_st"] == {Kind.HELD_OUT: 8}
    assert kinds["Stand on st.", "d_omega"] == {Kind.HELD_OUT: 6, Kind.INCOMPARABLE: 2}
    assert kinds["Pallet", "sum_d_t"] == {Kind.INCOMPARABLE: 8}


def test_conclusions_follow_from_claims():
    verdicts = {key: Verdict(claim=claim, ours=claim.published) for key, claim in CLAIMS.items()}
    found = {c.words: c.judge(verdicts) for c in P1.conclusions}
    counted = Counter(found.values())
    assert counted[Status.UNTESTABLE] == 2
    # Two of the rows that rank models were seen by the search.
    assert counted[Status.PARTLY] == 1
    assert counted[Status.REPRODUCED] == len(found) - 3


def test_ranks_count_ties_and_forget_what_is_below_a_millimetre():
    assert correlate_ranks([0.1, 0.2, 0.3], [1.0, 2.0, 3.0]) == pytest.approx(1.0)
    assert correlate_ranks([0.3, 0.2, 0.1], [1.0, 2.0, 3.0]) == pytest.approx(-1.0)
    assert correlate_ranks([1e-5, 2e-5, 3e-5], [1.0, 2.0, 3.0]) == 0.0
    low, high = resample_ranks(np.arange(8.0), np.arange(8.0))
    assert (low, high) == pytest.approx((1.0, 1.0))


def test_p1s_own_numbers_rank_as_p1s():
    values = {
        name_cell(*row, name): cell.mean
        for row in ABSOLUTE_ROWS
        for name, cell in table_1()[row].items()
    }
    found = compare_ranks(values)
    assert len(found) == 5
    assert min(found.values()) == pytest.approx(1.0)

    assert [panel.key for panel in draw_all(values)][-1] == "ranks"
    assert len(draw_all(values)) == 6
    del values["Straight d_t, csm"]
    assert len(compare_ranks(values)) == 4


def test_times_are_compared_within_one_engine():
    values = {"processor time, csm": 1.0, "processor time, 4wheels": 2.0,
              "processor time on flat ground, plates10": 10.0,
              "processor time on flat ground, csm, MuJoCo": 5.0}  # fmt: skip
    found = derive(values)
    assert found["csm is faster than 4wheels"] == 1.0
    key = "log10 of processor time over that of csm, plates10, both in MuJoCo"
    assert found[key] == pytest.approx(np.log10(2.0))
    assert "csm is faster than 8wheels" not in found


def test_the_least_friction_is_that_from_which_on_most_starts_do_well():
    outcomes = np.array([[1, 1, 1], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=np.float64)
    sweep = Sweep(frictions=(0.2, 0.4, 0.6, 0.8), outcomes=outcomes)
    assert sweep.least == 0.6
    assert sweep.share == pytest.approx(9 / 12)
    assert Sweep(frictions=(0.2,), outcomes=np.zeros((1, 3))).least == np.inf


def test_drives_that_diverged_count_neither_as_good_nor_as_bad():
    diverged = Sweep(frictions=(0.2, 0.4), outcomes=np.array([[0.0, 1.0], [np.nan, np.nan]]))
    whole = Sweep(frictions=(0.2, 0.4), outcomes=np.array([[0.0, 1.0], [1.0, 1.0]]))
    assert diverged.share == 0.5
    assert diverged.least == np.inf
    assert not diverged.does_worse_than(whole)
    assert Sweep(frictions=(0.2, 0.4), outcomes=np.zeros((2, 2))).does_worse_than(whole)


def test_the_gain_that_suits_rotate_is_found_and_tried_on_the_circle(monkeypatch):
    def turn(name, model, values, gain, variation):
        efficiency = {"rotate": 0.5, "circular": 0.7}[name]
        return efficiency * gain * {"rotate": 6.0, "circular": steering.COMMANDED}[name]

    monkeypatch.setattr(steering, "_turn", turn)
    found = find_turning(P1_MODELS["csm"], {})
    assert isinstance(found, Turning)
    assert found.gain == pytest.approx(2.0, rel=0.02)
    assert found.ratio == pytest.approx(1.4, rel=1e-9)
    monkeypatch.setattr(steering, "_turn", lambda *_: 1.0)
    assert find_turning(P1_MODELS["csm"], {}) is None


def test_csm_turns_too_fast_on_the_circle_and_wheels_do_not():
    # P1 section V.C; without P1's law of friction along circles, csm suits both.
    csm, wheels = (
        find_turning(P1_MODELS[name], tuned_values()[name]) for name in ("csm", "4wheels")
    )
    assert csm is not None
    assert wheels is not None
    assert csm.ratio > steering.TOO_FAST
    assert wheels.ratio == pytest.approx(1.0, abs=0.01)


def test_more_friction_stands_and_crosses():
    csm, start = P1_MODELS["csm"], P1_MODELS["csm"].start
    assert sweep_stairs(csm, start, (0.3, 2.0), 1).shares.tolist() == [0.0, 1.0]
    assert sweep_pallet(csm, start, (2.0,), 1).shares.tolist() == [1.0]


def test_starts_are_those_of_the_seed():
    prepare = obstacles._prepare
    args = "pallet", P1_MODELS["csm"], P1_MODELS["csm"].start, (1.0, 2.0), 3, obstacles.AS_STATED
    loaded, poses, factors = prepare(*args)
    assert factors.tolist() == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    assert np.array_equal(poses.x[:3], poses.x[3:])
    assert loaded.course.terrain.surfaces["ground"].friction == 1.0


def test_a_model_that_diverges_has_a_column_and_agrees_with_nothing(monkeypatch):
    def diverge(*_, **__):
        raise NotFinite("pose.x", 0.1, None)

    monkeypatch.setattr(experiments, "drive_model", diverge)
    monkeypatch.setattr(experiments, "find_turning", lambda *_: None)
    found = experiments.drive_column("plates2", obstacles.AS_STATED).values
    for row in ABSOLUTE_ROWS:
        key = name_cell(*row, "plates2")
        assert CLAIMS[key].judge(found[key]) == Word.DIFFERS
