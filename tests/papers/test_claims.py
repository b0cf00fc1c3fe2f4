"""Claims of papers: what is compared, and how it is judged."""

import json
import math
from collections import Counter

import numpy as np
import pytest

from grouser.errors import TaskFailed
from grouser.papers import reproduce as module
from grouser.papers.catalogue import PAPERS
from grouser.papers.claim import Claim, Word
from grouser.papers.compose_claims import compose_claims, count_verdicts, format_value
from grouser.papers.experiment import Experiment, Findings
from grouser.papers.paper import Paper
from grouser.papers.reproduce import reproduce, run_experiment
from grouser.report import Panel, Series
from grouser.spread import Crew

HERE = Crew(workers=1)
CLAIM = Claim(
    paper="P2", experiment="fits", key="slope", published=0.5, unit="1", tolerance=0.1, where="eq 1"
)


@pytest.mark.parametrize(
    ("ours", "word"),
    [(0.5, Word.AGREES), (0.6, Word.AGREES), (0.4, Word.AGREES), (0.601, Word.DIFFERS),
     (0.399, Word.DIFFERS), (math.nan, Word.DIFFERS), (None, Word.MISSING)],
)  # fmt: skip
def test_a_number_agrees_within_its_tolerance(ours, word):
    assert CLAIM.judge(ours) == word


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_claim_has_an_experiment_or_a_reason(paper):
    names = Counter(e.name for e in paper.experiments)
    claims = paper.make_claims()
    assert set(names.values()) == {1}
    assert set(Counter(claim.key for claim in claims).values()) == {1}
    for claim in claims:
        assert claim.paper == paper.name
        assert claim.experiment in names or claim.incomparable
        assert claim.where
        assert math.isfinite(claim.published)


def test_p2_comes_out_but_for_what_p2_contradicts_itself_in():
    (found,) = reproduce([PAPERS["P2"]], crew=HERE)
    differing = {v.claim.key for v in found.verdicts if v.word != Word.AGREES}
    assert differing == {
        "rmse of eq 19", "R² of eq 20", "largest error of R01", "largest error of R02",
        "R01 of run 11",
    }  # fmt: skip
    assert all(v.claim.remark for v in found.verdicts if v.word == Word.DIFFERS)
    assert count_verdicts(found.verdicts)[Word.AGREES] == len(found.verdicts) - 5


def test_findings_survive_a_file():
    line = Series(name="a", x=np.array([0.0, 1.0]), y=np.array([math.nan, 2.0]), colour="#000000")
    panel = Panel(key="k", title="t", x_label="x", y_label="y", series=(line,), y_range=(0.0, 1.0))
    findings = Findings(values={"v": 1.5}, panels=(panel,))
    again = Findings.from_json(json.loads(json.dumps(findings.to_json(), allow_nan=False)))
    assert again.values == findings.values
    assert again.panels[0].y_range == (0.0, 1.0)
    assert np.array_equal(again.panels[0].series[0].y, line.y, equal_nan=True)


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    file = tmp_path / "findings.json"
    first = reproduce([PAPERS["P2"]], crew=HERE, file=file)

    def fail(paper: str, name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(module, "run_experiment", fail)
    again = reproduce([PAPERS["P2"]], crew=HERE, file=file)
    assert [v.ours for v in again[0].verdicts] == [v.ours for v in first[0].verdicts]
    file.unlink()
    with pytest.raises(TaskFailed, match="P2/run-13"):
        reproduce([PAPERS["P2"]], crew=HERE, file=file)


def test_what_was_left_out_is_said():
    slow = Experiment(paper="P9", name="slow", title="slow", run=dict, is_quick=False)  # type: ignore[arg-type]
    claim = Claim(
        paper="P9", experiment="slow", key="k", published=1.0, unit="1", tolerance=0.0, where="here"
    )
    paper = Paper(name="P9", title="none", experiments=(slow,), make_claims=lambda: (claim,))
    (found,) = reproduce([paper], quick=True, crew=HERE)
    assert [v.word for v in found.verdicts] == [Word.MISSING]


def test_the_page_holds_every_claim_and_figure():
    found = reproduce([PAPERS["P2"]], crew=HERE)
    page = compose_claims(found)
    for verdict in found[0].verdicts:
        assert format_value(verdict.claim, verdict.ours) in page
    assert page.count('<section class="figure') == len(found[0].panels)
    assert "P2 exchanges two of the four" in page


def test_an_experiment_is_found_by_its_name():
    assert "sl_o1 of run 13" in run_experiment("P2", "run-13")["values"]
