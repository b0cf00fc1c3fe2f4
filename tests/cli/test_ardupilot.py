"""`grouser ardupilot`: a process that the stand-in drives over UDP, and mistakes."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from grouser.log import read_log
from tests.breaking import PLACE, install
from tests.plugs.ardupilot.stand_in import StandIn

ROOT = Path(__file__).parents[2]

WAIT = 30.0
"""Time that a loaded machine may need to start a process [s]."""


class Grouser:
    """The command in another process, and a line to its port."""

    def __init__(self, folder, *words: str, model: str = "ideal") -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        usual = ["--course", "flat", "--model", model, "--dt", "0.02", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grouser", "ardupilot", *usual, "--json", *words],
            cwd=folder, env=dict(os.environ), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert "waiting for ArduPilot" in self.process.stderr.readline()
        self.line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.line.settimeout(WAIT)

    def exchange(self, stand_in: StandIn, frames: int) -> None:
        """Let the stand-in send frames, and read their replies."""
        for _ in range(frames):
            self.line.sendto(stand_in.output_servos(), ("127.0.0.1", self.port))
            assert stand_in.receive(self.line.recv(65000))

    def end(self) -> tuple[int, dict]:
        """Return the exit code and the summary."""
        out, _ = self.process.communicate(timeout=WAIT)
        self.line.close()
        return self.process.returncode, json.loads(out)


def test_a_process_is_driven_until_its_duration(tmp_path):
    grouser = Grouser(tmp_path, "--duration", "2", "--out", "a.csv", "--left-channel", "9")
    stand_in = StandIn(rate=50.0, left=9, pulses=(1750, 1750))
    grouser.exchange(stand_in, 100)
    code, summary = grouser.end()
    assert code == 0
    assert summary["ended"] == "2 s have passed"
    assert (summary["frames"], summary["duration_s"], summary["logs"]) == (100, 2.0, ["a.csv"])
    assert summary["x"] == pytest.approx(1.25 * 2.0, rel=0.3)
    assert stand_in.sensed.position[1] == pytest.approx(summary["x"])
    log = read_log(tmp_path / "a.csv")
    assert log.provenance.driver == "ardupilot"
    assert log.provenance.notes["ardupilot"]["frames"] == 100
    assert len(log) == 101


def test_ctrl_c_keeps_the_log_which_can_be_replayed(tmp_path, grouser):
    process = Grouser(tmp_path, "--out", "a.csv")
    process.exchange(StandIn(rate=50.0, pulses=(1600, 1900)), 50)
    process.process.send_signal(signal.SIGINT)
    code, summary = process.end()
    assert (code, summary["ended"]) == (130, "interrupted")
    log = read_log(tmp_path / "a.csv")
    assert (len(log), log.provenance.status) == (51, "interrupted")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert grouser("replay a.csv").code == 0


def test_without_ardupilot_it_ends_after_its_patience(grouser):
    answer = grouser("ardupilot --port 0 --model ideal --patience 0.05")
    assert answer.code == 0
    assert "ended: no frame came for 0.05 s" in answer.err
    assert "frames" in answer.out


def test_a_port_in_use_is_one_sentence(grouser):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        answer = grouser(f"ardupilot --model ideal --port {port}")
    assert answer.code == 2
    assert f"--port must be free at 127.0.0.1 (Address already in use), not {port}" in answer.err
    assert len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--port 70000", "--port must be from 0 to 65535, not 70000"),
        ("--host 203.0.113.7", "--host must be an address of this machine"),
        ("--left-channel 33", "left channel must be a channel from 1 to 32, not 33"),
        ("--left-channel 3", "right channel must differ from the left channel"),
        ("--pulses 1000,2000", "--pulses must be three numbers, as in 1000,1500,2000"),
        ("--pulses 2000,1500,1000", "must rise"),
        ("--dead-zone 600", "dead zone must be from 0 to below 500 us"),
        ("--patience 0", "--patience must be a positive number"),
        ("--driver follow", "--driver must not be given: ArduPilot drives"),
        ("scenario.txt", "be a scenario file and end in .toml"),
    ],
)
def test_a_mistake_gets_one_sentence(grouser, words, sentence):
    answer = grouser(f"ardupilot {words}")
    assert answer.code == 2
    assert sentence in answer.err


def test_a_tick_that_raises_ends_the_process_with_a_sentence_and_a_log(tmp_path, monkeypatch):
    path = os.pathsep.join([str(install(tmp_path / "plugin")), str(ROOT), *sys.path])
    monkeypatch.setenv("PYTHONPATH", path)
    grouser = Grouser(tmp_path, "--robot", "tp100", "--out", "a.csv", model="breaking")
    stand_in = StandIn(rate=50.0, pulses=(1600, 1600))
    grouser.exchange(stand_in, 20)
    stand_in.pulses = (2000, 2000)
    grouser.line.sendto(stand_in.output_servos(), ("127.0.0.1", grouser.port))
    code, summary = grouser.end()
    assert code == 5
    assert PLACE in summary["ended"]
    log = read_log(tmp_path / "a.csv")
    assert (len(log), log.provenance.status) == (21, "failed")
