"""Every kind of bad input has its sentence on stderr and its exit code, and no traceback."""

import pytest

SHORT = "run --course flat --drive constant --duration 0.2"


def refused(answer, *words: str, code: int = 2) -> None:
    assert answer.code == code
    assert answer.out == ""
    assert answer.err.startswith("grouser: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err


def test_a_missing_robot_file(grouser):
    refused(grouser("run --robot nowhere.toml"), "nowhere.toml: there is no file here", "tp100")


def test_a_missing_log(grouser):
    refused(grouser("replay nowhere.csv"), "nowhere.csv: there is no such file")


def test_a_missing_map_of_columns(grouser):
    grouser(f"{SHORT} --out a.csv")
    refused(
        grouser("compare a.csv a.csv --map nowhere.toml"),
        "nowhere.toml: there is no such file",
    )


def test_an_unknown_key_in_a_robot_file(grouser, robot_file):
    file = robot_file(("acceleration_limit_m_s2 = 1.0", "acceleration_limt_m_s2 = 1.0"))
    answer = grouser(f"run --robot {file}")
    assert answer.code == 2
    assert "drive.acceleration_limt_m_s2 is not a known key" in answer.err
    assert "did you mean acceleration_limit_m_s2?" in answer.err
    assert "drive.acceleration_limit_m_s2 is missing" in answer.err


def test_a_negative_mass(grouser, robot_file):
    file = robot_file(("mass_kg = 0.922", "mass_kg = -0.922"))
    refused(grouser(f"run --robot {file}"), "body.mass_kg", "greater than 0", "-0.922")


def test_a_number_that_is_none(grouser, robot_file):
    file = robot_file(("mass_kg = 0.922", "mass_kg = nan"))
    refused(grouser(f"show {file}"), "body.mass_kg", "finite number", "nan")


def test_a_track_that_does_not_close(grouser, robot_file):
    pulleys = """loop.pulleys = [
    { x_m = 0.0685, z_m = 0.024, radius_m = 0.024 },
    { x_m = -0.0685, z_m = 0.024, radius_m = 0.024 },
]"""
    segments = """loop.start_m = [0.0685, 0.0]
loop.segments = [
    { line_m = 0.137 }, { arc_radius_m = 0.024, turn_deg = 180.0 },
    { line_m = 0.130 }, { arc_radius_m = 0.024, turn_deg = 180.0 },
]"""
    answer = grouser(f"run --robot {robot_file((pulleys, segments))}")
    assert answer.code == 2
    assert "tracks[0].loop" in answer.err
    assert "segments[0].line_m = 0.13 would close it" in answer.err
    assert "not 7.0" in answer.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run --robot tp10", ("no robot named 'tp10' (did you mean 'tp100'?)", "quince")),
        ("run --course behavior-3", ("no course named 'behavior-3'", "behaviour-3")),
        ("run --model slipp", ("no model named 'slipp' (did you mean 'slip'?)", "icr, ideal")),
        ("run --drive folow", ("no driver named 'folow' (did you mean 'follow'?)", "waypoints")),
        ("run --model slip:mode=exact", ("no parameter of model 'slip' named 'mode'",)),
        ("run --course step:heigth_m=1", ("no parameter named 'heigth_m'", "height_m")),
        ("run --drive legs:cont=3", ("no key of driver 'legs' named 'cont'", "count")),
        ("show tp", ("no robot or course named 'tp'", "tp100", "behaviour-2")),
        ("compare --models slip icrr", ("no model named 'icrr' (did you mean 'icr'?)",)),
        ("compare --lead icrr", ("no model named 'icrr'",)),
    ],
)
def test_unknown_names(grouser, line, words):
    refused(grouser(line), *words)


def test_a_course_the_model_cannot_drive_names_the_models_that_can(grouser):
    answer = grouser("run --course step --model ideal")
    refused(answer, "course 'step' needs steps, which model 'ideal' lacks; models that can: csm, ")


def test_a_truncated_log(grouser, tmp_path):
    grouser(f"{SHORT} --out a.csv")
    whole = (tmp_path / "a.csv").read_text()
    (tmp_path / "a.csv").write_text(whole[:-100])
    for line in ("replay a.csv", "plot a.csv", "compare a.csv a.csv"):
        refused(grouser(line), "a.csv: cut off in line 25")


def test_a_wrong_unit_in_a_robot_file(grouser, robot_file):
    file = robot_file(
        ("mass_kg = 0.922", "mass_g = 922.0"), ('"body.mass_kg" =', '"body.mass_g" =')
    )
    answer = grouser(f"run --robot {file}")
    assert answer.code == 2
    assert "body.mass_g is not a known key; did you mean mass_kg?" in answer.err


def test_a_wrong_unit_in_a_map_of_columns(grouser, tmp_path):
    grouser(f"{SHORT} --out a.csv")
    (tmp_path / "map.toml").write_text(
        '[columns]\ntime = {column = "t", unit = "s"}\nx = {column = "x", unit = "furlong"}\n'
    )
    answer = grouser("compare a.csv camera.csv --map map.toml")
    refused(answer, "map.toml: x: no unit named 'furlong'", "cm")


def test_a_run_that_is_no_longer_finite_leaves_its_log(grouser, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "grouser.models.kinematic_models.slip_twist", lambda *_: (float("nan"), 0.0, 0.0)
    )
    answer = grouser(f"{SHORT} --model slip --out a.csv")
    refused(answer, "is no longer finite at 0.01 s", "not-finite-tp100-slip.csv", code=3)
    assert (tmp_path / "not-finite-tp100-slip.csv").exists()
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run --duration nan", "--duration must be from 1e-06 to 1e+07 s, not nan"),
        ("run --duration 0", "--duration must be from 1e-06 to 1e+07 s, not 0.0"),
        ("run --dt -1", "--dt must be from 1e-06 to 1e+07 s, not -1.0"),
        ("run --dt 2", "dt must be from 1e-06 to 1 s, not 2.0"),
        ("run --speed inf", "--speed must be from 1e-06 to 10000 m/s, not inf"),
        ("run --speed 5", "speed must be above 0 and within the limit of robot 'tp100', not 5.0"),
        (
            "run --seed 1.5",
            "--seed must be a whole number from 0 to 9223372036854775807, not '1.5'",
        ),
        ("run --seed -1", "--seed must be a whole number from 0 to 9223372036854775807, not '-1'"),
        (
            "run --start 1,2",
            "--start must be x [m], y [m] and yaw [deg], as in 0.5,0,90, not '1,2'",
        ),
        ("run --start 0,0,nan", "--start must be x [m], y [m] and yaw [deg]"),
        ("run --out log.txt", "--out must end in .csv, .parquet or .mcap, not 'log.txt'"),
        ("run --plot log.pdf", "--plot must end in .html, .png or .svg, not 'log.pdf'"),
        ("plot a.csv --out a.pdf", "--out must end in .html, .png or .svg, not 'a.pdf'"),
        ("compare a.csv", "logs to compare must be two, the second of them the reference"),
        ("compare a.csv b.csv --lead slip", "compare must have either two logs or --models"),
        ("compare --map m.toml", "--map must come with two logs, the second foreign"),
        ("compare --models slip", "--models must be two different ones or more"),
        ("compare --models slip slip", "--models must be two different ones or more"),
        ("run --course flat", "driver must be one of waypoints, constant, step, sine, square"),
        ("run --course step:height_m=9", "height_m must be from 0.005 to 0.5, not 9.0"),
        ("show nowhere.toml", "nowhere.toml: there is no file here; give the path of a robot or"),
        ("show tp100 --as course", "no course named 'tp100'"),
    ],
)
def test_values_out_of_range(grouser, line, sentence):
    refused(grouser(line), sentence)


def test_errors_stay_on_stderr_when_a_machine_listens(grouser):
    refused(grouser("run --json --robot nobody"), "no robot named 'nobody'")


def test_a_file_that_is_neither_robot_nor_course(grouser, tmp_path):
    (tmp_path / "recipe.toml").write_text("flour_kg = 1\n")
    refused(grouser("show recipe.toml"), "neither clearly a robot nor a course", "flour_kg")


def test_a_place_that_cannot_be_written(grouser, tmp_path):
    (tmp_path / "taken").write_text("")
    refused(grouser(f"{SHORT} --out taken/a.csv"), "--out must lie in a folder", "taken/a.csv")


def test_a_missing_package_is_noticed_before_the_run(grouser, tmp_path, monkeypatch):
    monkeypatch.setattr("grouser.extras.find_spec", lambda name: None)
    refused(grouser(f"{SHORT} --out a.parquet"), "pip install 'grouser[parquet]'")
    refused(grouser(f"{SHORT} --plot a.html"), "pip install 'grouser[plots]'")
    assert list(tmp_path.iterdir()) == []
