"""P1's comparison: driven once, kept, told in its tables."""

import json

import numpy as np
import pytest

from grouser.errors import NotFinite, Unreadable
from grouser.papers.p1 import comparison as comparing
from grouser.papers.p1 import search as searching
from grouser.papers.p1.comparison import ModelComparison, P1Result, drive_model
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS
from grouser.papers.p1.search import Search
from grouser.papers.p1.tables import format_markdown, format_properties, make_table_1, make_table_2

FLAT = tuple(s for s in SCENARIOS if s.name in ("straight", "stand"))


def result(model: str, scenario: str, run: int = 0, **metrics: float) -> P1Result:
    return P1Result(model=model, scenario=scenario, run=run, metrics=metrics, seconds=1.0,
                   reference="")  # fmt: skip


@pytest.fixture
def drives(monkeypatch):
    """Count the drives, and let none take time."""
    made = []

    def pretend(model, scenario, values, *, run, references):
        made.append((model.name, scenario.name, run))
        found = result(model.name, scenario.name, run, d_t=0.1, d_st=0.0, d_omega=0.0)
        return found, None, None

    monkeypatch.setattr(comparing, "drive_model", pretend)
    return made


def test_what_is_done_is_not_driven_again(drives, tmp_path):
    comparison = ModelComparison(
        models=(P1_MODELS["csm"],), scenarios=FLAT, runs=2, file=tmp_path / "r.json"
    )
    steps = comparison.results()
    next(steps), next(steps), next(steps)  # and then somebody pulls the plug
    assert len(drives) == 3
    assert len(list(comparison.results())) == 4
    assert len(drives) == 4


def test_other_values_are_driven_anew(drives, tmp_path):
    keep = {"models": (P1_MODELS["csm"],), "scenarios": FLAT, "runs": 1, "file": tmp_path / "r"}
    list(ModelComparison(**keep).results())
    list(ModelComparison(**keep, values={"csm": {"linear_gain": 1.1}}).results())
    assert len(drives) == 4


def test_a_file_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "r.json").write_text("time,x")
    with pytest.raises(Unreadable, match=r"r\.json: does not hold results of a comparison"):
        list(ModelComparison(file=tmp_path / "r.json").results())


def test_csm_stands_on_the_stairs_and_no_friction_does_not():
    # P1 Table I: 0.0 m and 0.2 m.
    stand = tuple(s for s in SCENARIOS if s.name == "stand")
    names = ("csm", "no_friction")
    comparison = ModelComparison(models=tuple(P1_MODELS[n] for n in names), scenarios=stand, runs=1)
    (row, _) = make_table_1(comparison.results())
    assert row.ours["csm"].mean < 0.001
    assert row.ours["no_friction"].mean == pytest.approx(0.2, abs=0.1)
    assert row.theirs["csm"].mean == 0.0


def test_a_robot_that_slides_while_it_settles_does_not_stand():
    # csm at friction 0.3 slides 0.19 m from where it is put down, and lies still after that.
    (stand,) = (s for s in SCENARIOS if s.name == "stand")
    low = {"mu_first": 0.3, "mu_second": 0.075}
    slid, drive, _ = drive_model(P1_MODELS["csm"], stand, P1_MODELS["csm"].start | low)
    assert slid.metrics["d_st"] > 0.15
    assert np.linalg.norm(drive.positions[-1] - drive.positions[0]) < 0.001


def test_table_1_has_means_spreads_and_what_p1_printed():
    results = [result("csm", "straight", run, d_t=d) for run, d in enumerate((0.1, 0.3))]
    (row,) = make_table_1(results)
    assert (row.scenario, row.metric, row.unit) == ("Straight", "d_t", "m")
    assert row.ours["csm"] == pytest.approx((0.2, 0.1))
    page = format_markdown([row], synthetic=True)
    assert "| Straight | d_t [m] | 0.20 ± 0.10 (0.10 ± 0.00) |" in page
    assert "synthetic reference" in page


def test_table_2_judges_models_that_drove_everything():
    metrics = dict.fromkeys(("d_t", "d_st", "d_omega", "mean_d_t", "sum_d_t", "sum_d_omega"), 0.01)
    fine = [result("csm", s.name, **metrics) for s in SCENARIOS]
    slides = [result("no_friction", s.name, **metrics | {"d_st": 0.19}) for s in SCENARIOS]
    table = make_table_2([*fine, *slides, result("8wheels", "straight", d_t=0.0)])
    judged = {words: ours for words, ours, _ in table}
    assert judged["Plausibility on rough terrain"] == {"csm": True, "no_friction": False}
    assert judged["Plausibility on flat surfaces"] == {"csm": True, "no_friction": True}
    assert "| Grousers | no (no) | no (no) |" in format_properties(table)


@pytest.fixture
def bowl(monkeypatch):
    """Let the cost be a bowl, and count the questions."""
    asked = []

    def cost(self, values):
        asked.append(values)
        return (values["linear_gain"] - 0.93) ** 2 + 0.1 * (values["angular_gain"] - 1.7) ** 2

    monkeypatch.setattr(Search, "_cost", cost)
    return asked


@pytest.mark.parametrize("method", ["p1", "cem", "cma"])
def test_a_search_finds_something_better_than_its_start(bowl, method):
    found = Search(model=P1_MODELS["no_friction"], method=method, iterations=8, samples=8).run()
    costs = [answer["cost"] for answer in found["answers"]]
    assert len(costs) == 65
    assert found["best"]["cost"] == min(costs) < 0.2 * costs[0]
    assert found["answers"][0]["values"]["linear_gain"] == pytest.approx(1.0)


def test_cma_narrows_down_where_p1s_search_keeps_throwing_wide(bowl):
    spreads = {}
    for method in ("p1", "cma"):
        search = Search(model=P1_MODELS["no_friction"], method=method, iterations=25, samples=8)
        last = [answer["values"]["linear_gain"] for answer in search.run()["answers"][-16:]]
        spreads[method] = np.std(last)
    assert spreads["cma"] < 0.2 * spreads["p1"]


@pytest.mark.parametrize("method", ["p1", "cem", "cma"])
def test_an_interrupted_search_goes_on_where_it_was(bowl, method, tmp_path):
    settings = {"model": P1_MODELS["no_friction"], "method": method, "seed": 3}
    whole = Search(**settings).run()
    asked = len(bowl)

    def stop(done, total, best):
        if done == 11:
            raise KeyboardInterrupt

    search = Search(**settings, file=tmp_path / "s.json")
    with pytest.raises(KeyboardInterrupt):
        search.run(stop)
    assert len(json.loads((tmp_path / "s.json").read_text())["answers"]) == 11
    assert search.run()["answers"] == whole["answers"]
    assert len(bowl) == 2 * asked  # nothing was asked twice


def test_the_file_of_another_search_is_refused(bowl, tmp_path):
    file = tmp_path / "s.json"
    Search(model=P1_MODELS["csm"], iterations=1, file=file).run()
    with pytest.raises(Unreadable, match=r"s\.json: holds the answers of another search"):
        Search(model=P1_MODELS["csm"], iterations=1, seed=1, file=file).run()
    file.write_text("{}")
    with pytest.raises(Unreadable, match=r"s\.json: does not hold the answers of a search"):
        Search(model=P1_MODELS["csm"], iterations=1, file=file).run()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"cost": 1.5', '"cost": NaN', "cost must be a number from 0, not nan"),
        ('"cost": 1.5', '"price": 1.5', "cost must be a number from 0, not None"),
        ('"seconds": 2.5', '"seconds": -1', "seconds must be a number from 0, not -1"),
        (
            '"linear_gain": 1.0',
            '"linear_gain": 9.0',
            "linear_gain must be a number from 0.8 to 1.2",
        ),
        ('"linear_gain": 1.0', '"linear_gain": "1"', "linear_gain must be a number from 0.8"),
        ('"linear_gain"', '"gain"', "values must be numbers by the names linear_gain"),
        ('"linear_gain": 1.0,', "", "values must name all parameters"),
    ],
)
def test_answers_that_cannot_be_some_are_refused(tmp_path, old, new, sentence):
    search = Search(model=P1_MODELS["csm"], iterations=1, file=tmp_path / "s.json")
    answer = {"values": P1_MODELS["csm"].start, "cost": 1.5, "seconds": 2.5}
    text = json.dumps({**search._settings(), "best": answer, "answers": [answer]})
    (tmp_path / "s.json").write_text(text)
    assert search._read() == [answer]
    assert old in text
    (tmp_path / "s.json").write_text(text.replace(old, new))
    with pytest.raises(Unreadable, match=rf"s\.json: does not hold the answers .*{sentence}"):
        search._read()


def test_the_cost_is_of_targets_over_what_was_commanded(monkeypatch):
    # 0.06 m of 0.6 m, and 0.12 rad of 1.2 rad, not wrapped, in the first two seconds.
    driven = []

    def pretend(model, scenario, values, *, run):
        driven.append((scenario.name, scenario.duration, scenario.target))
        metrics = {"d_t": 0.06, "d_yaw": -0.12, "d_omega": 9.0, "d_st": 9.0}
        return result(model.name, scenario.name, run, **metrics), None, None

    monkeypatch.setattr(searching, "drive_model", pretend)
    cost = Search(model=P1_MODELS["csm"])._cost(P1_MODELS["csm"].start)
    assert cost == pytest.approx(0.1 + 0.1)
    assert driven == [
        ("straight", 2.0, pytest.approx((0.6, 0.0))), ("rotate", 2.0, pytest.approx((0.0, 1.2)))
    ]  # fmt: skip


def test_a_drive_that_diverges_costs_more_than_one_that_never_moves(monkeypatch):
    def diverge(*_, **__):
        raise NotFinite("pose.x", 0.1, None)

    monkeypatch.setattr(searching, "drive_model", diverge)
    assert Search(model=P1_MODELS["plates2"])._cost({}) == 2 * searching.DIVERGED > 2.0
