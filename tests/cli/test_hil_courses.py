"""`grouser hil courses`: P0's courses with the real firmware at a pseudo-terminal."""

import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest

from grouser.hil import board_thread, links
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import RunnerProcess, find_runner
from grouser.log import read_log
from grouser.papers.p0 import courses

TWO = "--courses behaviour-1-straight behaviour-1-radius"


@pytest.fixture
def port(monkeypatch) -> Iterator[str]:
    """The terminal of a board that outlives the commands, as a real one; courses end early."""
    runner, image = find_runner()
    process = RunnerProcess(str(runner), "--pty", "--seed", "1", str(image))
    monkeypatch.setattr(links, "SerialPort", partial(SerialPort, boot_wait=0.0))
    monkeypatch.setattr(courses, "LONGEST", 1.0)
    yield process.greeting.split()[2]
    process.close()


def test_courses_are_driven_one_after_the_other(grouser, tmp_path, port):
    line = f"hil courses --port {port} --arm {TWO} --draws 3 --command-timeout 0.5 --json"
    answer = grouser(f"{line} --out made")
    assert answer.code in (0, 1)  # a loaded machine may make a run invalid
    names = [course["course"] for course in answer.json["courses"]]
    assert names == ["behaviour-1-straight", "behaviour-1-radius"]
    for name, course in zip(names, answer.json["courses"], strict=True):
        log = read_log(tmp_path / "made" / f"{name}.csv")
        # A host that stands still for half a second is stopped by the board.
        assert log["x"][-1] > 0.03 or "the board stopped" in str(course["problems"])
        assert (tmp_path / "made" / f"{name}.raw").stat().st_size > 1000
    again = grouser("hil --replay made/behaviour-1-radius.raw")
    assert again.code == 2
    assert "belt speeds were computed before the run" in again.err
    # Stand-ins move by the encoders: the nominal one is where the virtual robot is.
    nominal = answer.json["courses"][0]["corners"][0]
    assert nominal["name"] == "nominal"
    assert nominal["final"] < 0.01


def test_an_interrupt_keeps_what_is_finished_and_what_is_not(grouser, tmp_path, port, monkeypatch):
    seen = []

    def interrupt_second(watch, snapshot):
        watch.snapshot = snapshot
        if snapshot.phase.value == "driving" and snapshot.time > 0.5:
            seen.append(snapshot)
            if len(seen) > 1 and snapshot.time < seen[-2].time:  # another course has begun
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(board_thread.Watch, "see", interrupt_second)
    line = f"hil courses --port {port} --arm {TWO} --draws 3 --command-timeout 0.5"
    answer = grouser(f"{line} --out made")
    assert answer.code == 130
    assert "1 of 2 courses are finished, and everything is kept" in answer.err
    assert "behaviour-1-straight: the run" in answer.out or "is not valid" in answer.err
    assert "behaviour-1-radius" not in answer.out
    assert read_log(tmp_path / "made/behaviour-1-straight.csv").provenance.status == "complete"
    stopped = read_log(tmp_path / "made/behaviour-1-radius.csv")
    assert stopped.provenance.status == "interrupted"
    assert "# stop" in (tmp_path / "made/behaviour-1-radius.raw").read_text()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hil courses --port /dev/ttyNothing", "--arm must be given: the motors will run"),
        ("hil courses --port /dev/ttyNothing --arm", "does not exist"),
        ("hil courses --port /dev/null --arm", "is not a serial port"),
        ("hil courses --courses step", "no course of P0 named 'step'"),
        ("hil courses --board none", "no board named 'none'"),
        ("hil courses --draws 0", "--draws must be at least 1"),
        (
            "hil courses --command-timeout 5",
            "must be from 0.05 to 0.5 seconds (it is no",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(grouser, line, words):
    answer = grouser(line)
    assert answer.code == 2
    assert words in answer.err
