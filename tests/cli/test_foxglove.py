"""`grouser foxglove`."""

import json
import os
import signal
import socket
import threading
import time

import pytest
from mcap.reader import make_reader

SHORT = "--robot tp100 --course flat --model ideal --port 0"


def topics_of(file):
    with file.open("rb") as content:
        summary = make_reader(content).get_summary()
    return {channel.topic for channel in summary.channels.values()}


def test_it_writes_a_layout_and_a_recording(grouser, tmp_path):
    answer = grouser(
        f"foxglove {SHORT} --driver constant:speed=0.1 --timeout 0.6 "
        "--out out/run.mcap --layout out/layout.json"
    )
    assert answer.code == 0, answer.err
    assert "ws://127.0.0.1:" in answer.out
    assert "recording: out/run.mcap" in answer.out
    assert json.loads((tmp_path / "out/layout.json").read_text())["configById"]
    found = topics_of(tmp_path / "out/run.mcap")
    assert {"/tf", "/state", "/course", "/robot", "/imu", "/encoder"} <= found
    with (tmp_path / "out/run.mcap").open("rb") as file:
        states = [json.loads(m.data) for *_, m in make_reader(file).iter_messages(["/state"])]
    # The driver that the scenario names drives until a command comes.
    assert states[-1]["pose"]["x"] > states[0]["pose"]["x"] + 0.01
    assert [file.name for file in (tmp_path / "out").iterdir() if file.name[0] == "."] == []


def test_an_interrupt_keeps_the_recording(grouser, tmp_path):
    def interrupt():
        while not list(tmp_path.glob(".grouser-*.part*")):
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    answer = grouser(f"foxglove {SHORT} --out run.mcap --timeout 60")
    assert answer.code == 0
    assert "closing" in answer.err
    assert {"/tf", "/state"} <= topics_of(tmp_path / "run.mcap")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.mcap"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--out run.csv", "--out must end in .mcap, not 'run.csv'"),
        ("--layout layout.toml", "--layout must end in .json, not 'layout.toml'"),
        ("--timeout 0", "--timeout must be a positive number of seconds, not 0.0"),
        ("--port 99999", "port must be from 0 to 65535, not 99999"),
        ("--host nowhere.invalid", "server must be an address and a port to listen on"),
        ("--duration 5", "--duration must not be given: the run ends at Ctrl-C"),
        ("--robot nobody", "no robot named 'nobody'"),
        ("--factor -1", "factor must be above 0"),
    ],
)
def test_mistakes_are_one_sentence(grouser, options, words):
    answer = grouser(f"foxglove {options}")
    assert answer.code == 2
    assert words in answer.err
    assert answer.err.splitlines()[-1].startswith("grouser: ")
    assert answer.out == ""


def test_a_taken_port_is_one_sentence(grouser):
    with socket.create_server(("127.0.0.1", 0)) as other:
        answer = grouser(f"foxglove --port {other.getsockname()[1]}")
    assert answer.code == 2
    assert "in use" in answer.err
    assert "--port" in answer.err
    assert answer.err.count("\n") == 1


def test_a_file_that_is_there_is_not_replaced(grouser, tmp_path):
    (tmp_path / "run.mcap").write_text("mine")
    answer = grouser(f"foxglove {SHORT} --out run.mcap")
    assert answer.code == 2
    assert "--overwrite" in answer.err
    assert (tmp_path / "run.mcap").read_text() == "mine"


def test_without_the_extra_it_says_what_to_install(grouser, monkeypatch):
    monkeypatch.setattr("grouser.extras.find_spec", lambda name: None)
    answer = grouser("foxglove")
    assert answer.code == 2
    assert "pip install 'grouser[foxglove]'" in answer.err
    assert answer.err.count("\n") == 1
