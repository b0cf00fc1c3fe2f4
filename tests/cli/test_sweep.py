"""`grouser sweep`."""

import json

import pytest

LINE = (
    "sweep --workers 1 --robot tp100 --course slope --model slip --out out "
    "--x course.angle_deg=0,20 --y drive.speed=0.1,0.2"
)


def test_a_sweep_draws_a_map_and_drives_nothing_twice(grouser, tmp_path, monkeypatch):
    first = grouser(LINE)
    assert first.code == 0, first.err
    assert "tp100 on slope, slip: reached the end of the path" in first.out
    assert first.out.count("arrives") == 4
    page = (tmp_path / "out/map.html").read_text()
    assert "reached the end of the path" in page
    assert "default-src &#x27;none&#x27;" in page
    assert (tmp_path / "out/map.png").read_bytes().startswith(b"\x89PNG")
    before = json.loads((tmp_path / "out/results.json").read_text())
    assert len(before) == 4

    more = grouser(LINE.replace("0,20", "0,20,25") + " --overwrite")
    assert more.code == 0
    after = json.loads((tmp_path / "out/results.json").read_text())
    assert len(after) == 6
    assert {name: after[name] for name in before} == before

    # Another outcome needs no new drives.
    monkeypatch.setattr("grouser.sweep.sweep.run_point", None)
    found = grouser(f"{LINE} --outcome slip --overwrite --json").json
    assert found["x"]["values"] == [0.0, 20.0]
    # P0 Table 3: the TP100 slips by a tenth where it is level, and more on a slope.
    (level, steep), _ = found["rows"]
    assert level == pytest.approx(0.1, abs=0.02)
    assert steep > level + 0.01


def test_a_scenario_file_and_the_options_of_a_run_make_a_map(grouser, tmp_path):
    text = 'course = "slope"\nmodel = "ideal"\nduration_s = 9.0\n'
    (tmp_path / "scenario_file.toml").write_text(text)
    line = (
        "sweep scenario_file.toml --workers 1 --x course.angle_deg=0,10 --y driver.speed=0.1,0.2 "
        "--duration 1 --start 0.1,0,0 --seed 3 --outcome duration --out out --json"
    )
    found = grouser(line).json
    assert found["rows"] == [[1.0, 1.0], [1.0, 1.0]]
    assert found["scenario"]["start"] == {"x_m": 0.1, "y_m": 0.0, "yaw_deg": 0.0}
    assert (found["scenario"]["seed"], found["scenario"]["duration_s"]) == (3, 1.0)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("sweep", "--x and --y must be given, both, or a ready-made map: slope, stairs, step"),
        ("sweep moon", "no map named 'moon'; available: slope, stairs, step"),
        ("sweep slope --x angle=0:10:1", "--x must be written as KEY=FROM:TO:STEP or KEY=VALUE"),
        ("sweep slope --x moon.angle=0:10:1", "no subject of a sweep named 'moon'"),
        ("sweep slope --x course.angle_deg=0:10:0", "have a step that leads from the first"),
        ("sweep slope --x course.angle_deg=5:5:1", "have from 2 to 1000 values, and has 1"),
        ("sweep slope --x course.angle_deg=0:a:1", "--x must be written as"),
        ("sweep slope --x course.angle_deg=0,80", "angle_deg must be from -60 to 60, not 80"),
        ("sweep slope --x course.ground=1,2", "no parameter of course 'slope' named 'ground'"),
        (
            "sweep slope --course step",
            "no parameter of course 'step' named 'angle_deg'; available: h",
        ),
        ("sweep slope --x model.mass=1,2", "no parameter of model 'csm' named 'mass'"),
        ("sweep slope --x drive.speed=1,2", "speed must be above 0 and within the limit"),
        ("sweep slope --x flippers.front_raised_deg=1,2", "robot must have flippers to raise"),
        ("sweep slope --x flippers.up=1,2", "no parameter of flippers named 'up'"),
        ("sweep slope --outcome luck", "no outcome named 'luck'; available: away"),
        ("sweep step --outcome slip", "no outcome named 'slip'; available: duration, reached"),
        ("sweep step --x drive.speed=0.1,0.2", "must be flippers.front_raised_deg and course.h"),
        (
            "sweep step --drive follow",
            "options but --robot and --model must be left out for map 'step'",
        ),
        ("sweep step --model tankbot", "course 'step' needs steps"),
        ("sweep slope --workers 0", "--workers must be a whole number from 1 to 1024, not '0'"),
        (f"{LINE} --y course.angle_deg=0,1 --x course.angle_deg=0,1", "given more than once"),
        ("sweep slope --y course.angle_deg=0,1", "--y must vary another parameter than --x"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
