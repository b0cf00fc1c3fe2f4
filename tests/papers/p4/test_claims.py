"""Claims and conclusions of P4."""

import numpy as np
import pytest

from grouser.papers.p4.claims import P4, make_claims
from grouser.papers.p4.highest_step import name_highest
from grouser.papers.p4.outcomes import draw_outcomes, name_step
from grouser.papers.p4.sensitivity import SETTINGS
from grouser.papers.p4.speed import COST, MODELS, name_ratio, ranks
from grouser.papers.p4.tables import read_brackets, read_factors
from grouser.papers.paper import Status, Verdict, Word

CLAIMS = {claim.key: claim for claim in make_claims()}


def test_claims_that_can_fail_reject_their_null():
    able = [claim for claim in CLAIMS.values() if claim.kind.can_fail]
    assert len(able) > 20
    assert [claim.key for claim in able if not claim.rejects_null] == []


def test_neither_a_robot_at_rest_nor_one_that_climbs_everything_agrees_with_table_4():
    cells = [claim for claim in CLAIMS.values() if claim.where == "Table IV"]
    for outcome in (0.0, 1.0):
        assert {Word.AGREES, Word.DIFFERS} >= {claim.judge(outcome) for claim in cells}
        assert any(claim.judge(outcome) == Word.DIFFERS for claim in cells)


def test_the_highest_step_lies_between_what_p4_climbs_and_what_it_does_not():
    assert read_brackets() == {0.0: (120.0, 190.0), 45.0: (240.0, 380.0)}
    claim = CLAIMS[name_highest(45.0)]
    assert [claim.judge(height) for height in (0.239, 0.25, 0.381)] == [
        Word.DIFFERS, Word.AGREES, Word.DIFFERS,
    ]  # fmt: skip


def test_a_tie_is_not_p4s_order_of_speeds():
    for faster, slower in ranks():
        claim = CLAIMS[name_ratio(faster, slower)]
        assert claim.judge(1.0) == Word.DIFFERS
        assert claim.judge(claim.published) == Word.AGREES
    assert CLAIMS[COST].published == pytest.approx(1.42, abs=0.005)
    assert set(MODELS) == set(read_factors())


def test_conclusions_are_decided_by_claims():
    ours = {key: Verdict(claim=claim, ours=claim.published) for key, claim in CLAIMS.items()}
    status = [conclusion.judge(ours) for conclusion in P4.conclusions]
    assert set(status) == {Status.REPRODUCED, Status.UNTESTABLE}


def test_experiments_measure_what_is_claimed_of_them():
    names = {experiment.name for experiment in P4.experiments}
    assert {claim.experiment for claim in CLAIMS.values()} <= names
    assert len(names) == len(P4.experiments)


def test_settings_are_stated_among_their_values():
    for stated, values in SETTINGS.values():
        assert stated in values
        assert list(values) == sorted(values)


def test_limits_are_drawn_beside_p4s_brackets():
    values = {name_step(45.0, 240.0): 1.0, name_highest(45.0): 0.25}
    (panel,) = draw_outcomes(values)
    lines = {line.name: line for line in panel.series}
    assert np.nanmax(lines["ours"].y) == 250.0
    assert np.nanmax(lines["P4's limit is in"].y) == 380.0
    assert "ours, smooth" not in lines
