"""Signals in work that must not be torn apart."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from grouser import interrupts
from grouser.log import read_log


@pytest.fixture(autouse=True)
def usual_handlers():
    """Give SIGINT its usual handler, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_outside_of_a_block_ctrl_c_interrupts_at_once():
    with pytest.raises(KeyboardInterrupt):
        press()


def test_a_block_is_done_before_it_is_interrupted():
    done = []

    def work() -> None:
        with interrupts.held():
            press()
            with interrupts.held():
                done.append(1)
            done.append(2)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1, 2]


def test_what_was_taken_does_not_come_again():
    with interrupts.held():
        assert not interrupts.take()
        press()
        assert interrupts.take()
        assert not interrupts.take()
    with interrupts.held():
        pass


def test_work_can_be_left_where_it_asks():
    with interrupts.held():
        interrupts.check()
        press()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()


def test_a_second_ctrl_c_ends_at_once_also_after_the_first_was_taken():
    with interrupts.held():
        press()
        assert interrupts.take()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_an_error_comes_before_an_interrupt():
    def fail() -> None:
        with interrupts.held():
            press()
            raise ValueError("mistake")

    with pytest.raises(ValueError, match="mistake"):
        fail()
    with interrupts.held():
        assert not interrupts.take()  # nor does it end the next work


def test_a_signal_may_call_something_instead_also_within_a_block():
    calls = []
    with interrupts.held(), interrupts.calling(lambda: calls.append(1)):
        press()
        press()
    assert calls == [1, 1]


def test_ignored_signals_stay_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.held(), interrupts.calling(lambda: pytest.fail("heard")):
            press()
            assert not interrupts.take()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_neither_hold_nor_take():
    seen = []

    def work() -> None:
        with interrupts.held():
            seen.append(interrupts.take())

    with interrupts.held():
        press()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert seen == [False]
        assert interrupts.take()


RUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
for name in {ignored!r}:
    signal.signal(getattr(signal, name), signal.SIG_IGN)
from grouser.cli.main import main
sys.exit(main({words!r}))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs Unix")
@pytest.mark.parametrize("last", ["SIGTERM", "SIGINT"])
def test_a_run_without_a_terminal_hears_what_is_not_ignored(tmp_path, last):
    line = "run --course flat --drive constant --duration 600 --realtime --out a.csv"
    ignored = {"SIGTERM": ["SIGINT", "SIGHUP"], "SIGINT": ["SIGHUP"]}[last]
    program = RUN.format(ignored=ignored, words=line.split())
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            assert "real time" in process.stderr.readline()
            for name in ignored:
                process.send_signal(getattr(signal, name))
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(getattr(signal, last))
            said = process.communicate()[1]
        finally:
            process.kill()
    assert process.returncode == 128 + getattr(signal, last)
    assert "the log of what was done is in a.csv" in said
    assert read_log(tmp_path / "a.csv").provenance.status == "interrupted"
