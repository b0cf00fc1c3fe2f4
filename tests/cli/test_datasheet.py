"""`grouser datasheet`."""

import json

import pytest

LINE = "datasheet tp100 --workers 1 --quick --model csm --rows energy_slope lane-gap --out out"
OWN = """
name = "mine"
title = "<b>four wheels</b> of my own"
[body]
mass_kg = 4.0
size_m = [0.3, 0.2, 0.1]
centre_m = [0.0, 0.0, 0.12]
centre_of_mass_m = [0.0, 0.0, 0.1]
[drive]
speed_limit_m_s = 0.05
acceleration_limit_m_s2 = 1.0
torque_limit_N_m = 0.01
"""
WHEEL = """
[[wheels]]
name = "{side} {place}"
side = "{side}"
x_m = {x}
y_m = {y}
radius_m = 0.06
width_m = 0.03
"""


@pytest.fixture
def own(tmp_path):
    """Return the file of a slow robot on weak wheels."""
    corners = [(s, p, x, y) for s, y in (("left", 0.12), ("right", -0.12))
               for p, x in (("front", 0.1), ("rear", -0.1))]  # fmt: skip
    wheels = "".join(WHEEL.format(side=s, place=p, x=x, y=y) for s, p, x, y in corners)
    (tmp_path / "mine.toml").write_text(OWN + wheels)
    return "mine.toml"


def test_a_sheet_has_a_page_and_numbers(grouser, tmp_path):
    done = grouser(LINE)
    assert done.code == 0, done.err
    assert "energy per metre, up 10° [J/m]" in done.out
    page = (tmp_path / "out/sheet.html").read_text()
    assert page.count("<svg") == 3, "drawings from three sides"
    assert ">185<" in page, "its length in mm"
    assert "script" not in page
    assert "@page" in page
    content = json.loads((tmp_path / "out/sheet.json").read_text())
    (robot,) = content["robots"]
    assert robot["robot"] == "tp100"
    energy, lane = robot["rows"]
    assert energy["models"]["csm"]["value"] == pytest.approx(1.57, rel=0.02)
    assert lane["models"]["csm"]["details"]["starts [1]"] == 1
    assert "halving" not in energy["method"]


def test_an_interrupted_sheet_continues(grouser, tmp_path, monkeypatch):
    from grouser.datasheet import sheet

    measure = sheet.all_rows()["lane-gap"].measure

    def interrupt(*_):
        raise KeyboardInterrupt

    rows = sheet.all_rows()
    monkeypatch.setitem(rows, "lane-gap", _with(rows["lane-gap"], interrupt))
    first = grouser(LINE)
    assert first.code == 130
    assert "the same command continues from out/results.json" in first.err
    kept = json.loads((tmp_path / "out/results.json").read_text())
    assert [name.partition(" by")[0] for name in kept] == ["tp100: energy_slope"]
    assert not (tmp_path / "out/sheet.html").exists()

    monkeypatch.setitem(rows, "lane-gap", _with(rows["lane-gap"], measure))
    monkeypatch.setitem(rows, "energy_slope", _with(rows["energy_slope"], interrupt))
    second = grouser(LINE)
    assert second.code == 0, second.err
    after = json.loads((tmp_path / "out/results.json").read_text())
    assert len(after) == 2
    assert after.items() >= kept.items()


def _with(row, measure):
    from dataclasses import replace

    return replace(row, measure=measure)


def test_robots_stand_beside_each_other(grouser, tmp_path, own):
    rows = "--rows top_speed turning energy_soil --out out --json"
    done = grouser(f"datasheet tp100 {own} --workers 1 --quick --model csm {rows}")
    assert done.code == 0, done.err
    first, second = done.json["robots"]
    assert (first["robot"], second["robot"]) == ("tp100", "mine")
    by_key = {row["key"]: row["models"]["csm"] for row in second["rows"]}
    assert by_key["turning"]["limit"] == "torque", "its motors stall"
    assert by_key["energy_soil"]["reason"].startswith("not possible: robot must have tracks")
    page = (tmp_path / "out/sheet.html").read_text()
    assert page.count("<svg") == 6
    assert "&lt;b&gt;four wheels&lt;/b&gt;" in page


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("datasheet", "ROBOT is missing"),
        ("datasheet nope", "no robot named 'nope'"),
        ("datasheet tp100 tp100", "robot must be given once, not 'tp100'"),
        (
            "datasheet tp100 --rows moon",
            "no row of a data sheet named 'moon'; available: energy_level",
        ),
        ("datasheet tp100 --model moon", "no model named 'moon'"),
        ("datasheet tp100 --seeds 0", "--seeds must be a whole number from 1 to 100, not '0'"),
        ("datasheet tp100 --friction -1", "--friction must be"),
        ("datasheet tp100 --rows top --out mine.toml", "lie in a folder, which"),
    ],
)
def test_bad_input_is_one_sentence(grouser, own, line, sentence):
    done = grouser(line)
    assert done.code == 2, (done.code, done.err)
    assert sentence in done.err
    assert len(done.err.strip().splitlines()) == 1
