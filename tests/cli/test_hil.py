"""`grouser hil` and the commands below it."""

import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from grouser.cli import main
from grouser.cli.hil_status import draw_panel
from grouser.cli.terminal import PlainConsole
from grouser.description import load_robot
from grouser.log import read_log

QUICK = "hil --board python --lockstep --course behaviour-1-straight --duration 1"


def test_a_run_writes_its_log_and_every_byte_and_is_replayed(grouser, tmp_path):
    answer = grouser(f"{QUICK} --out a.csv")
    assert answer.code == 0
    assert "run is valid" in answer.out
    assert "raw log: a.raw" in answer.out
    log = read_log(tmp_path / "a.csv")
    assert log["x"][-1] > 0.05
    assert log["board_setpoint.left"].max() > 0.1
    again = grouser("hil --replay a.raw")
    assert again.code == 0
    assert "the host sends the same bytes as in the log" in again.out
    assert "a.csv: the same, bit for bit" in again.out


def test_the_printed_address_of_the_page_has_a_token(grouser):
    line = "hil --board python --page --course behaviour-1-straight --duration 0.1"
    answer = grouser(line)
    assert re.search(r"watch at: http://127\.0\.0\.1:\d+/\?token=[\w-]{22}\n", answer.out)


def test_a_log_that_was_changed_is_noticed(grouser, tmp_path):
    grouser(f"{QUICK} --out a.csv")
    grouser(f"{QUICK} --speed 0.05 --out b.csv")
    (tmp_path / "b.csv").rename(tmp_path / "a.csv")
    assert grouser("hil --replay a.raw").code == 1
    answer = grouser("hil --replay a.raw --json")
    assert (answer.json["same"], answer.json["same_words"]) == (False, True)


def test_a_machine_gets_json_and_nothing_else(grouser):
    answer = grouser(f"{QUICK} --json")
    assert answer.code == 0
    assert answer.json["valid"] is True
    assert answer.json["late"] == 0
    assert {metric["name"] for metric in answer.json["metrics"]} >= {"final x"}


def test_a_run_that_does_not_count_quotes_no_errors(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*QUICK.split(), "--json", "--fault", "link lose 0.02"]) == 1
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["valid"] is False
    assert answer["metrics"] == []
    assert "not quoted" in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hil --board none", "no board named 'none'"),
        ("hil --port /dev/ttyNothing", "does not exist"),
        ("hil --port /dev/null --lockstep", "a real one keeps time"),
        ("hil --board python --fault wings", "track SIDE blocked"),
        ("hil --board python --rate 1000", "from 10 to 200"),
        ("hil --board python --duration -1", "--duration must be"),
        ("hil --board python --lockstep --page", "--page"),
        ("hil --board python --driver person", "--driver must come with --page, where the person"),
        ("hil --board python --heading compass", "no heading named 'compass'"),
        ("hil --board python --course staircase", "models that can"),
        ("hil --replay nothing.raw", "nothing.raw: there is no such file"),
        ("hil --out a.txt", ".csv, .parquet or .mcap"),
        ("hil --board python --observe kalman", "no observer named 'kalman'"),
        ("paper p0 courses --courses step", "no course of P0 named 'step'"),
        ("paper p0 courses --draws 0", "--draws must be at least 1"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, words):
    answer = grouser(line)
    assert answer.code == 2
    assert words in answer.err
    assert "Traceback" not in answer.err


def test_without_the_firmware_the_sentence_says_what_to_do(grouser, monkeypatch, tmp_path):
    monkeypatch.setattr("grouser.hil.simulated_board.BUILD", tmp_path)
    answer = grouser("hil --lockstep")
    assert answer.code == 2
    assert "make firmware" in answer.err
    assert "--board python" in answer.err


def test_an_interrupt_stops_the_motors_and_keeps_everything(tmp_path):
    line = "hil --board python --course behaviour-3 --command-timeout 0.5 --out a.csv"
    process = subprocess.Popen(
        [sys.executable, "-m", "grouser", *line.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    while (
        not (tmp_path / "a.raw").is_file() or b"firmware" not in (tmp_path / "a.raw").read_bytes()
    ):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the motors are off" in err
    assert "log: a.csv" in out
    assert read_log(tmp_path / "a.csv").provenance.status == "interrupted"
    assert "# stop" in (tmp_path / "a.raw").read_text()


def test_courses_are_compared_with_what_was_printed(grouser, tmp_path):
    answer = grouser(
        "paper p0 courses --courses behaviour-1-straight --board python --draws 5 --jobs 1"
    )
    assert answer.code == 0
    assert "1.562" in answer.out
    assert "slip -20/-20 %, L -3 %" in answer.out
    assert "met" in answer.out
    assert (tmp_path / "out" / "hil-courses" / "behaviour-1-straight.csv").is_file()


def test_the_panel_shows_the_board_and_the_virtual_robot():
    from grouser import Scenario
    from grouser.hil.links import LockstepLink
    from grouser.hil.python_board import PythonBoard
    from grouser.hil.run import run_board

    snapshots, connections = [], []
    run_board(
        LockstepLink(PythonBoard()),
        Scenario(course="flat", model="ideal", driver="constant:left=0.1,right=0.1", stop=0.5),
        observe=snapshots.append,
        started=lambda simulation, connection: connections.append(connection),
    )
    console = PlainConsole(width=100, record=True, file=io.StringIO())
    console.print(draw_panel("run", None, None))
    console.print(draw_panel("run", snapshots[40], connections[0]))
    text = console.export_text()
    assert "waiting for the board" in text
    assert "driving" in text
    assert "ARMED" in text
    assert "+0.100" in text


def test_slip_is_estimated_while_a_board_drives_and_again_in_the_replay(grouser, tmp_path):
    line = QUICK.replace("--duration 1", "--duration 4")
    answer = grouser(f"{line} --observe ekf --out a.csv --json")
    assert answer.code == 0, answer.err
    for side, true in (("left", 0.1), ("right", 0.1188)):
        slip = answer.json["fused"][f"slip_{side}"]
        assert abs(slip["value"] - true) < 3.0 * slip["deviation"] < 0.03
    log = read_log(tmp_path / "a.csv")
    assert log["fused.x"][-1] == pytest.approx(log["x"][-1], abs=0.002)
    again = grouser("hil --replay a.raw")
    assert "a.csv: the same, bit for bit" in again.out


def test_no_run_replaces_the_files_of_another(grouser, tmp_path):
    quick = QUICK.replace("--duration 1", "--duration 0.2")
    for number in ("", "-2", "-3"):
        answer = grouser(quick)
        assert answer.code == 0
        assert f"hil-tp100-behaviour-1-straight-slip{number}.raw" in answer.out
    (tmp_path / "a.raw").write_text("old")
    answer = grouser(f"{quick} --out a.csv")
    assert answer.code == 2
    assert "--out must name a file that does not exist yet (--overwrite" in answer.err
    assert "'a.raw'" in answer.err
    assert (tmp_path / "a.raw").read_text() == "old"
    assert grouser(f"{quick} --out a.csv --overwrite").code == 0
    assert (tmp_path / "a.raw").read_text() != "old"


def test_a_scenario_file_is_driven_with_the_options_of_any_run(grouser, tmp_path):
    (tmp_path / "flat.toml").write_text(
        'grouser = 1\nrobot = "absolem"\ncourse = "flat"\nmodel = "ideal"\n'
        'driver = { name = "constant", speed = 0.1 }\nduration_s = 0.5\n'
    )
    line = "hil flat.toml --board python --lockstep --start 0.5,-1,90 --seed 5 --out a.csv"
    answer = grouser(f"{line} --flippers 0=-30/-30/0/0 --command-timeout 0.2")
    assert answer.code == 0, answer.err
    log = read_log(tmp_path / "a.csv")
    assert (log["x"][0], log["y"][0]) == (0.5, -1.0)
    assert log["yaw"][0] == pytest.approx(math.pi / 2.0)
    first = next(name for name in log if name.startswith("flipper_angle."))
    assert log[first][-1] < -0.1
    assert log.provenance.scenario["robot"] == "absolem"
    assert "bit for bit" in grouser("hil --replay a.raw").out


def test_a_raw_log_from_before_scenarios_is_replayed(grouser, tmp_path):
    grouser(f"{QUICK} --rate 50 --command-timeout 0.15 --seed 3 --out a.csv")
    head, _, rest = (tmp_path / "a.raw").read_text().partition("\n")
    scenario = json.loads(head[2:])["scenario"]
    old = {
        "format": "grouser raw log 1",
        "robot": "tp100",
        "robot_text": scenario["robot"]["text"],
        "course": "behaviour-1-straight",
        "course_text": scenario["course"]["text"],
        "course_parameters": {},
        "model": "slip",
        "drive": "follow",
        "speed": scenario["speed_m_s"],
        "duration": 1.0,
        "rate": 50,
        "lease": 150,
        "seed": 3,
        "arm": True,
        "link_id": 1,
        "faults": [],
        "exchange": None,
        "observe": None,
        "boot_wait": 0.0,
    }
    (tmp_path / "a.raw").write_text(f"# {json.dumps(old)}\n{rest}")
    answer = grouser("hil --replay a.raw")
    assert answer.code == 0, answer.err
    assert "the host sends the same bytes as in the log" in answer.out
    assert "a.csv: the same, bit for bit" in answer.out
    del old["seed"]
    (tmp_path / "a.raw").write_text(f"# {json.dumps(old)}\n{rest}")
    assert "a.raw: header has no 'seed'" in grouser("hil --replay a.raw").err
    (tmp_path / "a.raw").write_text(f"# {json.dumps({**old, 'exchange': 'udp'})}\n{rest}")
    assert "another program had the virtual robot" in grouser("hil --replay a.raw").err


def test_driver_and_simulation_are_built_once(monkeypatch):
    from grouser import Scenario
    from grouser.hil.links import LockstepLink
    from grouser.hil.python_board import PythonBoard
    from grouser.hil.run import run_board

    loading, made = sys.modules["grouser.scenario.run"], []
    for name in ("Simulation", "make_driver", "make_observers"):
        real = getattr(loading, name)
        monkeypatch.setattr(
            loading,
            name,
            lambda *a, _name=name, _real=real, **k: made.append(_name) or _real(*a, **k),
        )
    scenario = Scenario(course="behaviour-1-straight", observers="ekf", stop=0.2)
    run_board(LockstepLink(PythonBoard()), scenario)
    assert sorted(made) == ["Simulation", "make_driver", "make_observers"]


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("board", {"rate": "fast"}, "a.raw: header rate: Input should be a valid integer"),
        ("board", {"rate": 1}, "a.raw: cannot be run again: rate must be from 10 to 200 Hz"),
        ("scenario", {"speed_m_s": float("nan")}, "speed_m_s"),
        ("scenario", {"model": "none"}, "a.raw: cannot be run again: no model named 'none'"),
        ("scenario", {"course": {"name": "flat", "parameters": 3}}, "parameters"),
        ("scenario", {"course": {"name": "flat", "text": "x", "origin": 3}}, "cannot be run again"),
        ("scenario", {"robot": {"name": "x", "text": "x ="}}, "a.raw: cannot be run again"),
        ("", {"boot_wait": "long"}, "a.raw: header boot_wait"),
        ("", {"scenario": 3}, "a.raw: header: scenario must be a table"),
        ("", {"board": None}, "a.raw: header board"),
    ],
)
def test_a_raw_log_with_a_false_head_is_one_sentence(grouser, tmp_path, table, change, words):
    grouser(f"{QUICK} --out a.csv")
    head, _, rest = (tmp_path / "a.raw").read_text().partition("\n")
    header = json.loads(head[2:])
    changed = {**header, table: {**header[table], **change}} if table else {**header, **change}
    (tmp_path / "a.raw").write_text(f"# {json.dumps(changed)}\n{rest}")
    answer = grouser("hil --replay a.raw")
    assert answer.code == 2
    assert words in answer.err
    assert "Traceback" not in answer.err


def test_the_table_tells_fault_promise_measurement_verdict_and_twin(grouser):
    answer = grouser("hil faults --only 17 25")
    assert answer.code == 0
    assert "≤ 2 ms + wire" in answer.out
    assert "without estop-latch: off after" in answer.out or "not latched" in answer.out
    assert "2 of 2 promises kept" in answer.out


def test_a_firmware_without_a_guard_is_caught(grouser):
    answer = grouser("hil faults --only 7 17 25 --without range-check --json")
    assert answer.code == 1
    assert {row["row"]: row["kept"] for row in answer.json} == {7: False, 17: True}


def test_damaged_frames_are_counted(grouser):
    answer = grouser("hil frames --count 6000 --json")
    assert answer.code == 0
    assert sum(tally["frames"] for tally in answer.json.values()) == 6000
    assert sum(tally["wrong"] for tally in answer.json.values()) == 0


def test_a_calibration_writes_the_file_and_tells_before_and_after(grouser, tmp_path):
    answer = grouser("hil calibrate gyro --board python --duration 1 --out mine.toml")
    assert answer.code == 0
    assert "robot: mine.toml" in answer.out
    robot = load_robot(tmp_path / "mine.toml")
    assert robot.sensors.imu.gyro_offset is not None
    assert "[M]" in robot.source_of("sensors.imu.gyro_offset_deg_s")
    before = (tmp_path / "mine.toml").read_text()
    answer = grouser(
        "hil calibrate encoder --board python --robot mine.toml --distance 0.1 --dry-run"
    )
    assert answer.code == 0
    assert "nothing written" in answer.out
    assert (tmp_path / "mine.toml").read_text() == before


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("faults --only 26", "--only must be rows from 1 to 25, not 26"),
        ("faults --only 25 --without lease", "--only must name rows of the firmware: 1, 2, 3"),
        ("faults --without leas", "did you mean 'lease'?"),
        ("frames --count 0", "count must be at least 1, not 0"),
        ("calibrate gyro", "--robot must be a file of your own, or come with --out FILE"),
        ("calibrate gyro --out x.csv", "--out must end in .toml"),
        ("calibrate gyro --out x.toml --duration 0", "--duration must be from 0.5 to 600 s"),
        ("calibrate encoder --dry-run --measured far", "--measured must be one or two distances"),
        ("calibrate speed --dry-run --port /dev/none", "--arm must be given"),
        ("calibrate speed --dry-run --board pyhton", "did you mean 'python'?"),
        ("calibrate speed --dry-run --board python --duties 1 0.5", "duties must be two or more"),
        ("calibrate wheel", "no command named 'wheel'"),
    ],
)
def test_a_mistake_gets_one_sentence(grouser, line, sentence):
    answer = grouser(f"hil {line}")
    assert answer.code == 2
    assert sentence in answer.err
