"""Claims of papers: what is compared, and how it is judged."""

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from grouser.errors import TaskFailed
from grouser.papers import reproduce as module
from grouser.papers.p0.experiments import find_missing_board
from grouser.papers.page import compose_claims, format_value
from grouser.papers.paper import PAPERS, Claim, Experiment, Findings, Paper, Word
from grouser.papers.reproduce import merge_panels, reproduce, run_experiment
from grouser.report import Panel, Series
from grouser.tasks import Workers

HERE = Workers(count=1)
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


@pytest.mark.parametrize(
    ("sense", "ours", "word"),
    [("at most", -9.0, Word.AGREES), ("at most", 0.6, Word.AGREES),
     ("at most", 0.601, Word.DIFFERS),
     ("at least", 9.0, Word.AGREES), ("at least", 0.4, Word.AGREES),
     ("at least", 0.399, Word.DIFFERS), ("at most", -math.inf, Word.DIFFERS)],
)  # fmt: skip
def test_a_limit_may_be_kept_by_far(sense, ours, word):
    assert replace(CLAIM, sense=sense).judge(ours) == word


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
    assert set(paper.highlights) <= {claim.key for claim in claims}


def test_p2_comes_out_but_for_what_p2_contradicts_itself_in():
    (found,) = reproduce([PAPERS["P2"]], workers=HERE)
    differing = {v.claim.key for v in found.verdicts if v.word == Word.DIFFERS}
    assert differing == {
        "rmse of eq 19", "R² of eq 20", "largest error of R01", "largest error of R02",
        "R01 of run 11", "error of R01 of run 11", "largest difference of sl_o1 and sl_o2",
        "difference of path lengths", "relative difference of path lengths",
        "Ev_t of run 13 by eq 6",
        *(f"L_x{wheel} of run 13, rebuilt" for wheel in ("o1", "o2", "i1", "i2")),
    }  # fmt: skip


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
    first = reproduce([PAPERS["P2"]], workers=HERE, file=file)

    def fail(paper: str, name: str) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(module, "run_experiment", fail)
    told: list[str] = []
    again = reproduce(
        [PAPERS["P2"]], workers=HERE, file=file, tell=lambda name, *_: told.append(name)
    )
    assert told == [""]
    assert [v.ours for v in again[0].verdicts] == [v.ours for v in first[0].verdicts]
    monkeypatch.setattr(module, "_mark_code", lambda: "changed")
    with pytest.raises(TaskFailed, match="P2/"):
        reproduce([PAPERS["P2"]], workers=HERE, file=file)


def paper_of(experiment: Experiment) -> Paper:
    claim = replace(CLAIM, paper="P9", experiment=experiment.name, remark="what was assumed")
    return Paper(name="P9", title="none", experiments=(experiment,), make_claims=lambda: (claim,))


def fail() -> Findings:
    raise AssertionError("it must not be run")


def test_what_was_left_out_is_said():
    slow = Experiment(paper="P9", name="slow", title="slow", run=fail, is_quick=False)
    (found,) = reproduce([paper_of(slow)], quick=True, workers=HERE)
    assert [v.word for v in found.verdicts] == [Word.MISSING]


def test_what_a_machine_lacks_is_said_and_not_kept(tmp_path):
    file = tmp_path / "findings.json"
    bare = Experiment(
        paper="P9", name="bare", title="bare", run=fail, find_lack=lambda: "no board: make firmware"
    )
    (found,) = reproduce([paper_of(bare)], workers=HERE, file=file)
    assert [(v.word, v.reason) for v in found.verdicts] == [
        (Word.INCOMPARABLE, "no board: make firmware")
    ]
    assert not file.exists()


def test_courses_without_firmware_say_which_command_helps(monkeypatch, tmp_path):
    monkeypatch.setattr("grouser.hil.simulated_board.BUILD", tmp_path)
    assert "make firmware" in find_missing_board()


def test_figures_of_one_key_are_one_figure():
    def panel(key: str, *names: str) -> Panel:
        lines = tuple(
            Series(name=name, x=np.zeros(1), y=np.zeros(1), colour="#000000") for name in names
        )
        return Panel(key=key, title=key, x_label="x", y_label="y", series=lines)

    merged = merge_panels([panel("a", "robot", "csm"), panel("b"), panel("a", "robot", "wheels")])
    assert [p.key for p in merged] == ["a", "b"]
    assert [line.name for line in merged[0].series] == ["robot", "csm", "wheels"]


def test_the_page_holds_every_claim_and_figure():
    found = reproduce([PAPERS["P2"]], workers=HERE)
    page = compose_claims(found)
    for verdict in found[0].verdicts:
        assert format_value(verdict.claim, verdict.ours) in page
    assert page.count('<section class="figure') == len(found[0].panels)
    assert "P2 exchanges two of the four" in page


def test_an_experiment_is_found_by_its_name():
    assert "sl_o1 of run 13" in run_experiment("P2", "run-13")["values"]
