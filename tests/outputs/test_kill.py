"""kill -9 at the instants that matter."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.cli.main import main
from grouser.log import read_log, write_log
from grouser.models import command_sides
from grouser.viewer.recordings import Recordings
from tests.outputs.kill import killed_at_each_call, visible

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
LINE = "run --course flat --drive constant:speed=0.1 --duration 3 --model ideal"
RUN = LINE.split()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def test_a_run_is_finished_or_unfinished_but_whole(folder):
    whole = set()
    for _ in killed_at_each_call(lambda: main([*RUN, "--out", "a.csv"]), lambda: empty(folder)):
        there = visible(folder)
        assert there in ({"a.csv"}, {"a.unfinished.csv"}, {"a.csv", "a.unfinished.csv"})
        for name in there:
            log = read_log(folder / name)
            assert len(log) == 301
            assert log.provenance.status == "complete"
            whole.add(name)
    assert whole == {"a.csv", "a.unfinished.csv"}


def test_what_a_killed_run_left_is_not_in_the_way(folder, capsys):
    for _ in killed_at_each_call(lambda: main([*RUN, "--out", "a.csv"]), lambda: empty(folder)):
        (folder / "a.csv").unlink(missing_ok=True)
        left = visible(folder)
        assert main([*RUN, "--out", "a.csv"]) == 0
        assert visible(folder) == left | {"a.csv"}
        assert read_log(folder / "a.csv").provenance.status == "complete"


def test_both_names_of_a_finished_run_are_one_again_after_the_next(folder, capsys):
    assert main([*RUN, "--out", "a.csv"]) == 0
    os.link("a.csv", "a.unfinished.csv")  # as if killed between the two steps of a renaming
    assert main([*RUN, "--out", "a.csv", "--overwrite"]) == 0
    assert visible(folder) == {"a.csv"}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_that_is_overwritten_is_the_old_or_the_new_one(folder, suffix):
    path = folder / f"a{suffix}"

    def prepare() -> None:
        empty(folder)
        path.write_bytes(b"old")

    seen = set()
    line = [*RUN, "--out", path.name, "--overwrite"]
    for _ in killed_at_each_call(lambda: main(line), prepare):
        is_old = path.read_bytes() == b"old"
        seen.add(is_old)
        if is_old:
            assert len(read_log(folder / "a.unfinished.csv")) == 301
        else:
            assert len(read_log(path)) == 301
    assert seen == {True, False}


def test_exports_of_an_identification_are_whole_or_not_there(folder):
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"))
    for tick in range(600):
        turn = 0.3 if tick // 150 % 2 else -0.2
        simulation.advance(command_sides(robot, 0.1 * (1 - turn), 0.1 * (1 + turn)))
    write_log(simulation.log(), "drive.csv")

    def prepare() -> None:
        for name in ("a.json", "b.toml"):
            (folder / name).unlink(missing_ok=True)

    line = ["identify", "drive.csv", "--family", "slip", "--export", "a.json", "b.toml"]
    for _ in killed_at_each_call(lambda: main(line), prepare):
        assert visible(folder) <= {"drive.csv", "a.json", "b.toml"}
        if (folder / "a.json").exists():
            assert json.loads((folder / "a.json").read_text())
        if (folder / "b.toml").exists():
            assert load_robot(folder / "b.toml").name
    assert visible(folder) == {"drive.csv", "a.json", "b.toml"}


def test_results_of_a_sweep_are_whole_and_it_goes_on(folder, capsys):
    words = (
        "sweep --workers 1 --robot tp100 --course slope --model ideal --out out --duration 1 "
        "--x course.angle_deg=0,10 --y drive.speed=0.1,0.2"
    )
    line = words.split()
    results, counts = folder / "out" / "results.json", []

    def prepare() -> None:
        for path in (folder / "out").glob("*"):
            path.unlink()

    for _ in killed_at_each_call(lambda: main(line), prepare):
        counts.append(len(json.loads(results.read_text())) if results.exists() else 0)
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] == 4
    assert visible(folder / "out") == {"results.json", "map.html", "map.png"}


def test_a_drive_on_the_page_is_there_whenever_its_process_is_killed(folder):
    robot = load_robot("tp100")

    def drive() -> None:
        recordings = Recordings(folder)
        simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
        spool = recordings.stream(simulation)
        for _ in range(250):
            simulation.advance(command_sides(robot, 0.1, 0.1))
        recordings.save(simulation.log(), automatic=True)
        spool.close(remove=True)

    for _ in killed_at_each_call(drive, lambda: empty(folder)):
        found = Recordings(folder)
        assert max(len(found.load(name)) for name in found.names()) >= 250 + 1 - 100
    assert [path.suffix for path in folder.iterdir()] == [".parquet"]


def test_all_but_the_last_second_of_a_run_in_real_time_is_there(folder):
    line = [*RUN[:-4], "--duration", "60", "--model", "ideal", "--realtime", "--out", "a.csv"]
    process = subprocess.Popen(
        [sys.executable, "-m", "grouser", *line], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "real time" in process.stderr.readline()
    path = folder / "a.unfinished.csv"
    while not path.exists():
        time.sleep(0.01)
    began = time.monotonic()
    time.sleep(3.0)
    driven = time.monotonic() - began
    process.send_signal(signal.SIGKILL)
    process.communicate()
    log = read_log(path)
    assert log.provenance.status == "unfinished"
    assert log.provenance.driver == "constant:speed=0.1"
    assert log.duration > driven - 1.5  # it takes a moment from the file to the first tick
    assert main(["replay", path.name]) == 0
