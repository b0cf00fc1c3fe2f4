"""Links to boards by name; of simulated ones in lockstep, in real time, and by a terminal."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from grouser.errors import InvalidValue, LinkBroken, UnknownName
from grouser.hil.board import Board, BoardStep
from grouser.hil.connection import Link
from grouser.hil.python_board import PythonBoard
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import RunnerProcess, SimulatedBoard, find_runner

STEP_US = 1000
"""Duration of one step of the board [us]."""


class LockstepLink:
    """Deterministic and as fast as possible: the board runs only while the host waits."""

    boot_wait = 0.0

    def __init__(self, board: Board, observe: Callable[[BoardStep], None] | None = None) -> None:
        """Connect to a board; `observe` is called with each step, with its true belt speeds."""
        self.board = board
        self.last: BoardStep | None = None
        """The last step."""
        self._observe = observe
        self._outbox = bytearray()
        self._time_us = 0

    @property
    def name(self) -> str:
        """Name for messages and reports."""
        return f"{self.board.name}, in lockstep"

    def now(self) -> float:
        """Return the simulated time since the board was switched on [s]."""
        return self._time_us * 1e-6

    def send(self, data: bytes) -> None:
        """Send bytes with the next step."""
        self._outbox += data

    def receive(self, timeout: float) -> bytes:
        """Advance the board until it sends bytes, at most by `timeout` [s]."""
        left_us = max(round(timeout * 1e6), 1)
        while left_us > 0:
            duration = min(STEP_US, left_us)
            step = self.step(duration)
            left_us -= duration
            if step.sent:
                return step.sent
        return b""

    def step(self, duration_us: int) -> BoardStep:
        """Advance the board by this time."""
        sent = bytes(self._outbox)
        self._outbox.clear()
        step = self.board.step(duration_us, sent)
        self.last, self._time_us = step, step.time_us
        if self._observe is not None:
            self._observe(step)
        return step

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self.board.fault(words)

    def close(self) -> None:
        """Close the board."""
        self.board.close()


class PacedLink:
    """Advances the board to the wall clock whenever the host waits for bytes, without a thread.

    While the host computes, the board stands still; it then catches up.
    """

    boot_wait = 0.0

    def __init__(
        self,
        board: Board,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.board = board
        self._clock, self._sleep = now, sleep
        self._began = now()
        self._passed_us = 0
        self._outbox = bytearray()

    @property
    def name(self) -> str:
        """Name for messages and reports."""
        return f"{self.board.name}, in real time"

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return self._clock()

    def send(self, data: bytes) -> None:
        """Send bytes with the next step."""
        self._outbox += data

    def receive(self, timeout: float) -> bytes:
        """Return the bytes that the board has sent; wait for some at most `timeout` [s]."""
        deadline = self._clock() + timeout
        while True:
            received = self._catch_up()
            now = self._clock()
            if received or now >= deadline:
                return received
            due = self._began + (self._passed_us + STEP_US) * 1e-6
            self._sleep(max(min(due, deadline) - now, 0.0))

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self.board.fault(words)

    def close(self) -> None:
        """Close the board."""
        self.board.close()

    def _catch_up(self) -> bytes:
        received = bytearray()
        behind_us = round((self._clock() - self._began) * 1e6) - self._passed_us
        for _ in range(behind_us // STEP_US):
            sent = bytes(self._outbox)
            self._outbox.clear()
            received += self.board.step(STEP_US, sent).sent
            self._passed_us += STEP_US
        return bytes(received)


class PtyLink:
    """The real firmware on a simulated chip in real time, connected by a pseudo-terminal."""

    boot_wait = 0.0

    def __init__(self, elf: Path | None = None, *, seed: int = 0) -> None:
        """Start the board with `elf`, or with the firmware built here, and open its terminal."""
        runner, image = find_runner(elf)
        self._process = RunnerProcess(str(runner), "--pty", "--seed", str(seed), str(image))
        self._process.raise_priority()
        words = self._process.greeting.split()
        if words[:2] != ["ready", "pty"] or len(words) != 3:
            self._process.close()
            raise LinkBroken(
                "simulated board",
                f"started with {self._process.greeting!r}, not with 'ready pty PATH'",
            )
        self.name = f"simulated board with {image.name} at {words[2]}"
        try:
            self._port = SerialPort(words[2], boot_wait=0.0)
        except LinkBroken:
            self._process.close()
            raise

    @property
    def path(self) -> str:
        """Path of the terminal."""
        return self._port.name

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return self._port.now()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self._port.send(data)

    def receive(self, timeout: float) -> bytes:
        """Return all received bytes; wait for the first of them at most `timeout` [s]."""
        return self._port.receive(timeout)

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self._process.ask(f"fault {words}")

    def close(self) -> None:
        """Close the terminal and the board."""
        self._port.close()
        self._process.close()


BoardKind = Literal["sim", "python"]
"""The real firmware on a simulated chip, or its control law and protocol in Python."""


def check_board(name: str) -> BoardKind:
    """Return the kind of a simulated board."""
    if name not in get_args(BoardKind):
        raise UnknownName("board", name, get_args(BoardKind))
    return name  # pyright: ignore[reportReturnType]


def make_board(kind: BoardKind, seed: int) -> Board:
    """Return a new board in lockstep."""
    return PythonBoard(seed=seed) if kind == "python" else SimulatedBoard(seed=seed)


def open_link(port: str | None, board: str, *, lockstep: bool, seed: int) -> Link:
    """Return an open link to a serial port, or if None to a simulated board."""
    if port is not None:
        if lockstep:
            required = "be for a simulated board: a real one keeps time"
            raise InvalidValue("--lockstep", port, required)
        return SerialPort(port)
    kind = check_board(board)
    if lockstep:
        return LockstepLink(make_board(kind, seed))
    if kind == "python":
        return PacedLink(make_board("python", seed))
    return PtyLink(seed=seed)
