"""`grouser identify plan`: a drive to identify a robot by, as a scenario and as commands."""

import tomllib

import numpy as np
import pytest

from grouser.identify.plan_files import SUPERVISE
from grouser.log import read_log

SHORT = "identify plan --area 1.5x1.2 --duration 30"


def test_the_files_can_be_run_and_identify_the_robot(grouser, tmp_path):
    answer = grouser(f"{SHORT} --robot tp100 --out p.toml --json")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["written"] == {"commands": "p.csv", "scenario": "p.toml"}
    assert found["extent_m"][0] <= 1.5
    assert found["extent_m"][1] <= 1.2
    commands = read_log(tmp_path / "p.csv")
    left, right = (commands[f"belt_speed_commanded.{side}"] for side in ("left", "right"))
    assert commands["speed_commanded"] == pytest.approx(0.5 * (left + right))
    assert commands["yaw_rate_commanded"] == pytest.approx((right - left) / 0.16)
    assert commands.time[-1] == pytest.approx(30.02)
    assert left[-1] == right[-1] == 0.0
    assert SUPERVISE in "".join((tmp_path / "p.csv").read_text().splitlines()[:3])
    assert grouser("run p.toml --out run.csv").code == 0
    run = read_log(tmp_path / "run.csv")
    assert np.abs([run["x"], run["y"]]).max(axis=1) == pytest.approx([0.0, 0.0], abs=0.75)
    fit = grouser("identify run.csv --family icr-drift --json").json["fits"]["icr-drift"]
    assert fit["status"] == "complete"
    for name, one in found["expected"]["icr-drift"].items():
        assert one["identified"]
        estimate = fit["parameters"][name]  # without noise it is known better than expected
        assert estimate["high"] - estimate["low"] < one["width"]


def test_people_get_a_table_and_a_plot(grouser, tmp_path):
    answer = grouser(f"{SHORT} --robot tp100 --family slip --plot path.html")
    assert answer.code == 0, answer.err
    for words in ("space taken", "95 % width", "turning_slip_angle", "A person must supervise",
                  "commands: out/plan-tp100.csv", "scenario: out/plan-tp100.toml"):  # fmt: skip
        assert words in answer.out
    page = (tmp_path / "path.html").read_text()
    assert "Path of tp100, 30 s" in page
    assert "whatever the slip" in page
    assert tomllib.loads((tmp_path / "out/plan-tp100.toml").read_text())["model"] == "slip"


def test_nothing_is_overwritten_unless_it_may_be(grouser, tmp_path):
    (tmp_path / "p.csv").write_text("mine")
    answer = grouser(f"{SHORT} --robot tp100 --out p.toml")
    assert answer.code == 2
    assert "p.csv" in answer.err
    assert "--overwrite" in answer.err
    assert (tmp_path / "p.csv").read_text() == "mine"
    assert not (tmp_path / "p.toml").exists()
    assert grouser(f"{SHORT} --robot tp100 --out p.toml --overwrite").code == 0
    assert len(read_log(tmp_path / "p.csv")) == 1502
    (tmp_path / "out").mkdir()
    (tmp_path / "out/plan-tp100.csv").write_text("mine")
    found = grouser(f"{SHORT} --robot tp100 --json").json["written"]
    assert found == {"commands": "out/plan-tp100-2.csv", "scenario": "out/plan-tp100-2.toml"}


def test_a_robot_of_a_file_is_part_of_the_scenario(grouser, robot_file, tmp_path):
    file = robot_file(("speed_limit_m_s = 0.3", "speed_limit_m_s = 0.2"))
    assert grouser(f"{SHORT} --robot {file} --out p.toml").code == 0
    (tmp_path / file).unlink()
    assert (
        "speed_limit_m_s = 0.2" in tomllib.loads((tmp_path / "p.toml").read_text())["robot"]["text"]
    )
    assert grouser("run p.toml --out run.csv").code == 0
    assert np.abs(read_log(tmp_path / "run.csv")["belt_speed.left"]).max() <= 0.2


def test_wheels_of_a_side_get_the_same_commands(grouser, tmp_path):
    line = "identify plan --robot zhou-ugv --area 12x12 --duration 30 --out p.toml"
    assert grouser(line).code == 0
    commands = read_log(tmp_path / "p.csv")
    front, rear = (commands[f"belt_speed_commanded.{end}-left"] for end in ("front", "rear"))
    assert np.array_equal(front, rear)
    assert np.abs(front).max() > 0.5


def test_logs_are_still_identified_also_one_that_is_named_plan(grouser, tmp_path):
    assert "give a log of a drive" in grouser("identify").err
    assert "nothing.csv" in grouser("identify nothing.csv").err
    (tmp_path / "plan").write_text("x")
    answer = grouser("identify ./plan --robot tp100")
    assert answer.code == 2
    assert answer.err.startswith("grouser: plan: has no line of headings above numbers")
    assert "Plan the drive that identifies a robot best" in grouser("identify --help").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--robot tp100 --area 0.3x0.3", "area must be at least 0.49x0.46 m for robot 'tp100'"),
        ("--robot tp100 --area five", "area must be length x width in metres, as in 5x4"),
        ("--robot tp100 --area 5x-1", "area must be from 1e-06 to 100000 m, not -1.0"),
        ("--robot tp100 --area 5x5 --duration 3", "duration must be from 20 to 600 s"),
        ("--robot tp100 --area 5x5 --speed 9", "speed must be at most 0.3 m/s"),
        ("--robot tp100 --area 5x5 --family csm", "must be one of icr, slip, turning"),
        ("--robot tp100 --area 5x5 --family slipp", "did you mean 'slip'"),
        ("--robot tp1000 --area 5x5", "did you mean 'tp100'"),
        ("--robot tp100 --area 5x5 --out p.csv", "--out must end in .toml"),
        ("--robot tp100 --area 5x5 --plot p.txt", "--plot must end in"),
        ("--robot tp100", "--area needs a value"),
    ],
)
def test_mistakes_get_one_sentence(grouser, words, sentence):
    answer = grouser(f"identify plan {words}")
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
