"""The real command line against hostile boards on a real pseudo-terminal."""

import os
import pty
import select
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.messages import Arm, Cmd, Estop, HelloAck, Message
from grouser.hil.python_board import PythonBoard
from grouser.hil.raw_log import read_raw_log
from grouser.log import read_log


class PtyBoard(threading.Thread):
    """A board in Python at a pseudo-terminal, in real time, whose words somebody changes."""

    def __init__(self, change: Callable[[Message], Message], *, pulled_after: float = 1e9) -> None:
        super().__init__(daemon=True)
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self._change, self._pulled_after = change, pulled_after
        self._ended = threading.Event()
        self.heard: list[Message] = []

    def run(self) -> None:
        """Let the board's time pass with the clock's, until it is told to end."""
        board, words, theirs = PythonBoard(seed=1), FrameDecoder(), FrameDecoder()
        began, passed_ms, moving_since = time.monotonic(), 0, None
        while not self._ended.is_set():
            time.sleep(0.002)
            got = os.read(self._master, 4096) if _readable(self._master) else b""
            self.heard += theirs.feed(got)
            if moving_since is None and any(map(_moves, self.heard)):
                moving_since = time.monotonic()
            if moving_since is not None and time.monotonic() - moving_since > self._pulled_after:
                break
            due = round((time.monotonic() - began) * 1e3)
            sent = board.step((due - passed_ms) * 1000, got).sent
            passed_ms = due
            for message in words.feed(sent):
                with suppress(BlockingIOError):  # nobody reads any more, and the line is full
                    os.write(self._master, encode_message(self._change(message)))
        os.close(self._slave)
        os.close(self._master)

    def end(self) -> None:
        """Stop the board."""
        self._ended.set()
        self.join()


def _readable(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0.0)[0])


def _moves(message: Message) -> bool:
    return isinstance(message, Cmd) and bool(message.left or message.right)


def drive(board: PtyBoard, folder: Path, *more: str) -> subprocess.CompletedProcess:
    board.start()
    line = f"hil --port {board.path} --arm --course flat --drive constant:speed=0.1 --duration 1.5"
    try:
        return subprocess.run(
            [sys.executable, "-m", "grouser", *line.split(), "--command-timeout", "0.5", *more],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        board.end()


def lying(**numbers: int) -> Callable[[Message], Message]:
    return lambda m: replace(m, **numbers) if isinstance(m, HelloAck) else m


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"protocol": 99}, "has protocol 99, this grouser has protocol 1"),
        ({"period_us": 1}, "period_us 1, which must be from 5000 to 100000"),
        ({"counts_per_revolution": 0}, "counts_per_revolution 0, which must be from 4"),
    ],
)
def test_a_board_that_lies_at_the_handshake_is_rejected_and_old_files_stay(
    tmp_path, numbers, words
):
    for name in ("a.csv", "a.raw"):
        (tmp_path / name).write_text("old")
    board = PtyBoard(lying(**numbers))
    answer = drive(board, tmp_path, "--out", "a.csv", "--overwrite")
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 2
    assert not any(isinstance(message, Arm | Cmd) for message in board.heard)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "a.csv": "old",
        "a.raw": "old",
    }


def test_a_pulled_cable_ends_in_one_sentence_with_everything_kept(tmp_path):
    board = PtyBoard(lambda message: message, pulled_after=0.7)
    answer = drive(board, tmp_path, "--out", "a.csv")
    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr
    assert f"not valid: {board.path}: the board is disconnected" in answer.stderr
    log = read_log(tmp_path / "a.csv")
    assert log.provenance.status == "interrupted"
    assert log["x"][-1] > 0.01
    assert log.duration > 0.4
    assert len(read_raw_log(tmp_path / "a.raw")[1]) > 50


def test_a_board_that_vanishes_while_it_is_asked_is_one_sentence(tmp_path):
    board = PtyBoard(lambda message: message)
    board.end = board.join  # type: ignore[method-assign]
    board._ended.set()  # it is gone as soon as it starts
    answer = drive(board, tmp_path, "--out", "a.csv")
    assert answer.returncode == 2
    assert "Traceback" not in answer.stderr
    assert not (tmp_path / "a.raw").exists()


def test_an_honest_board_at_a_terminal_drives_and_is_stopped_in_the_end(tmp_path):
    board = PtyBoard(lambda message: message)
    answer = drive(board, tmp_path)
    assert "Traceback" not in answer.stderr
    assert any(map(_moves, board.heard))
    assert isinstance(board.heard[-1], Estop)
    assert (tmp_path / "out" / "hil-tp100-flat-slip.raw").is_file()
