"""What README and docs tell of claims is what a whole run found, and what the code still gives."""

import json
import math
from pathlib import Path

import pytest
from docs.claim_tables import (
    replace_between,
    summarise_verdicts,
    tabulate_claims,
    tabulate_papers,
)

from grouser.errors import InvalidValue
from grouser.papers.paper import PAPERS, Verdict, Word

ROOT = Path(__file__).parents[2]
SUMMARY = json.loads((ROOT / "docs/claims.json").read_text())
CHEAP = ("P0/wheelbase", "P0/slip", "P3/identification", "P2/")
"""Experiments that take seconds, by the beginning of their names."""


@pytest.mark.parametrize(
    ("page", "word", "tabulate"),
    [("README.md", "checked", tabulate_papers), ("docs/reproduce.md", "claims", tabulate_claims)],
)
def test_a_page_tells_what_the_run_found(page, word, tabulate):
    text = (ROOT / page).read_text()
    assert replace_between(text, word, tabulate(SUMMARY)) == text


def test_the_run_was_of_all_claims_as_they_are_published():
    for name, paper in PAPERS.items():
        kept = [(row["key"], row["published"]) for row in SUMMARY["papers"][name]]
        assert kept == [(claim.key, claim.published) for claim in paper.make_claims()]


def test_verdicts_follow_from_the_numbers():
    for name, paper in PAPERS.items():
        for row, claim in zip(SUMMARY["papers"][name], paper.make_claims(), strict=True):
            if row["ours"] is not None or claim.incomparable:
                # Ours has six digits, and a tolerance may end just between two of them.
                edge = 1e-5 * abs(row["ours"] or 0.0)
                words = {claim.judge(row["ours"] and row["ours"] + d) for d in (-edge, 0.0, edge)}
                assert row["verdict"] in words, claim.key


def test_whatever_differs_has_a_reason():
    for name, paper in PAPERS.items():
        for row, claim in zip(SUMMARY["papers"][name], paper.make_claims(), strict=True):
            if row["verdict"] == Word.DIFFERS:
                assert claim.remark, claim.key


def test_the_code_still_gives_what_is_soon_found():
    count = 0
    for name, paper in PAPERS.items():
        kept = {row["key"]: row["ours"] for row in SUMMARY["papers"][name]}
        for experiment in paper.experiments:
            if experiment.key.startswith(CHEAP):
                found = experiment.run().values
                for key in found.keys() & kept.keys():
                    assert math.isclose(found[key], kept[key], rel_tol=1e-3, abs_tol=1e-6), key
                    count += 1
    assert count > 140


def test_nothing_was_left_out():
    verdicts = {row["verdict"] for found in SUMMARY["papers"].values() for row in found}
    assert verdicts == {Word.AGREES, Word.DIFFERS, Word.INCOMPARABLE}


def test_a_run_that_left_something_out_is_no_summary():
    claim = PAPERS["P2"].make_claims()[0]
    with pytest.raises(InvalidValue, match="whole run"):
        summarise_verdicts([Verdict(claim=claim, ours=None)])
    with pytest.raises(InvalidValue, match="whole run"):
        summarise_verdicts([Verdict(claim=claim, ours=1.0, lack="no board")])


def test_a_page_without_a_place_for_the_table_is_refused():
    with pytest.raises(InvalidValue, match="checked:begin"):
        replace_between("# A page", "checked", "| a |")
