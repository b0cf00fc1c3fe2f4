"""Ctrl-C ends a run, and what was done is kept."""

import os
import signal
import subprocess
import sys
import time

from grouser.log import read_log


def interrupted(arguments: list[str], folder, after: float) -> tuple[int, str, str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "grouser", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr is not None
    first = process.stderr.readline()  # says that the run is under way
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, first + err


def test_an_interrupted_run_keeps_its_log(tmp_path):
    line = "run --course behaviour-2 --realtime --out a.csv --json"
    code, out, err = interrupted(line.split(), tmp_path, after=1.0)
    assert code == 130
    assert "Traceback" not in err
    assert "the log of what was done is in a.csv" in err
    assert '"status": "interrupted"' in out
    log = read_log(tmp_path / "a.csv")
    assert log.provenance.status == "interrupted"
    assert 0.5 < log.duration < 10.0


def test_an_interrupted_log_can_be_replayed(grouser, tmp_path):
    line = "run --course flat --drive constant --duration 60 --realtime --out a.csv"
    code, _, _ = interrupted(line.split(), tmp_path, after=0.3)
    assert code == 130
    assert grouser("replay a.csv").code == 0
