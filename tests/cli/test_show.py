"""`grouser robots`, `courses`, `models`, `drivers` and `show`."""

import pytest

from grouser.cli.show import course_sheet, given_values
from grouser.description import course_names, load_course, load_robot, robot_names
from grouser.models import CATALOGUE
from grouser.units import SUFFIXES
from tests.models.test_skid_models import ROBOT as SKID_ROBOT


def test_robots_are_listed_with_key_numbers_and_sources(grouser):
    answer = grouser("robots")
    for name in robot_names():
        assert f"\n{name} " in answer.out
    row = next(line for line in answer.out.splitlines() if line.startswith("tp100"))
    assert [word for word in row.split() if word in ("0.922", "0.185", "0.16", "P0")] == [
        "0.922",
        "0.185",
        "0.16",
        "P0",
    ]


def test_courses_are_listed_with_the_models_that_can_drive_them(grouser):
    rows = {row["name"]: row for row in grouser("courses --json").json}
    assert set(rows) == set(course_names())
    assert rows["step"]["models"][:2] == ["slip", "csm"]
    assert rows["step"]["parameters"] == {"height_m": 0.12}
    assert rows["behaviour-2"]["models"] == list(CATALOGUE)
    assert rows["behaviour-3"]["path_length_m"] == pytest.approx(2.6 + 0.4 * 3.14159265, rel=1e-8)
    text = grouser("courses").out
    assert all(name in text for name in course_names())


def test_models_are_listed_with_summary_and_source(grouser):
    rows = grouser("models --json").json
    assert [row["name"] for row in rows] == list(CATALOGUE)
    text = grouser("models").out
    for row in rows:
        assert row["name"] in text
        assert "P0 Low et al." in text


def test_drivers_are_listed_with_their_keys(grouser):
    rows = {row["name"]: row for row in grouser("drivers --json").json}
    assert set(rows["legs"]["keys"]) >= {"speed", "duration", "count"}
    assert "turning: amplitude of half the difference of the belts [m/s]" in grouser("drivers").out


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_can_be_shown(grouser, name):
    sheet = grouser(f"show {name} --json").json
    robot = load_robot(name)
    derived = {row["name"]: row for row in sheet["derived"]}
    assert sheet["kind"] == "robot"
    assert derived["total mass"]["value"] == pytest.approx(robot.mass)
    assert derived["gauge"]["value"] == pytest.approx(robot.gauge)
    numbers = [row for row in sheet["values"] if row["unit"]]
    assert numbers
    assert all(row["source"] for row in numbers), "every number has a source"
    assert grouser(f"show {name}").code == 0


@pytest.mark.parametrize("name", course_names())
def test_every_course_can_be_shown(grouser, name):
    sheet = grouser(f"show {name} --json").json
    derived = {row["name"]: row["value"] for row in sheet["derived"]}
    path = load_course(name).path
    assert sheet["kind"] == "course"
    assert derived.get("path length") == (None if path is None else pytest.approx(path.length))
    assert grouser(f"show {name}").code == 0


def test_the_sheet_of_the_tp100_agrees_with_the_paper(grouser):
    """P0 Table 2: L = 27.42 cm for b = 16 cm, so chi = 1.714."""
    sheet = grouser("show tp100 --json").json
    derived = {row["name"]: row["value"] for row in sheet["derived"]}
    assert derived["equivalent wheelbase"] == pytest.approx(0.2742, abs=5e-5)
    assert derived["width ratio chi"] == pytest.approx(27.42 / 16.0, abs=5e-4)
    assert derived["steering efficiency eta"] == pytest.approx(16.0 / 27.42, abs=5e-4)
    assert derived["belt length, left"] == pytest.approx(2 * 0.137 + 2 * 3.14159265 * 0.024)
    assert derived["highest step"] == pytest.approx(0.0405, abs=5e-4)


def test_values_are_shown_in_the_unit_of_their_key_with_mark_and_source(grouser):
    sheet = grouser("show tp100 --json").json
    values = {row["name"]: row for row in sheet["values"]}
    assert values["slip.slip_angle_deg"] == {
        "name": "slip.slip_angle_deg",
        "value": 0.404,
        "unit": "deg",
        "source": "P0 Table 3, straight; the side is not stated and is read as left [T]",
    }
    assert values["drive.acceleration_limit_m_s2"]["unit"] == "m/s^2"
    assert values["body.inertia_kg_m2"]["value"] == [0.00335, 0.00291, 0.0057]
    text = grouser("show tp100").out
    row = next(line for line in text.splitlines() if line.startswith("slip.slip_angle_deg"))
    number = row.split("[T]")[1].strip()
    assert f"{number:>3}  P0 Table 3, straight; the side" in text


def test_a_course_is_shown_with_its_chosen_parameter(grouser):
    sheet = grouser("show step:height_m=0.2 --json").json
    values = {row["name"]: row for row in sheet["values"]}
    assert values["terrain[1].height_m"]["value"] == 0.2
    assert values["terrain[1].height_m"]["source"] == "parameter $height_m"
    derived = {row["name"]: row["value"] for row in sheet["derived"]}
    assert derived["heights of risers"] == [0.2]
    assert derived["models that can drive it"].startswith("slip, csm, ")


def test_a_file_is_shown_as_what_it_describes(grouser, robot_file, tmp_path):
    assert grouser(f"show {robot_file()} --json").json["kind"] == "robot"
    (tmp_path / "field.toml").write_text(load_course("flat").text)
    assert grouser("show field.toml --json").json["kind"] == "course"


def test_a_hull_beyond_its_belts_is_a_warning_of_its_sheet(grouser, tmp_path):
    assert grouser("show tp100 --json").json["warnings"] == []
    text = load_robot("tp100").text
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace("size_m = [0.170,", "size_m = [0.185,"), encoding="utf-8")
    front, rear = grouser(f"show {mine} --json").json["warnings"]
    assert front.startswith("the hull's front reaches 1.76 mm beyond")
    assert rear.startswith("the hull's rear")
    answer = grouser(f"show {mine}")
    assert answer.code == 0
    assert f"warning: tp100: {front}" in answer.err


def test_the_sheet_of_a_robot_with_smooth_terms_has_the_range_they_are_for(grouser, tmp_path):
    (tmp_path / "mine.toml").write_text(SKID_ROBOT.text)
    sheet = grouser("show mine.toml --json").json
    derived = {row["name"]: row for row in sheet["derived"]}
    assert derived["fitted up to a belt speed of"]["value"] == 0.2
    assert derived["fitted to contrasts from, to"]["value"] == [0.02, 0.9]
    assert "constants of [slip]" in derived["fitted to contrasts from, to"]["source"]
    units = {row["name"]: row["unit"] for row in sheet["values"]}
    assert (units["slip.icr.drift_s"], units["slip.smooth.fastest_m_s"]) == ("s", "m/s")
    assert units["slip.smooth.yaw"] == "1"
    assert "fitted up to a belt speed of" in grouser("show mine.toml").out
    assert "fitted" not in grouser("show tp100").out


def test_a_computed_number_is_shown_with_what_it_is_computed_from():
    sheet = course_sheet(load_course("lane-logs:width_m=0.6"))
    (place,) = (value for value in sheet.values if value.name == "terrain[1].x_m")
    assert (place.value, place.unit) == (0.54, "m")
    assert place.source.startswith("computed = 0.9 * $width_m; ")


@pytest.mark.parametrize(("suffix", "unit"), SUFFIXES.items())
def test_a_number_is_shown_in_the_unit_that_its_key_spells(suffix, unit):
    (value,) = given_values({"sensor": {f"noise_{suffix}": [0.5, 1.0]}}, {})
    assert (value.name, value.unit) == (f"sensor.noise_{suffix}", unit)


def test_the_units_of_a_compass_and_of_motors_are_shown(grouser):
    """All of these were shown as plain numbers, and the noise density in Hz."""
    sheet = grouser("show tankbot --json").json
    units = {row["name"]: row["unit"] for row in sheet["values"]}
    assert units["drive.motor.damping_N_m_s"] == "N m s"
    assert units["traction.track.largest_force_N"] == "N"
    noise = {"imu": {"gyro_noise_density_deg_s_sqrt_hz": 0.01, "hard_iron_uT": 2.0}}
    assert [value.unit for value in given_values(noise, {})] == ["deg/s/sqrt(Hz)", "uT"]


def test_a_course_has_one_line_for_the_top_of_each_piece(grouser):
    derived = grouser("show playground --json").json["derived"]
    tops = {row["name"]: row["value"] for row in derived if row["name"].startswith("top of ")}
    assert len(tops) == sum(row["name"].startswith("top of ") for row in derived)
    assert tops["top of pallet"] == pytest.approx(0.144)
    assert tops["top of stairs"] == pytest.approx(0.68)


def test_models_that_are_the_same_for_a_robot_are_named(grouser):
    derived = {row["name"]: row for row in grouser("show absolem --json").json["derived"]}
    assert derived["model segments"]["value"] == "same as csm"
    assert derived["model segments"]["source"] == "has no grousers"
    assert "model segments" not in {
        row["name"] for row in grouser("show quince --json").json["derived"]
    }


@pytest.mark.parametrize("command", ["courses", "models", "robots"])
def test_tables_in_a_pipe_are_as_wide_as_columns_says(grouser, monkeypatch, command):
    wide = grouser(command).out
    monkeypatch.setenv("COLUMNS", "80")
    narrow = grouser(command).out
    *table, _, words = narrow.splitlines()
    assert max(map(len, table)) <= 80
    assert words.startswith(("Parameters", "grouser show"))
    assert "…" not in narrow
    assert max(map(len, wide.splitlines())) > 100
    for nonsense in ("0x50", "-3", "wide", ""):
        monkeypatch.setenv("COLUMNS", nonsense)
        assert grouser(command).out == wide
