"""Tests hold wherever they are started, and leave no process behind: tried on small suites."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[1]
LEAVES_ONE = """
import subprocess, sys
import pytest
from tests import surroundings
surroundings.PATIENCE = 0.3
PROGRAM = [sys.executable, "-c", "import time; time.sleep(600)"]

def start():
    return subprocess.Popen(PROGRAM, stdout=-3, stderr=-3).pid

def test_fails_and_leaves_one():
    print("PID", start())
    assert False

@pytest.fixture
def careless():
    return start()

def test_has_a_fixture_that_leaves_one(careless):
    print("PID", careless)

def test_leaves_an_orphan():
    inner = f"import subprocess; print(subprocess.Popen({PROGRAM!r}, stdout=-3, stderr=-3).pid)"
    done = subprocess.run([sys.executable, "-c", inner], capture_output=True, text=True)
    print("PID", done.stdout)

def test_leaves_none():
    subprocess.run([sys.executable, "-c", "0"])
"""
INTERRUPTS = """
import os, signal, subprocess, sys
import pytest

def test_interrupts_itself():
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_interrupts_a_program(number):
    program = [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(60)"]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with subprocess.Popen(program, **pipes) as process:
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(timeout=20) != 0
"""


def run_suite(folder: Path, content: str, *words: str, **options) -> subprocess.CompletedProcess:
    (folder / "test_small.py").write_text(content)
    line = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*line, "-rA", "--rootdir", str(folder), *words, str(folder / "test_small.py")],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=False, **options,
    )  # fmt: skip


def is_running(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_process_that_outlives_its_test_fails_it_and_is_ended(tmp_path):
    done = run_suite(tmp_path, LEAVES_ONE)
    numbers = {int(line.split()[1]) for line in done.stdout.splitlines() if line[:4] == "PID "}
    assert len(numbers) == 3, done.stdout
    assert not any(is_running(number) for number in numbers)
    assert "processes were left behind" in done.stdout
    assert "processes of fixtures were left behind" in done.stdout
    assert "1 failed, 3 passed, 3 errors" in done.stdout


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["alone", "worker"])
def test_signals_reach_tests_that_were_started_in_the_background(tmp_path, words):
    done = run_suite(tmp_path, INTERRUPTS, *words, preexec_fn=ignore_signals, env=dict(os.environ))
    assert "4 passed" in done.stdout, done.stdout + done.stderr
