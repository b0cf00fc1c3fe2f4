"""The data sheets in the documentation agree with `grouser reproduce`, and are of these robots."""

import json
from pathlib import Path

import pytest
from docs.make_datasheets import restore_sheet

from grouser.datasheet import compose_page
from grouser.datasheet.sheet import all_rows
from grouser.description import load_robot
from grouser.papers.data_sheet import EXPERIMENTS
from grouser.papers.paper import PAPERS

DOCS = Path(__file__).parents[2] / "docs"
SHEETS = {file.stem: json.loads(file.read_text()) for file in DOCS.glob("datasheets/*.json")}
CLAIMS = json.loads((DOCS / "claims.json").read_text())["papers"]


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_published_rows_are_those_of_reproduce(name):
    """P4's Table IV and highest steps, P1's stairs."""
    kept = {
        row["key"]: row["ours"] for paper in {p for p, _ in EXPERIMENTS[name]}
        for row in CLAIMS[paper]
    }  # fmt: skip
    rows = SHEETS[name]["published"]
    expected = [
        claim.key
        for paper, experiment in EXPERIMENTS[name]
        for claim in PAPERS[paper].make_claims()
        if claim.experiment == experiment
    ]
    assert [row["claim"] for row in rows] == expected
    for row in rows:
        assert row["ours"] == pytest.approx(kept[row["claim"]], rel=1e-4), row["claim"]


def test_the_rows_of_the_step_are_p4s():
    rows = {row["key"]: row["models"]["segments"] for row in SHEETS["quince"]["rows"]}
    published = {row["claim"]: row["ours"] for row in SHEETS["quince"]["published"]}
    assert rows["step_up"]["value"] == published["highest step at 0°"]
    assert rows["step_up_raised"]["value"] == published["highest step at 45°"]


@pytest.mark.parametrize("name", list(SHEETS))
def test_a_sheet_is_of_this_robot_and_has_all_rows(name):
    sheet = SHEETS[name]
    assert sheet["robot_hash"] == load_robot(name).content_hash
    assert [row["key"] for row in sheet["rows"]] == list(all_rows())
    page = (DOCS / f"datasheets/{name}.html").read_text()
    assert len(page) < 200_000
    assert page == compose_page([restore_sheet(sheet)]), "python -m docs.make_datasheets --render"


@pytest.mark.parametrize("name", list(SHEETS))
def test_what_a_sheet_says_needs_no_decoding(name):
    """A search that began where the robot fails, an energy of 0.0, slip of 448%."""
    text = json.dumps(SHEETS[name], ensure_ascii=False)
    for words in ("fails at friction 2", '"nothing"', "gets on by", "beyond its support", "0% of"):
        assert words not in text
    rows = {row["key"]: row for row in SHEETS[name]["rows"]}
    for cell in rows["energy_level"]["models"].values():
        assert "value" not in cell
        assert cell["reason"].startswith("not modelled: losses of belts and gears")
