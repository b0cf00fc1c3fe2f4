"""Models that are compiled by another process."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from grouser import notices
from grouser.models import compiler
from grouser.models.compiler import CompilerProgress
from grouser.scenario import Scenario
from grouser.scenario.compiling import Compilation, is_compiled, try_out
from tests.viewer.browser import wait_until

TANKBOT = Scenario(robot="tankbot", course="flat", model="tankbot")
PATIENCE = 120.0
"""How long a busy machine may compile [s]."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder of compiled code, for other processes."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    return tmp_path / "code"


def test_a_model_without_compiled_code_is_always_ready():
    assert is_compiled(Scenario(robot="tp100", course="flat", model="ideal"))


def test_another_process_compiles_and_says_how_far_it_is(folder):
    shares, ended, seen = [], SimpleQueue(), []
    with notices.watch(seen.append), notices.listen(lambda sentence: None):
        Compilation([TANKBOT], shares.append, ended.put)
        assert ended.get(timeout=PATIENCE) is None
    assert list(folder.rglob("*.code"))
    assert not list(folder.rglob("*.part"))
    assert shares == [progress.share for progress in seen]
    assert 0.5 < max(shares) < 1.0
    assert str(seen[0]).startswith("compiling the model tankbot: 0 %")
    assert seen[-1].is_over


def test_an_error_of_the_other_process_is_one_sentence(folder):
    ended = SimpleQueue()
    Compilation([TANKBOT.vary(course="staircase")], lambda share: None, ended.put)
    problem = ended.get(timeout=PATIENCE)
    assert "staircase" in problem
    assert "\n" not in problem


def test_a_process_that_is_stopped_leaves_nothing_and_tells_nothing(folder):
    ended, begun = SimpleQueue(), threading.Event()
    with notices.listen(lambda sentence: None):
        work = Compilation([TANKBOT], lambda share: begun.set(), ended.put)
        assert begun.wait(PATIENCE)
        work.stop()
    assert work._process.poll() is not None
    assert ended.empty()
    assert not list(folder.rglob("*.part"))


PARENT = """
import time
from grouser.scenario import Scenario
from grouser.scenario.compiling import Compilation
work = Compilation(
    [Scenario(robot="tankbot", course="flat", model="tankbot")],
    lambda share: print(work._process.pid, flush=True), print,
)
time.sleep(600)
"""


def test_the_other_process_ends_with_one_that_is_killed(folder):
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    wait_until(lambda: not is_alive(pid), "it has ended")


def is_alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(") ")[2][0] != "Z"


def test_progress_grows_with_the_code_and_ends_before_all_of_it():
    seen: list[notices.Progress] = []
    progress = CompilerProgress("compiling a test", 100)
    with notices.watch(seen.append):
        progress.count(10, is_new=False)  # before: not part of this work
        progress.begin()
        progress.count(40, is_new=True)
        progress.count(20, is_new=False)
        progress.end()
        progress.begin()  # the second function that is called goes on from there
        progress.count(140, is_new=True)
        progress.end()
        progress.begin()  # another variant
        progress.end()
    assert [each.share for each in seen] == [0.0, 0.4, 0.6, 0.6, 0.6, 0.99, 0.99, 0.0, 0.0]
    assert [each.is_over for each in seen].count(True) == 3
    assert str(seen[2]).startswith("compiling a test: 60 %, 2 functions, about ")


def test_the_time_left_is_by_how_long_the_code_so_far_took_here(monkeypatch):
    clock, seen = SimpleNamespace(now=0.0), list[notices.Progress]()
    monkeypatch.setattr(compiler, "monotonic", lambda: clock.now)
    progress = CompilerProgress("compiling a test", 100)
    with notices.watch(seen.append):
        progress.begin()
        for second, size in ((10.0, 20), (30.0, 20)):
            clock.now = second
            progress.count(size, is_new=True)
        progress.end()
    # A fifth took 10 s: 40 s are left; two fifths took 30 s: 45 s are left.
    assert [(each.passed, each.left) for each in seen[:3]] == [
        (0.0, None), (10.0, pytest.approx(40.0)), (30.0, pytest.approx(45.0))
    ]  # fmt: skip
    assert str(seen[2]) == "compiling a test: 40 %, 2 functions, 30 s, about 45 s left"


def test_time_is_reported_while_one_function_takes_longer(monkeypatch):
    monkeypatch.setattr(compiler, "EVERY", 0.01)
    seen: list[notices.Progress] = []
    progress = CompilerProgress("compiling a test", 100)
    with notices.watch(seen.append):
        progress.begin()
        wait_until(lambda: len(seen) > 3, "it has been reported again")
        progress.end()
    assert seen[-1].is_over
    assert seen[3].passed > seen[1].passed > 0.0


def test_many_robots_are_tried_out():
    try_out(Scenario(robot="tp100", course="flat", model="ideal"), many=True)
