from pathlib import Path

import pytest

from grouser.description.load import Recent, load_robot, parse_robot, robot_names
from grouser.errors import GrouserError, InvalidDescription, UnknownName


@pytest.fixture
def text() -> str:
    return load_robot("tp100").text


def test_robot_loads_by_name_and_by_path(tmp_path: Path, text: str):
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    assert load_robot(file) == load_robot(str(file)) == load_robot("tp100")


def test_file_in_the_working_directory_needs_only_its_suffix(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_robot("mine.toml").name == "tp100"


def test_robot_keeps_the_text_of_its_file():
    robot = load_robot("tp100")
    assert 'name = "tp100"' in robot.text
    assert "[sources]" in robot.text
    assert robot.mirrored().text == ""
    assert robot.text not in repr(robot)


def test_unknown_name_is_told_with_the_names_there_are():
    with pytest.raises(UnknownName) as caught:
        load_robot("tp10")
    assert str(caught.value).startswith("no robot named 'tp10' (did you mean 'tp100'?); available:")
    assert caught.value.available == robot_names()


@pytest.mark.parametrize("name", ["missing.toml", "./missing", "folder/missing.toml"])
def test_missing_file_is_told_with_what_would_work(name: str):
    with pytest.raises(
        InvalidDescription, match=r"missing.*: there is no file here; give the path"
    ):
        load_robot(name)


def test_folder_is_not_a_file(tmp_path: Path):
    with pytest.raises(GrouserError, match="there is no file here"):
        load_robot(tmp_path)


def test_text_that_is_not_toml_is_told_with_its_line(tmp_path: Path):
    file = tmp_path / "broken.toml"
    file.write_text('name = "x"\n[body\n', encoding="utf-8")
    with pytest.raises(InvalidDescription, match=r"broken.toml: this is not TOML: .*line 2"):
        load_robot(file)


def test_bytes_that_are_not_text_are_refused(tmp_path: Path):
    file = tmp_path / "binary.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidDescription, match="cannot be read as text"):
        load_robot(file)


def test_mistakes_name_the_file_and_every_key(tmp_path: Path, text: str):
    file = tmp_path / "mine.toml"
    wrong = text.replace("mass_kg = 0.922", "mass_g = 922").replace("y_m = -0.080", "y_m = nan")
    file.write_text(wrong, encoding="utf-8")
    with pytest.raises(InvalidDescription) as caught:
        load_robot(file)
    assert str(caught.value).startswith(f"{file}: 3 mistakes:\n")
    assert caught.value.mistakes == (
        "body.mass_kg is missing",
        "body.mass_g is not a known key; did you mean mass_kg?",
        "tracks[1].y_m: input should be a finite number, given nan",
    )


def test_empty_file_lacks_the_name_the_body_and_the_drive(tmp_path: Path):
    file = tmp_path / "empty.toml"
    file.touch()
    with pytest.raises(InvalidDescription) as caught:
        load_robot(file)
    assert caught.value.mistakes == ("name is missing", "body is missing", "drive is missing")


def test_robot_comes_back_from_its_own_text(text: str):
    assert parse_robot(text, "a log") == load_robot("tp100")


def test_mistakes_of_a_text_name_where_it_is_from(text: str):
    with pytest.raises(InvalidDescription, match=r"^a log: body.mass_kg: input should be"):
        parse_robot(text.replace("mass_kg = 0.922", "mass_kg = 0.0"), "a log")


def test_a_text_is_parsed_once_and_anew_when_anything_differs(tmp_path: Path, text: str):
    robot = parse_robot(text, "a.toml")
    assert parse_robot(text, "a.toml") is robot
    assert parse_robot(text, "a.toml", {"body.mass_kg": 9.0}).body.mass == 9.0
    assert parse_robot(text, "a.toml", {"body.mass_kg": 8.0}).body.mass == 8.0
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    before = load_robot(file)
    file.write_text(text.replace('name = "tp100"', 'name = "other"'), encoding="utf-8")
    assert (before.name, load_robot(file).name) == ("tp100", "other")


def test_only_so_many_robots_stay_parsed(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("grouser.description.load.KEPT", 1)
    monkeypatch.setattr("grouser.description.load._ROBOTS", Recent())
    robot, other = parse_robot(text, "b.toml"), parse_robot(text, "c.toml")
    assert parse_robot(text, "c.toml") is other
    assert parse_robot(text, "b.toml") is not robot
