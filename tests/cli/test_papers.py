"""`grouser reproduce` and `grouser paper`."""

import json

import pytest

from grouser.papers.p1.scenarios import P1_MODELS
from grouser.papers.p1.search import Search


def test_p1_compare_prints_table_1_beside_p1s_and_keeps_what_it_did(grouser, tmp_path):
    line = "paper p1 compare --models no_friction --scenarios straight circular --runs 1 --out out"
    answer = grouser(line)
    assert answer.code == 0
    assert "Straight d_t" in answer.out
    assert "synthetic reference" in answer.out
    assert (tmp_path / "out/table1.md").read_text().startswith("| scenario | metric | no_friction")
    before = (tmp_path / "out/results.json").read_bytes()
    again = grouser(f"{line} --overwrite --json").json
    assert (tmp_path / "out/results.json").read_bytes() == before
    assert again["table_1"][0]["ours"]["no_friction"]["mean"] < 0.05


@pytest.fixture
def bowl(monkeypatch):
    monkeypatch.setattr(Search, "_cost", lambda self, values: abs(values["linear_gain"] - 0.9))


def test_p1_search_prints_what_it_found_and_compare_uses_it(grouser, bowl):
    answer = grouser(
        "paper p1 search --model no_friction --method cma --workers 1 "
        "--out tuned/tune-no_friction.json"
    )
    assert answer.code == 0
    assert "no_friction, search cma: cost 0.10 to" in answer.out
    best = grouser(
        "paper p1 search --model no_friction --method cma --workers 1 "
        "--out tuned/tune-no_friction.json --json"
    ).json["best"]
    line = (
        "paper p1 compare --models no_friction --scenarios straight --runs 1 --tuned tuned --json"
    )
    found = grouser(line).json["table_1"][0]["ours"]["no_friction"]["mean"]
    assert found == pytest.approx(3.0 - 3.0 * best["values"]["linear_gain"], abs=0.05)


def test_p1_search_of_all_models_has_one_budget_and_continues(grouser, bowl, tmp_path):
    line = "paper p1 search --all --iterations 1 --samples 3 --workers 1"
    assert grouser(line).code == 0
    found = json.loads((tmp_path / "out/p1/tuned.json").read_text())["found"]
    assert set(found) == set(P1_MODELS)
    assert {entry["vectors"] for entry in found.values()} == {4}
    before = (tmp_path / "out/p1/tune-plates2.json").read_bytes()
    assert grouser(line).code == 0
    assert (tmp_path / "out/p1/tune-plates2.json").read_bytes() == before


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("paper p1 compare --models tank", "no model of P1 named 'tank'; available: 4wheels"),
        (
            "paper p1 compare --scenarios moon",
            "no scenario of P1 named 'moon'; available: back-and-forth",
        ),
        ("paper p1 compare --runs 0", "--runs must be at least 1, not 0"),
        ("paper p1 compare --references none", "--references must be a folder, not 'none'"),
        ("paper p1 compare --tuned none", "--tuned must be a folder, not 'none'"),
        ("paper p1 search --model tank", "no model of P1 named 'tank'"),
        (
            "paper p1 search --method luck",
            "no method of search named 'luck'; available: cem, cma, p1",
        ),
        ("paper p1 search --samples 2", "--samples must be at least 3, not 2"),
        ("paper p1 search --scenarios pallet", "--scenarios must have a target; recordings of"),
        ("paper p1 search --all --out a.json", "--out must be left out with --all, not 'a.json'"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


RUN = "run --robot tankbot --model tankbot --course treadmill"


def test_a_manoeuvre_is_driven_plotted_and_replayed(grouser, tmp_path):
    answer = grouser(f"{RUN} --drive manoeuvre:name=step-x --duration 7 --out a.csv --plot a.html")
    assert answer.code == 0, answer.err
    page = (tmp_path / "a.html").read_text()
    for words in ("Forces on the robot", "Track force over slip", "Lateral force over sideslip",
                  "Voltages", "Place across"):  # fmt: skip
        assert words in page
    assert grouser("replay a.csv").code == 0
    assert grouser("plot a.csv --out a.png").code == 0
    assert (tmp_path / "a.png").stat().st_size > 50_000


def test_a_tilted_manoeuvre_asks_for_a_tilted_treadmill(grouser):
    answer = grouser(f"{RUN} --drive manoeuvre:name=step-y-pitched")
    assert answer.code == 2
    assert "must be treadmill:slope_deg=2,roll_deg=0 for manoeuvre 'step-y-pitched'" in answer.err
    line = f"{RUN}:slope_deg=2 --drive manoeuvre:name=step-y-pitched --duration 1"
    assert grouser(line).code == 0


def test_mistakes_are_told_in_one_sentence(grouser):
    for line, words in (
        (f"{RUN} --drive manoeuvre:name=step-z", "no manoeuvre named 'step-z'"),
        (f"{RUN} --drive manoeuvre:delay=0.5", "command delay must be a whole number"),
        (f"{RUN} --drive manoeuvre:gain_mode=si", "gain_mode must be per_sample_difference or"),
        ("run --robot tankbot --model slip --course flat --drive manoeuvre",
         "driver 'manoeuvre' needs motors, which model 'slip' lacks; models that can: tankbot"),
        ("run --robot tp100 --model tankbot --course flat --drive manoeuvre",
         "robot must have a [drive.motor] to be held by voltages, not 'tp100'"),
        ("reproduce P7", "no paper named 'P7'"),
    ):  # fmt: skip
        answer = grouser(line)
        assert answer.code == 2
        assert words in answer.err


def test_all_experiments_of_the_paper_run_at_once(grouser, tmp_path):
    answer = grouser("paper p3 --out out --json")
    assert answer.code == 0
    found = answer.json
    assert found["responses"]["step-x"]["x_overshoot_pct"] > 30.0
    assert len(found["statistics"]) == 18
    assert {"C_alpha", "D_l", "J"} <= {entry["name"] for entry in found["parameters"]}
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert len(pages) == 8
    assert {"step-y-rolled.html", "slip-utilisation.html"} <= set(pages)


def test_conclusions_and_evidence_are_printed_and_written(grouser, tmp_path):
    answer = grouser("reproduce P2 --quick --out out")
    assert answer.code == 0
    assert "evidence 14 agrees, 15 differs" in answer.out
    assert "not reproduced" in answer.out
    assert "145 recomputed (131 agree)" in answer.out + answer.err
    (content,) = json.loads((tmp_path / "out" / "claims.json").read_text())
    assert content["paper"] == "P2"
    assert {claim["verdict"] for claim in content["claims"]} == {
        "agrees", "differs", "cannot be compared",
    }  # fmt: skip
    assert {"reproduced", "not reproduced"} <= {c["status"] for c in content["conclusions"]}
    assert (tmp_path / "out" / "claims.html").stat().st_size > 1e6


def test_an_unknown_paper_is_told(grouser):
    answer = grouser("reproduce P7")
    assert answer.code == 2
    assert "no paper named 'P7'" in answer.err
