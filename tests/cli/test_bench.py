"""`grouser bench`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grouser.bench import QUICK, SECTIONS, BenchOptions
from grouser.bench.case import Sample


@pytest.fixture
def tiny(monkeypatch):
    """Measure next to nothing."""
    monkeypatch.setitem(QUICK, "repeats", 1)
    monkeypatch.setitem(QUICK, "share", 0.001)


def test_the_table_names_machine_reference_and_ratio(grouser, tmp_path, tiny):
    answer = grouser("bench --quick --model slip csm:patches=2 --robot tp100 --out b.json")
    assert answer.code == 0, answer.err
    assert "robot tp100; " in answer.out
    assert "mujoco " in answer.out
    assert "models: real-time factor; every model, one robot on flat ground; ÷ ideal" in answer.out
    assert "numbers: b.json" in answer.err
    content = json.loads((tmp_path / "b.json").read_text())
    assert [row["case"] for row in content["rows"]] == ["ideal", "slip", "csm:patches=2"]
    assert content["rows"][0]["ratio"] == 1.0
    assert content["is_interrupted"] is False
    assert content["machine"]["cores"] >= 1
    assert "is_idle" in content["machine"]


def test_the_whole_table_fits_into_a_hundred_columns(grouser, tiny, monkeypatch):
    monkeypatch.setattr("grouser.cli.terminal.WIDTH_OF_A_PIPE", 100)
    sample = Sample(value=123_456.7, step=0.0123, note="1 ms, 416 contacts")
    for name, section in SECTIONS.items():
        cases = [
            replace(case, start=lambda: lambda: sample) for case in section.cases(BenchOptions())
        ]
        monkeypatch.setitem(SECTIONS, name, replace(section, cases=lambda _, cases=cases: cases))
    answer = grouser("bench --quick")
    assert answer.code == 0, answer.err
    machine, *table = answer.out.splitlines()
    assert machine.startswith("robot quince; ")
    assert max(len(line) for line in table) <= 100
    assert "…" not in answer.out
    assert "FlatTracking, csm: vector of 64" in answer.out


def test_json_for_machines_is_all_that_is_written(grouser, tiny):
    answer = grouser("bench --quick --only flippers --robot tp100 --json --out b.json")
    assert answer.code == 0
    assert [row["case"] for row in answer.json["rows"]] == ["csm, 0 flippers"]
    assert json.loads(Path("b.json").read_text())["rows"] == answer.json["rows"]


def test_an_interrupt_leaves_what_is_done(grouser, tmp_path, tiny, monkeypatch):
    done = []

    def once(*_, **__):
        if done:
            raise KeyboardInterrupt
        done.append(True)
        return 0.01

    monkeypatch.setattr("grouser.bench.cases.time_drive", once)
    answer = grouser("bench --quick --model slip --robot tp100 --out b.json")
    assert answer.code == 130
    assert "interrupted; what was measured is printed" in answer.err
    content = json.loads((tmp_path / "b.json").read_text())
    assert [row["case"] for row in content["rows"]] == ["ideal"]
    assert content["is_interrupted"] is True


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("bench --only moon", "no section of the benchmark named 'moon'; available: batch, "),
        ("bench --model xyz", "no model named 'xyz'; available: csm, "),
        ("bench --robot moon", "no robot named 'moon'"),
        ("bench --markdown none.md", "--markdown must be a page (No such file or directory), not"),
        ("bench --only", "--only needs a value"),
        ("bench --out", "--out needs a value"),
        ("bench --qick", "bench has no option --qick (did you mean --quick?)"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


def test_the_usual_run_measures_more_often_than_the_quick_one():
    assert BenchOptions().repeats > QUICK["repeats"]
    assert BenchOptions().share > QUICK["share"]
