"""`grouser contest` and `grouser tune`."""

import pytest

from grouser.papers.p1.search import Search


def test_contest_prints_table_1_beside_p1s_and_keeps_what_it_did(grouser, tmp_path):
    line = "contest --entrants no_friction --scenarios straight circular --runs 1 --out-dir out"
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


def test_tune_tells_what_it_found_and_contest_takes_it(grouser, bowl):
    answer = grouser(
        "tune --entrant no_friction --method cma --workers 1 --out tuned/tune-no_friction.json"
    )
    assert answer.code == 0
    assert "no_friction, search cma: cost 0.10 to" in answer.out
    best = grouser(
        "tune --entrant no_friction --method cma --workers 1 --out tuned/tune-no_friction.json "
        "--json"
    ).json["best"]
    line = "contest --entrants no_friction --scenarios straight --runs 1 --tuned tuned --json"
    found = grouser(line).json["table_1"][0]["ours"]["no_friction"]["mean"]
    assert found == pytest.approx(3.0 - 3.0 * best["values"]["linear_gain"], abs=0.05)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("contest --entrants tank", "no model of P1 named 'tank'; available: 4wheels"),
        ("contest --scenarios moon", "no scenario of P1 named 'moon'; available: back-and-forth"),
        ("contest --runs 0", "--runs must be at least 1, not 0"),
        ("contest --references none", "--references must be a folder, not 'none'"),
        ("contest --tuned none", "--tuned must be a folder, not 'none'"),
        ("tune --entrant tank", "no model of P1 named 'tank'"),
        ("tune --method luck", "no method of search named 'luck'; available: cem, cma, p1"),
        ("tune --samples 2", "--samples must be at least 3, not 2"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
