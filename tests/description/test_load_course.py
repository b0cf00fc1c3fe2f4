import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from grouser.description.load import load_course, parse_course
from grouser.description.reference import parse_reference
from grouser.errors import InvalidDescription, InvalidValue, UnknownName

TEXT = """
name = "valley"
[parameters.angle_deg]
default = 10.0
minimum = 0.0
maximum = 45.0
help = "steepness of both sides"
[[terrain]]
kind = "plane"
slope_deg = "$angle_deg"
[[terrain]]
kind = "plane"
slope_deg = "-$angle_deg"
"""


@pytest.fixture
def valley(tmp_path: Path) -> Path:
    (tmp_path / "valley.toml").write_text(TEXT)
    return tmp_path / "valley.toml"


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("step", "step", {}),
        ("step:height_m=0.2", "step", {"height_m": 0.2}),
        ("step:height_m=-2e-1, mode=exact", "step", {"height_m": -0.2, "mode": "exact"}),
        ("C:\\courses\\step.toml", "C:\\courses\\step.toml", {}),
        ("C:\\step.toml:height_m=0.2", "C:\\step.toml", {"height_m": 0.2}),
        ("slip:file=C:\\x", "slip", {"file": "C:\\x"}),
        ("a:b", "a:b", {}),
    ],
)
def test_a_reference_is_a_name_and_perhaps_parameters(text: str, name: str, parameters: dict):
    assert parse_reference(text) == (name, parameters)


@pytest.mark.parametrize(
    "text", ["step:height_m=", "step:=3", "step:height_m=1,width", "s:a=1,a=2"]
)
def test_a_reference_that_is_no_reference_is_refused(text: str):
    with pytest.raises(InvalidValue, match="parameters must"):
        parse_reference(text)


def test_parameters_stand_where_the_file_names_them(valley: Path):
    heights = load_course(valley).terrain.height(np.array([-2.0, 2.0]), 0.0)
    assert heights == pytest.approx(2.0 * math.tan(math.radians(10.0)))


def test_parameters_come_with_the_name_or_as_arguments(valley: Path):
    assert load_course(f"{valley}:angle_deg=20").parameters == {"angle_deg": 20.0}
    assert load_course(valley, angle_deg=30.0).parameters == {"angle_deg": 30.0}
    steep = load_course(f"{valley}:angle_deg=20", angle_deg=45.0)
    assert steep.parameters == {"angle_deg": 45.0}
    assert steep.terrain.height(1.0, 0.0) == pytest.approx(1.0)


def test_a_parameter_is_part_of_the_hash_but_not_of_the_text(valley: Path):
    plain, steep = load_course(valley), load_course(valley, angle_deg=20.0)
    assert plain.content_hash != steep.content_hash
    assert plain.content_hash == load_course(valley, angle_deg=10.0).content_hash
    assert plain.text == steep.text == TEXT
    again = parse_course(steep.text, "log", **steep.parameters)
    assert again.content_hash == steep.content_hash


def test_an_unknown_parameter_is_refused(valley: Path):
    with pytest.raises(UnknownName, match=r"no parameter named 'angle' \(did you mean 'angle_deg'"):
        load_course(valley, angle=3.0)
    with pytest.raises(UnknownName, match="no parameter named 'angle'; available: none"):
        load_course("flat:angle=3")


@pytest.mark.parametrize("value", ["46", "-1", "nan"])
def test_a_parameter_out_of_its_range_is_refused(valley: Path, value: str):
    with pytest.raises(InvalidValue, match="angle_deg must be from 0 to 45, not"):
        load_course(valley, angle_deg=float(value))
    with pytest.raises(InvalidValue, match="angle_deg must be (from 0 to 45|a finite number), not"):
        load_course(f"{valley}:angle_deg={value}")


def test_a_parameter_that_is_no_number_is_refused(valley: Path):
    with pytest.raises(InvalidValue, match="angle_deg must be a number, not 'steep'"):
        load_course(f"{valley}:angle_deg=steep")


def test_mistakes_in_parameters_are_listed_with_all_others(valley: Path):
    valley.write_text(TEXT.replace("default = 10.0", "default = 50.0") + "depth_m = 1.0\n")
    with pytest.raises(InvalidDescription) as caught:
        load_course(valley)
    mistakes = caught.value.mistakes
    assert "parameters.angle_deg: default must be from 0 to 45, not 50" in mistakes
    assert any(mistake.startswith("terrain[1].depth_m is not a known key") for mistake in mistakes)


def test_a_parameter_that_was_not_declared_is_a_mistake(valley: Path):
    valley.write_text(TEXT.replace('"-$angle_deg"', '"$angel_deg"'))
    with pytest.raises(InvalidDescription, match=r"terrain\[1\].slope_deg: .*given '\$angel_deg'"):
        load_course(valley)


def test_an_unknown_course_is_refused_with_those_that_exist():
    with pytest.raises(UnknownName, match="no course named 'behavior-3'.*available: behaviour-1"):
        load_course("behavior-3")


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(InvalidDescription, match="there is no file here"):
        load_course(tmp_path / "nowhere.toml")


PICTURE = """
name = "picture"
[[terrain]]
kind = "heightfield"
file = "bumps.png"
height_range_m = [0.0, 0.5]
spacing_m = 0.25
"""


def save_picture(folder: Path, white: int) -> Path:
    folder.mkdir(exist_ok=True)
    Image.fromarray(np.array([[0, white], [white, 0]], np.uint8)).save(folder / "bumps.png")
    (folder / "picture.toml").write_text(PICTURE)
    return folder / "picture.toml"


def test_pictures_are_looked_for_beside_the_course_file(tmp_path: Path):
    course = load_course(save_picture(tmp_path, 255))
    assert course.terrain.height(0.125, 0.125) == pytest.approx(0.5)
    assert course.terrain.height(-0.125, 0.125) == pytest.approx(0.0)


def test_a_picture_counts_by_its_content_and_not_by_its_place(tmp_path: Path):
    here = load_course(save_picture(tmp_path / "here", 255)).content_hash
    assert here == load_course(save_picture(tmp_path / "there", 255)).content_hash
    assert here != load_course(save_picture(tmp_path / "other", 254)).content_hash


def test_a_missing_picture_is_told_when_the_course_is_loaded(tmp_path: Path):
    file = save_picture(tmp_path, 255)
    (tmp_path / "bumps.png").unlink()
    with pytest.raises(InvalidDescription, match=r"bumps.png: there is no such file"):
        load_course(file)


def test_a_course_is_parsed_once_but_for_one_with_a_file_which_may_change(tmp_path):
    text = load_course("slope").text
    course = parse_course(text, "a.toml", angle_deg=10.0)
    assert parse_course(text, "a.toml", angle_deg=10.0) is course
    assert parse_course(text, "a.toml", angle_deg=11.0).parameters["angle_deg"] == 11.0
    rough = 'name = "r"\nspeed_m_s = 0.1\n[[terrain]]\nkind = "heightfield"\n'
    rough += 'file = "bumps.png"\nspacing_m = 0.1\nheight_range_m = [0.0, 1.0]\n'
    found = []
    for grey in (0, 255):
        Image.new("L", (30, 30), grey).save(tmp_path / "bumps.png")
        found.append(parse_course(rough, tmp_path / "r.toml").terrain.height(0.0, 0.0))
    assert found[0] != found[1]
