"""`grouser run` drives, writes the log and tells how it went."""

import math

import pytest

from grouser.description import load_course, load_robot
from grouser.log import read_log
from tests.breaking import MESSAGE, PLACE, register
from tests.models.test_skid_models import ROBOT as SKID_ROBOT

SHORT = "run --course flat --drive constant:speed=0.1 --duration 0.5"


def metrics(answer) -> dict[str, float]:
    return {metric["name"]: metric["value"] for metric in answer.json["metrics"]}


def test_a_run_prints_metrics_and_the_path_of_its_log(grouser, tmp_path):
    answer = grouser(SHORT)
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.startswith("tp100 on flat, model slip, driver constant:speed=0.1\n")
    assert "duration" in answer.out
    assert "log: out/tp100-flat-slip.csv" in answer.out
    log = read_log(tmp_path / "out" / "tp100-flat-slip.csv")
    assert log.duration == pytest.approx(0.5)
    assert log.provenance.driver == "constant:speed=0.1"
    assert log.provenance.status == "complete"


def test_json_is_all_there_is_on_stdout(grouser):
    answer = grouser(f"{SHORT} --json --out a.parquet")
    assert answer.json["log"] == "a.parquet"
    assert answer.json["status"] == "complete"
    assert answer.json["late_ticks"] is None
    assert metrics(answer)["duration"] == pytest.approx(0.5)
    assert read_log("a.parquet").provenance.model == "slip"


def test_options_reach_the_run(grouser, tmp_path):
    line = "--model ideal --dt 0.05 --seed 7 --start -0.5,0.25,90 --out a.csv"
    answer = grouser(f"{SHORT} {line} --json")
    log = read_log(tmp_path / "a.csv")
    assert (log.provenance.dt, log.provenance.seed) == (0.05, 7)
    assert (log["x"][0], log["y"][0]) == (-0.5, 0.25)
    assert log["yaw"][0] == pytest.approx(math.pi / 2)
    assert len(log) == 11
    # Ideal belts at 0.1 m/s that first take 0.1 s to get there, driving along +y.
    assert metrics(answer)["final y"] == pytest.approx(0.25 + 0.1 * 0.5 - 0.5 * 0.1 * 0.1, abs=3e-3)


def test_the_speed_is_that_of_the_course_unless_told_otherwise(grouser):
    line = "run --course behaviour-1-straight --duration 0.5 --json --drive"
    usual = grouser(f"{line} constant")
    quick = grouser(f"{line} constant --speed 0.2")
    named = grouser(f"{line} constant:speed=0.15 --speed 0.2")
    speeds = [metrics(answer)["largest belt speed"] for answer in (usual, quick, named)]
    assert speeds == pytest.approx([load_course("behaviour-1-straight").speed, 0.2, 0.15])


def test_without_a_path_the_robot_drives_straight_on_and_it_is_said(grouser):
    answer = grouser("run --course flat --duration 0.5 --json")
    assert answer.code == 0, answer.err
    assert answer.json["driver"] == "constant"
    assert "course 'flat' has no path: the robot drives straight on; --driver" in answer.err
    assert metrics(answer)["final x"] > 0.05
    with_path = grouser("run --course behaviour-2 --duration 0.1 --json")
    assert with_path.json["driver"] == "follow"
    assert "no path" not in with_path.err


def test_a_follower_without_a_path_names_what_drives(grouser):
    answer = grouser("run --course flat --driver follow")
    assert answer.code == 2
    assert "constant:speed=0.1 drives straight on" in answer.err


def test_a_robot_is_not_asked_to_be_faster_than_it_can(grouser):
    assert load_course("flat").speed >= load_robot("tp100").drive.speed_limit
    answer = grouser("run --course flat --drive constant --duration 0.5 --json")
    assert metrics(answer)["largest belt speed"] == load_robot("tp100").drive.speed_limit


def test_parameters_of_course_and_model_follow_their_names(grouser):
    answer = grouser(
        "run --course step:height_m=0.03 --model slip:step_mode=paper --duration 0.1 --json"
    )
    assert answer.json["course_parameters"] == {"height_m": 0.03}
    assert answer.json["model_parameters"] == {"step_mode": "paper"}
    assert answer.json["log"] == "out/tp100-step-slip-step_mode=paper.csv"


def test_a_path_that_is_not_finished_is_remarked(grouser):
    answer = grouser("run --course behaviour-1-straight --duration 1")
    assert answer.code == 0
    assert answer.err.startswith("stopped at 1 s, before the end of the path")


def test_a_plot_is_written_beside_the_log(grouser, tmp_path):
    answer = grouser(f"{SHORT} --plot a.svg")
    assert "plot: a.svg" in answer.out
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_real_time_takes_its_time_and_tells_how_late_it_was(grouser, tmp_path):
    answer = grouser(f"{SHORT} --realtime --out a.csv")
    log = read_log(tmp_path / "a.csv")
    assert log["wall_time"][-1] - log["wall_time"][1] > 0.4
    assert "driving in real time" in answer.err
    assert "of 50 ticks began late, the worst by" in answer.err
    assert grouser(f"{SHORT} --realtime --json").json["worst_lateness_s"] >= 0.0


def test_a_run_repeats_itself(grouser, tmp_path):
    logs = []
    for name in ("a.csv", "b.csv"):
        grouser(f"{SHORT} --seed 3 --out {name}")
        logs.append(read_log(tmp_path / name))
    same = [name for name in logs[0] if (logs[0][name] == logs[1][name]).all()]
    assert set(logs[0]) - set(same) == {"wall_time"}


def test_the_follower_finishes_the_course_of_an_obstacle_and_a_ramp(grouser, tmp_path):
    answer = grouser("run --out out/demo.csv --plot out/demo.html")
    assert answer.code == 0
    assert answer.err == ""
    assert "tp100 on behaviour-3, model slip, driver follow" in answer.out
    assert "log: out/demo.csv" in answer.out
    assert "plot: out/demo.html" in answer.out
    log = read_log(tmp_path / "out" / "demo.csv")
    assert math.hypot(log["x"][-1], log["y"][-1] + 0.8) < 0.031  # P0's tolerance at the goal
    assert max(log["phase"]) > 0.0, "it climbed the obstacle"
    assert "<html" in (tmp_path / "out" / "demo.html").read_text()[:200].lower()


def test_a_log_of_another_robot_is_not_replayed(grouser):
    grouser(f"{SHORT} --out a.csv")
    answer = grouser("run --robot zhou-ugv --course flat --drive replay:log=a.csv")
    assert answer.code == 2
    assert "for 'zhou-ugv'" in answer.err


def test_a_run_beyond_the_range_of_its_robot_is_reported_once(grouser, tmp_path):
    (tmp_path / "mine.toml").write_text(SKID_ROBOT.text)
    line = "run --robot mine.toml --course flat --model smooth --duration 1 --overwrite --drive"
    answer = grouser(f"{line} constant:speed=0.3")
    assert answer.code == 0
    assert answer.err.count("was fitted to belt speeds up to 0.2 m/s") == 1
    assert grouser(f"{line} constant:left=0.1,right=0.15").err == ""


@pytest.mark.parametrize("suffix", ["csv", "parquet", "mcap"])
def test_a_tick_that_raises_is_one_sentence_and_the_log_up_to_there(
    grouser, monkeypatch, tmp_path, suffix
):
    register(monkeypatch)
    words = (
        "run --course flat --model breaking --driver step:left=0.2,right=0.2,at=0.5 --duration 2"
    )
    answer = grouser(f"{words} --out run.{suffix}")
    assert answer.code == 5
    (sentence,) = [line for line in answer.err.splitlines() if line.startswith("grouser: ")]
    assert PLACE in sentence
    assert f"{MESSAGE}; the log up to there is in run.{suffix}" in sentence
    log = read_log(tmp_path / f"run.{suffix}")
    assert log.provenance.status == "failed"
    assert log["tick"].tolist() == list(range(len(log)))
    assert 10 < len(log) < 150
    assert [file.name for file in tmp_path.iterdir()] == [f"run.{suffix}"]


def test_a_run_whose_first_tick_raises_has_a_log_of_its_start(grouser, monkeypatch, tmp_path):
    register(monkeypatch)
    words = "run --course flat --model breaking --driver constant:left=0.2,right=0.2"
    assert grouser(f"{words} --out run.csv").code == 5
    assert len(read_log(tmp_path / "run.csv")) == 1


def test_a_replay_whose_tick_raises_is_one_sentence(grouser, monkeypatch):
    register(monkeypatch)
    words = "run --course flat --model slip --driver constant:left=0.2,right=0.2 --duration 0.5"
    assert grouser(f"{words} --out run.csv").code == 0
    answer = grouser("replay run.csv --model breaking")
    assert answer.code == 5
    assert answer.err.count("\n") == 1
    assert MESSAGE in answer.err
