"""The simulated board: it keeps to its line interface, and runs in real time on a pty."""

import os
import select
import subprocess
import termios
import time
import tty
from pathlib import Path

import pytest

from .bench import HELLO, Bench, frame

PATIENCE = 30.0  # [s]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "a line begins with step, pins, turn, fault or quit"),
        ("walk", "a line begins with step, pins, turn, fault or quit"),
        ("turn fast", "turn takes a yaw rate up to 2000 deg/s, or - for that of the belts"),
        ("step", "step takes microseconds up to 60000000 and bytes in hex, or - for none"),
        ("step -5 -", "step takes microseconds"),
        ("step 5 abc", "step takes microseconds"),
        ("step 5 zz", "step takes microseconds"),
        ("step 5 00 00", "step takes microseconds"),
        ("step 99999999999 -", "step takes microseconds"),
        ("fault", "a fault begins with link, encoder, motor, track, imu, battery, reset, hang or"),
        ("fault motor left", "motor takes left or right, then swapped or ok"),
        ("fault encoder middle stuck", "encoder takes left or right, then stuck, swapped or ok"),
        ("fault track left free now", "there are words too many in this fault"),
        ("fault link lose 1.5", "link takes down, up, mute, clear, lose P or flip P with P from 0"),
        ("fault battery", "battery takes a voltage from 0 to 10"),
        ("fault battery nan", "battery takes a voltage from 0 to 10"),
        ("fault imu maybe", "imu takes on or off"),
        ("fault reset", "reset takes brownout, external or power"),
        ("fault hang", "hang takes loop or all"),
        ("fault clock fast", "clock takes parts per million from -100000 to 100000"),
    ],
)
def test_a_wrong_line_is_answered_with_what_would_work(bench: Bench, line: str, sentence: str):
    assert bench.ask(line).startswith(f"error {sentence}")
    bench.step(1000)


@pytest.mark.parametrize("options", [["--faster"], ["--seed", "x"], [], ["a.elf", "b.elf"]])
def test_a_wrong_command_line_shows_the_usage(build: Path, options: list[str]):
    done = subprocess.run(
        [build / "grouser-board", *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (
        "usage: grouser-board [--lockstep | --pty | --socket FD] [--seed N] [--mirror]"
        in done.stderr
    )


def test_a_firmware_that_is_not_there_is_an_error(build: Path, tmp_path: Path):
    (tmp_path / "text.elf").write_text("no firmware" * 10)
    board = build / "grouser-board"
    for elf in (tmp_path / "none.elf", tmp_path / "text.elf", tmp_path, board):
        done = subprocess.run([board, elf], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "`make firmware` builds one" in done.stderr


def test_bytes_take_their_time_on_the_line(bench: Bench):
    hello = frame(HELLO, b"\x01\x07\x00\x64\x00\x64\x00")
    bench.step(40 * len(hello) - 60, hello)
    bench.step(3000)
    [(_, _)] = bench.messages[1:]
    late = bench.time
    bench.step(0, hello * 10)
    answered = [len(bench.messages)]
    for _ in range(20):
        bench.step(500)
        answered.append(len(bench.messages))
    # Eleven bytes of 40 µs ask, twenty answer: no faster than one answer in 0.8 ms.
    assert max(b - a for a, b in zip(answered, answered[1:], strict=False)) <= 1
    assert bench.time == late + 10_000


def test_mute_loses_only_what_the_device_says(bench: Bench):
    bench.connect()
    bench.drive(0.2, 1000, 1000)
    heard = len(bench.states)
    bench.fault("link mute")
    bench.drive(0.5, 1000, 1000)
    assert len(bench.states) == heard
    assert bench.enabled == (True, True)
    bench.fault("link up")
    bench.drive(0.1, 1000, 1000)
    assert len(bench.states) >= heard + 9


def read_until(port: int, wanted: bytes) -> bytes:
    """Return what came until something wanted was in it."""
    received, end = b"", time.monotonic() + PATIENCE
    while wanted not in received:
        assert time.monotonic() < end, received
        if select.select([port], [], [], 0.1)[0]:
            received += os.read(port, 4096)
    return received


def test_in_real_time_the_board_is_a_serial_port(build: Path):
    board = subprocess.Popen(
        [build / "grouser-board", "--pty", build / "grouser.elf"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert board.stdin is not None
    assert board.stdout is not None
    ready, kind, path = board.stdout.readline().split()
    assert (ready, kind) == ("ready", "pty")
    port = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        assert not termios.tcgetattr(port)[tty.LFLAG] & termios.ECHO
        read_until(port, b"\x80")
        os.write(port, b"\0" + frame(HELLO, b"\x01\x07\x00\x64\x00\x64\x00"))
        assert b"\x81" in read_until(port, b"\x83")
        board.stdin.write("fault battery 6\nstep 1 -\n")
        board.stdin.flush()
        assert board.stdout.readline() == "ok\n"
        assert board.stdout.readline() == "error in real time a line begins with fault or quit\n"
    finally:
        os.close(port)
    board.communicate(timeout=PATIENCE)
    assert board.returncode == 0
