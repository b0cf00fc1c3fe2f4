"""Ctrl-C, SIGTERM and SIGHUP end every command in order, with everything kept."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest

from grouser import interrupts
from grouser.cli.exits import ending_in_order
from grouser.cli.main import main
from grouser.errors import GrouserError
from grouser.hil.frames import FrameDecoder
from grouser.hil.messages import Estop
from grouser.hil.raw_log import read_raw_log
from grouser.log import read_log

CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}


def start(line: str, folder: Path, **more) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "grouser", *line.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        **more,
    )


def wait_for_bytes(file: Path, word: bytes, process: subprocess.Popen) -> None:
    while not file.is_file() or word not in file.read_bytes():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


@pytest.mark.parametrize("number", CODES)
def test_a_run_with_a_board_stops_its_motors_and_keeps_everything(tmp_path, number):
    process = start(
        "hil --board python --course behaviour-3 --command-timeout 0.5 --out a.csv", tmp_path
    )
    wait_for_bytes(tmp_path / "a.raw", b"firmware", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    if (
        "the board stopped: command timeout" in err
    ):  # a machine that was busy elsewhere for half a second
        assert process.returncode == 1
    else:
        assert process.returncode == CODES[number]
        assert "the motors are off" in err
    assert "Traceback" not in err
    assert "log: a.csv" in out
    assert read_log(tmp_path / "a.csv").provenance.status == "interrupted"
    _, entries = read_raw_log(tmp_path / "a.raw")
    said = FrameDecoder().feed(b"".join(entry.data for entry in entries if entry.kind == ">"))
    assert Estop() in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "line",
    [
        "run --course behaviour-2 --realtime --out a.csv",
        "exchange simulate swap --course flat --out a.csv",
    ],
)
def test_a_run_keeps_its_log(tmp_path, line, number):
    process = start(line, tmp_path)
    assert process.stderr is not None
    process.stderr.readline()  # says that the run is under way
    time.sleep(0.5)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == CODES[number]
    assert "Traceback" not in err
    assert read_log(tmp_path / "a.csv").provenance.status == "interrupted"


def test_a_closed_window_ends_a_run_with_a_board_in_order(tmp_path):
    master, slave = pty.openpty()
    line = "hil --board python --course behaviour-3 --command-timeout 0.5 --out a.csv"
    process = subprocess.Popen(
        [sys.executable, "-m", "grouser", *line.split()],
        cwd=tmp_path,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    closing = threading.Event()
    window = threading.Thread(target=_show, args=(master, closing))
    window.start()
    wait_for_bytes(tmp_path / "a.raw", b"firmware", process)
    closing.set()
    window.join()
    assert process.wait(timeout=60) == 129
    assert read_log(tmp_path / "a.csv").provenance.status == "interrupted"


def _show(master: int, closing: threading.Event) -> None:
    """Take what a program writes to its terminal, until the window is closed."""
    while not closing.is_set():
        if select.select([master], [], [], 0.05)[0]:
            os.read(master, 4096)
    os.close(master)


def _send_myself(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(1.0)


def test_only_the_first_signal_interrupts_and_the_callers_handlers_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with ending_in_order() as signals:
        with pytest.raises(KeyboardInterrupt):
            _send_myself(signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(0.01)
        assert signals.exit_code(130) == 143
    assert signal.getsignal(signal.SIGTERM) is before


class Dropping:
    """What a finalizer raises is dropped by Python."""

    def __del__(self) -> None:
        _send_myself(signal.SIGTERM)


def test_an_interrupt_that_other_code_drops_comes_again():
    def drop() -> None:
        Dropping()  # ends at once
        time.sleep(30.0)

    with ending_in_order() as signals, pytest.raises(KeyboardInterrupt):
        drop()
    assert signals.exit_code(130) == 143


@pytest.mark.parametrize(
    ("kind", "said"), [(ValueError, "interrupted"), (GrouserError, "error calling a function")]
)
def test_an_interrupt_that_other_code_makes_another_error_of_is_one(
    kind, said, monkeypatch, capsys
):
    def wrap(tokens: list[str]) -> int:
        try:
            _send_myself(signal.SIGTERM)
        except KeyboardInterrupt as error:
            raise kind("error calling a function") from error
        return 0

    module = sys.modules["grouser.cli.main"]  # the package has a function of this name
    monkeypatch.setattr(module, "_dispatch", wrap)
    assert main([]) == 143
    assert capsys.readouterr().err == f"grouser: {said}\n"
    monkeypatch.setattr(module, "_dispatch", lambda tokens: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main([])


def test_a_signal_that_the_caller_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_in_order() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.01)
            assert signals.number is None
            assert signals.exit_code(130) == 130
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", CODES)
def test_what_must_come_to_its_end_is_not_interrupted(number):
    calls = []
    before = signal.getsignal(signal.SIGINT)
    with ending_in_order() as signals, interrupts.calling(lambda: calls.append(number)):
        for _ in range(3):
            os.kill(os.getpid(), number)
            time.sleep(0.01)
    assert calls == [number] * 3
    assert signals.exit_code(130) == CODES[number]
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_nothing_changes():
    seen = []

    def work() -> None:
        with ending_in_order():
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


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


def test_ctrl_c_while_the_first_is_being_told_is_no_traceback(monkeypatch):
    def press(*words) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return 0

    module = sys.modules[main.__module__]
    monkeypatch.setattr(module, "_dispatch", press)
    monkeypatch.setattr(module, "_fail", press)
    assert main(["run"]) == 130
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_after_the_end_of_a_command_is_no_traceback(tmp_path):
    program = "import os, signal; from grouser.cli import main; main(); "
    program += "os.kill(os.getpid(), signal.SIGINT)"
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGINT
    assert done.stderr == ""


def test_a_signal_that_comes_while_the_end_is_told_has_its_own_code(monkeypatch):
    def close(*words) -> int:
        os.kill(os.getpid(), signal.SIGHUP)
        return 0

    monkeypatch.setattr(sys.modules[main.__module__], "_run", close)
    assert main(["run"]) == 129
