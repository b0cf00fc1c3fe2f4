"""Claims, verdicts and figures of all papers, and the pages that list them."""

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from docs.claim_tables import (
    replace_between,
    summarise_verdicts,
    tabulate_claims,
    tabulate_papers,
)
from scipy.spatial.transform import Rotation

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue, TaskFailed
from grouser.geometry import Pose
from grouser.papers import reproduce as module
from grouser.papers.p0.experiments import compare_courses, draw_errors, find_missing_board
from grouser.papers.p1.comparison import AXES, Drive, draw_scenario
from grouser.papers.p1.reference import Trajectory, sample_times
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, tuned_values
from grouser.papers.p4.outcomes import draw_outcomes, name_step
from grouser.papers.p4.tables import read_steps
from grouser.papers.page import compose_claims, format_value
from grouser.papers.paper import (
    PAPERS,
    Claim,
    Conclusion,
    Experiment,
    Findings,
    Kind,
    Paper,
    Status,
    Verdict,
    Word,
    draw_stems,
)
from grouser.papers.reproduce import Flip, find_flips, merge_panels, reproduce, run_experiment
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.tasks import Workers

HERE = Workers(count=1)
LEAST = {"P0": 6, "P1": 6, "P2": 6, "P3": 4, "P4": 6}
"""Least number of claims of each paper that could have failed."""
CLAIM = Claim(
    paper="P2",
    experiment="fits",
    key="slope",
    published=0.5,
    unit="1",
    tolerance=0.1,
    where="eq 1",
    kind=Kind.RECOMPUTED,
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


EVIDENCE = dict(kind=Kind.INDEPENDENT, null=0.0, inputs_from="elsewhere")


def test_a_claim_that_can_fail_needs_a_null_and_its_sources():
    claim = replace(CLAIM, **EVIDENCE)
    assert claim.rejects_null
    assert not replace(claim, null=0.45).rejects_null
    assert not CLAIM.rejects_null
    for lack in ({"null": None}, {"inputs_from": ""}):
        with pytest.raises(ValueError, match="needs a null"):
            replace(claim, **lack)
    with pytest.raises(ValueError, match="not comparable"):
        replace(CLAIM, incomparable="lost")


@pytest.mark.parametrize(
    ("ours", "kinds", "status"),
    [((0.5, 0.5), (Kind.INDEPENDENT, Kind.HELD_OUT), Status.REPRODUCED),
     ((0.5, 0.9), (Kind.INDEPENDENT, Kind.HELD_OUT), Status.PARTLY),
     ((0.9, 0.9), (Kind.INDEPENDENT, Kind.HELD_OUT), Status.FAILED),
     ((0.5, None), (Kind.INDEPENDENT, Kind.HELD_OUT), Status.MISSING),
     ((0.5, 0.5), (Kind.INDEPENDENT, Kind.CALIBRATED), Status.PARTLY),
     ((0.5, 0.5), (Kind.ROUND_TRIP, Kind.RECOMPUTED), Status.PARTLY)],
)  # fmt: skip
def test_a_conclusion_follows_from_claims_that_can_fail(ours, kinds, status):
    verdicts = {
        key: Verdict(claim=replace(CLAIM, key=key, **EVIDENCE | {"kind": kind}), ours=value)
        for key, kind, value in zip("ab", kinds, ours, strict=True)
    }
    assert Conclusion(words="w", where="x", claims=("a", "b")).judge(verdicts) == status
    untestable = Conclusion(words="w", where="x", untestable="it is lost")
    assert untestable.judge({}) == Status.UNTESTABLE


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_claim_that_can_fail_rejects_its_null(paper):
    shown = [claim for claim in paper.make_claims() if claim.kind.can_fail]
    assert len(shown) >= LEAST[paper.name]
    assert [claim.key for claim in shown if not claim.rejects_null] == []


@pytest.mark.parametrize("name", PAPERS)
def test_no_printed_number_counts_as_evidence_twice(name):
    """P4's ratio of grousers was counted twice, as agreeing and as differing."""
    claims = {claim.key: claim for claim in PAPERS[name].make_claims() if claim.kind.can_fail}
    found = [
        (claims[row["key"]].experiment, row["published"], row["ours"])
        for row in SUMMARY["papers"][name]
        if row["key"] in claims and row["published"] not in (0.0, 1.0)
    ]
    assert [one for one, count in Counter(found).items() if count > 1] == []


def test_a_number_that_no_paper_prints_is_no_evidence():
    """Two numbers of P0 were `laws.step_feasibility`, and counted as published."""
    for paper in PAPERS.values():
        for claim in paper.make_claims():
            if "prints none" in claim.where or "not in " in claim.where:
                assert not claim.kind.can_fail, claim.key
    (own,) = {c.kind for c in PAPERS["P0"].make_claims() if c.experiment == "friction"}
    assert own == Kind.OWN_LAW


def drive_varied(variation: Variation) -> Findings:
    """Return the greatest push of two belts that friction bears, over what is needed."""
    robot = variation.vary_robot(load_robot("tp100"))
    (surface, *_) = variation.vary_course(load_course("flat")).terrain.surfaces.values()
    return Findings(values={"slope": surface.friction * robot.mass + 0.001 * variation.seed})


def test_a_verdict_that_friction_or_mass_turns_is_found(monkeypatch, tmp_path):
    load = load_robot("tp100")
    (surface, *_) = load_course("flat").terrain.surfaces.values()
    push = surface.friction * load.mass
    claim = replace(
        CLAIM, paper="P9", experiment="push", published=push, tolerance=0.05 * push, **EVIDENCE
    )
    experiment = Experiment(
        paper="P9", name="push", title="push", run=drive_varied, depends_on=("friction", "seed")
    )
    paper = Paper(name="P9", title="none", experiments=(experiment,), make_claims=lambda: (claim,))
    monkeypatch.setattr(module, "PAPERS", {"P9": paper})
    found, flips = find_flips([paper], workers=HERE, file=tmp_path / "findings.json")
    assert [v.word for v in found[0].verdicts] == [Word.AGREES]
    # It does not say that it depends on mass, so mass is not varied.
    assert [flip.variation for flip in flips] == ["friction -10 %", "friction +10 %"]
    assert flips[0].varied.ours == pytest.approx(0.9 * push)
    assert Variation(mass=1.1).vary_robot(load).mass == pytest.approx(1.1 * load.mass)
    assert Variation(mass=1.1).vary_robot(load).centre_of_mass == pytest.approx(load.centre_of_mass)


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
    keys = {claim.key for claim in claims}
    for conclusion in paper.conclusions:
        assert set(conclusion.claims) <= keys
        assert bool(conclusion.claims) != bool(conclusion.untestable)


def printed_p2() -> Paper:
    """Return P2 without its simulations."""
    names = ("run-13", "rebuilt", "fits", "ratios", "radii")
    paper = PAPERS["P2"]
    return replace(paper, experiments=tuple(e for e in paper.experiments if e.name in names))


def test_p2_comes_out_but_for_what_p2_contradicts_itself_in():
    (found,) = reproduce([printed_p2()], workers=HERE)
    differing = {
        v.claim.key
        for v in found.verdicts
        if v.word == Word.DIFFERS and v.claim.kind == Kind.RECOMPUTED
    }
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
    first = reproduce([printed_p2()], workers=HERE, file=file)

    def fail(paper: str, name: str, **_: float) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(module, "run_experiment", fail)
    reported: list[str] = []
    again = reproduce(
        [printed_p2()], workers=HERE, file=file, on_progress=lambda name, *_: reported.append(name)
    )
    assert reported == [""]
    assert [v.ours for v in again[0].verdicts] == [v.ours for v in first[0].verdicts]
    monkeypatch.setattr(module, "package_source", lambda: "changed")
    with pytest.raises(TaskFailed, match="P2/"):
        reproduce([printed_p2()], workers=HERE, file=file)


def paper_of(experiment: Experiment) -> Paper:
    claim = replace(CLAIM, paper="P9", experiment=experiment.name, remark="what was assumed")
    return Paper(name="P9", title="none", experiments=(experiment,), make_claims=lambda: (claim,))


def fail(variation: Variation) -> Findings:
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
    found = reproduce([printed_p2()], workers=HERE)
    page = compose_claims(found, None)
    for verdict in found[0].verdicts:
        assert format_value(verdict.claim, verdict.ours) in page
    assert page.count('<section class="figure') == len(found[0].panels)
    assert "P2 exchanges two of the four" in page
    assert "another friction" not in page
    stated, varied = (Verdict(claim=CLAIM, ours=ours) for ours in (0.5, 0.7))
    flip = Flip(variation="mass +10 %", stated=stated, varied=varied)
    assert "differs: 0.7" in compose_claims(found, [flip])


def test_an_experiment_is_found_by_its_name():
    assert "sl_o1 of run 13" in run_experiment("P2", "run-13")["values"]


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
                found = experiment.run(AS_STATED).values
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


def ideal_drive(speed: float, rate: float, count: int) -> Drive:
    time = 0.1 * np.arange(1.0, count + 1.0)
    return Drive(
        start=Pose(),
        positions=np.outer(time, [speed, 0.0, 0.0]),
        rotations=Rotation.from_rotvec(np.outer(time, [0.0, 0.0, rate])),
        yaw=float(rate * time[-1]),
    )


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_scenario_has_a_figure(scenario):
    drive = ideal_drive(0.3, 0.6, len(sample_times(scenario)))
    reference = Trajectory(positions=drive.positions, rotations=drive.rotations, source="")
    panel = draw_scenario(scenario, "csm", drive, reference)
    assert [line.name for line in panel.series] == ["stand-in for the robot", "csm"]
    assert np.array_equal(panel.series[0].y, panel.series[1].y)
    assert scenario.name in AXES


def test_a_heading_is_drawn_beyond_half_a_turn_and_an_ideal_drive_is_never_behind():
    by_name = {scenario.name: scenario for scenario in SCENARIOS}
    (turned,) = draw_scenario(by_name["rotate"], "csm", ideal_drive(0.0, 0.6, 100), None).series
    assert turned.y[-1] == pytest.approx(6.0)
    (behind,) = draw_scenario(by_name["straight"], "csm", ideal_drive(0.3, 0.0, 100), None).series
    assert np.abs(behind.y).max() < 1e-9


def test_searched_values_are_of_parameters_and_within_their_ranges():
    assert {"csm", "4wheels"} <= tuned_values().keys()
    for name, values in tuned_values().items():
        parameters = {parameter.name: parameter for parameter in P1_MODELS[name].parameters}
        assert values.keys() == parameters.keys()
        for parameter, value in values.items():
            assert parameters[parameter].low <= value <= parameters[parameter].high


def test_courses_are_compared_only_if_both_were_driven():
    driven = {"rms position error, course 2": 0.1}
    assert compare_courses(driven) == {}
    driven["rms position error, course 3"] = 0.2
    assert compare_courses(driven) == {"course 2 is followed better than course 3": 1.0}
    assert draw_errors(driven) == ()


def test_an_outcome_is_marked_beside_what_p4_saw():
    assert draw_outcomes({}) == ()
    first = read_steps()[0]
    (panel,) = draw_outcomes({name_step(first.angle_deg, first.height_mm): 0.0})
    assert [(mark.symbol, mark.words) for mark in panel.marks] == [("no", "P4: climbs")]


def test_a_stem_goes_from_zero_to_its_number():
    panel = draw_stems("k", "t", "y", ["a", "b"], {"ours": ([1.0, 3.0], "#000000")})
    (line,) = panel.series
    assert np.array_equal(line.y, [0.0, 1.0, np.nan, 0.0, 3.0, np.nan], equal_nan=True)
    assert panel.x_names == ("a", "b")
