"""`grouser exchange`: our own two sides, as two processes, and mistakes."""

import json
import os
import socket
import subprocess
import sys

import pytest

from grouser.log import read_log


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return min(probe.getsockname()[1], 65533)


@pytest.mark.parametrize("by", ["files", "udp"])
def test_two_processes_drive_through_an_exchange(grouser, tmp_path, by):
    where = "swap" if by == "files" else f"udp:{free_port()}"
    words = ["exchange", "simulate", where, "--course", "flat", "--patience", "1", "--json"]
    words += ["--out", "sim.csv"]
    simulation = subprocess.Popen(
        [sys.executable, "-m", "grouser", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env=dict(os.environ),
        text=True,
    )
    driver = "waypoints:points=0/0;0.1/0"
    line = f"exchange control {where} --course flat --drive {driver} --patience 60"
    answer = grouser(f"{line} --json --out control.csv")
    out, _ = simulation.communicate(timeout=60)
    assert answer.code == 0
    assert simulation.returncode == 0
    assert answer.json["ended"] == "the driver is done"
    said = json.loads(out)
    assert (said["x"], said["y"]) == pytest.approx((0.1, 0.0), abs=0.05)
    assert said["ended"] == "no line came for 1 s"
    assert said["malformed"] == answer.json["malformed"] == 0
    assert said["stale_ticks"] > 0
    log = read_log(tmp_path / "sim.csv")
    assert log.provenance.driver == "exchange"
    assert log.provenance.notes["exchange"]["good"] == said["good"] > 3
    assert len(read_log(tmp_path / "control.csv")) > 3


SCRIPT = """
import time
time.sleep(0.5)
for seq in range(20):
    with open("swap/Encoder.txt", "w") as file:
        file.write(f"{seq},0,9,10\\n")
    time.sleep(0.02)
"""


def test_the_log_of_an_exchange_can_be_replayed(grouser, tmp_path):
    (tmp_path / "swap").mkdir()
    other = subprocess.Popen([sys.executable, "-c", SCRIPT], cwd=tmp_path)
    answer = grouser("exchange simulate swap --course flat --patience 2 --out a.csv")
    other.wait()
    assert answer.code == 0
    assert "ended: no line came for 2 s" in answer.err
    assert read_log(tmp_path / "a.csv")["x"][-1] > 0.0
    assert grouser("replay a.csv").code == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("simulate udp:99999", "exchange must have a port from 1 to 65534, not 'udp:99999'"),
        ("simulate --patience 0", "--patience must be a positive number, not 0.0"),
        ("simulate --course stairs", "no course named 'stairs'"),
        ("control --period 2", "--period must be from 0.001 to 0.25 s, not 2.0"),
        ("control --out x.txt", "--out must end in .csv, .parquet or .mcap"),
        ("steer", "no command named 'steer'"),
    ],
)
def test_a_mistake_gets_one_sentence(grouser, line, sentence):
    answer = grouser(f"exchange {line}")
    assert answer.code == 2
    assert sentence in answer.err
