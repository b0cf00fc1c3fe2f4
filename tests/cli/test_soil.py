"""`grouser soil`."""

import json
from pathlib import Path

import numpy as np
import pytest

from grouser.description import load_robot, load_soil, soil_names
from grouser.laws.soil_drive import SoilDrive, belts_of


def test_every_soil_has_a_column(grouser):
    answer = grouser("soil quince")
    assert answer.code == 0
    heads = answer.out.splitlines()[1].split()
    assert heads == list(soil_names())
    for word in ("sinkage [mm]", "pull at 20 % slip [N]", "steepest slope [deg]", "power [W]"):
        assert word in answer.out
    assert "K is uncertain by a factor of two" in answer.out


def test_json_has_the_numbers_of_the_laws(grouser):
    answer = grouser("soil tp100 dry-sand snow --json --speed 0.1").json
    assert [soil["soil"] for soil in answer["soils"]] == ["dry-sand", "snow"]
    drive = SoilDrive(belts=belts_of(load_robot("tp100")), soil=load_soil("snow"))
    snow = answer["soils"][1]
    assert snow["sinkage_m"] == pytest.approx(float(drive.sinkage()))
    curve = snow["curve"]
    assert curve["pull_N"] == pytest.approx(drive.pull(np.array(curve["slip"])).tolist())
    assert answer["speed_m_s"] == 0.1
    assert any("smooth belts" in note for note in answer["notes"])


def test_the_picture_and_the_numbers_are_written(grouser, tmp_path: Path):
    pytest.importorskip("matplotlib")
    answer = grouser("soil quince lete-sand snow --out sheet.png sheet.json")
    assert "written: sheet.png\nwritten: sheet.json\n" in answer.out
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "sheet.json").read_text())["robot"] == "quince"
    assert grouser("soil quince snow --out sheet.json").code == 2


def test_a_fit_stands_beside_the_soil_it_began_with(grouser, tmp_path: Path):
    drive = SoilDrive(belts=belts_of(load_robot("quince")), soil=load_soil("lete-sand"))
    rows = [
        f"{slip},{float(drive.pull(slip, weight)):.2f},{weight}"
        for weight in (320.0, 600.0)
        for slip in (0.02, 0.05, 0.1, 0.2, 0.4)
    ]
    (tmp_path / "pulls.csv").write_text("slip,pull_N,weight_N\n" + "\n".join(rows))
    found = grouser("soil quince lete-sand --fit pulls.csv --json").json
    assert [soil["soil"] for soil in found["soils"]] == ["lete-sand", "lete-sand, fitted"]
    estimate = found["fit"]["estimates"]["shear_modulus_m"]
    assert estimate["value"] == pytest.approx(0.012, rel=0.01)
    assert estimate["determined"] is True
    (tmp_path / "pulls.csv").write_text("slip,pull\n" + "0.1,80\n0.1,81\n" * 3)
    text = grouser("soil quince lete-sand --fit pulls.csv").out
    assert "not determined" in text
    assert "K cannot be determined: all slips are the same" in text


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("soil quince dry-sant", "no soil named 'dry-sant' (did you mean 'dry-sand'?)"),
        ("soil quinze", "no robot named 'quinze'"),
        ("soil quince my.toml", "my.toml: there is no file here; give the path of a soil file"),
        ("soil quince snow --fit no.csv", "no.csv: there is no such file"),
        ("soil quince --fit no.csv", "SOIL with --fit must name the one soil"),
        ("soil quince snow --fit bad.csv", "bad.csv: column 'pull' is missing"),
        ("soil quince snow --out sheet.pdf", "--out must end in .png, .svg or .json"),
        ("soil quince snow --speed 0", "--speed must be from"),
    ],
)
def test_mistakes_are_sentences(grouser, tmp_path: Path, line: str, sentence: str):
    (tmp_path / "bad.csv").write_text("slip\n0.1\n")
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
