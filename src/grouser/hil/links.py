"""Links to boards by name; of simulated ones in lockstep and in real time."""

import select
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Literal, get_args

from grouser.errors import InvalidValue, LinkBroken, UnknownName
from grouser.hil.board import Board, BoardStep
from grouser.hil.connection import Link
from grouser.hil.python_board import PythonBoard
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import RunnerProcess, SimulatedBoard, find_runner

STEP_US = 1000
"""Duration of one step of the board [us]."""
LARGEST_READ = 65536
"""Most bytes of one read [1]."""


class _SteppedLink:
    """A board that is advanced by this process, with the bytes that it is to receive."""

    boot_wait = 0.0
    _pace: ClassVar[str]

    def __init__(self, board: Board) -> None:
        self.board = board
        self._outbox = bytearray()
        self._time_us = 0

    @property
    def name(self) -> str:
        """Name for messages and reports."""
        return f"{self.board.name}, {self._pace}"

    def send(self, data: bytes) -> None:
        """Send bytes with the next step."""
        self._outbox += data

    def step(self, duration_us: int) -> BoardStep:
        """Advance the board by this time."""
        sent = bytes(self._outbox)
        self._outbox.clear()
        step = self.board.step(duration_us, sent)
        self._time_us = step.time_us
        return step

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self.board.fault(words)

    def close(self) -> None:
        """Close the board."""
        self.board.close()


class LockstepLink(_SteppedLink):
    """Deterministic and as fast as possible: the board runs only while the host waits."""

    _pace = "in lockstep"

    def __init__(self, board: Board, observe: Callable[[BoardStep], None] | None = None) -> None:
        """Connect to a board; `observe` is called with each step, with its true belt speeds."""
        super().__init__(board)
        self.last: BoardStep | None = None
        """The last step."""
        self._observe = observe

    def now(self) -> float:
        """Return the simulated time since the board was switched on [s]."""
        return self._time_us * 1e-6

    def receive(self, timeout: float) -> bytes:
        """Advance the board until it sends bytes, at most by `timeout` [s]."""
        left_us = max(round(timeout * 1e6), 1)
        while left_us > 0:
            duration = min(STEP_US, left_us)
            left_us -= duration
            if sent := self.step(duration).sent:
                return sent
        return b""

    def step(self, duration_us: int) -> BoardStep:
        """Advance the board by this time."""
        step = self.last = super().step(duration_us)
        if self._observe is not None:
            self._observe(step)
        return step


class PacedLink(_SteppedLink):
    """Advances the board to the wall clock whenever the host waits for bytes, without a thread.

    While the host computes, the board stands still; it then catches up.
    """

    _pace = "in real time"

    def __init__(
        self,
        board: Board,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(board)
        self.now, self._sleep = now, sleep
        self._began, self._passed_us = now(), 0

    def receive(self, timeout: float) -> bytes:
        """Return the bytes that the board has sent; wait for some at most `timeout` [s]."""
        deadline = self.now() + timeout
        while True:
            received = self._catch_up()
            now = self.now()
            if received or now >= deadline:
                return received
            due = self._began + (self._passed_us + STEP_US) * 1e-6
            self._sleep(max(min(due, deadline) - now, 0.0))

    def _catch_up(self) -> bytes:
        steps = (round((self.now() - self._began) * 1e6) - self._passed_us) // STEP_US
        self._passed_us += max(steps, 0) * STEP_US
        return b"".join(self.step(STEP_US).sent for _ in range(steps))


class PtyLink(SerialPort):
    """The real firmware on a simulated chip in real time, connected by a pseudo-terminal.

    Linux moves the bytes of a terminal by a kernel thread of normal priority. Where other programs
    keep all processors busy it waits for tens of milliseconds, and whoever reads waits for it, at
    any priority.
    """

    def __init__(self, elf: Path | None = None, *, seed: int = 0) -> None:
        """Start the board with `elf`, or with the firmware built here, and open its terminal."""
        runner, image = find_runner(elf)
        self._process = RunnerProcess(str(runner), "--pty", "--seed", str(seed), str(image))
        self._process.raise_priority()
        self.path = _check_greeting(self._process, "pty", "PATH")
        """Path of the terminal."""
        try:
            super().__init__(self.path, boot_wait=0.0)
        except LinkBroken:
            self._process.close()
            raise
        self.name = f"simulated board with {image.name} at {self.path}"

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self._process.ask(f"fault {words}")

    def close(self) -> None:
        """Close the terminal and the board."""
        super().close()
        self._process.close()


def _check_greeting(process: RunnerProcess, *expected: str) -> str:
    """Return the last word of the first line of a board; end a board that has another line."""
    words = process.greeting.split()
    if words[:2] == ["ready", expected[0]] and len(words) == 1 + len(expected):
        return words[-1]
    process.close()
    required = " ".join(("ready", *expected))
    problem = f"started with {process.greeting!r}, not with {required!r}; run `make firmware`"
    raise LinkBroken("simulated board", problem)


class SocketLink:
    """The real firmware on a simulated chip in real time, connected by a socket.

    Its bytes need no thread of the kernel (see `PtyLink`): a busy machine does not delay them.
    """

    boot_wait = 0.0

    def __init__(self, elf: Path | None = None, *, seed: int = 0) -> None:
        """Start the board with `elf`, or with the firmware built here."""
        runner, image = find_runner(elf)
        self._socket, theirs = socket.socketpair()
        words = ("--socket", str(theirs.fileno()), "--seed", str(seed), str(image))
        try:
            self._process = RunnerProcess(str(runner), *words, line=theirs.fileno())
            _check_greeting(self._process, "socket")
        except LinkBroken:
            self._socket.close()
            raise
        finally:
            theirs.close()
        self._process.raise_priority()
        self._socket.settimeout(0.2)
        self.name = f"simulated board with {image.name}, in real time"

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return time.monotonic()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise LinkBroken(self.name, f"the board is disconnected ({error})") from error

    def receive(self, timeout: float) -> bytes:
        """Return all received bytes; wait for the first of them at most `timeout` [s]."""
        try:
            if not select.select((self._socket,), (), (), timeout)[0]:
                return b""
            data = self._socket.recv(LARGEST_READ)
        except (OSError, ValueError) as error:
            raise LinkBroken(self.name, f"the board is disconnected ({error})") from error
        if not data:
            raise LinkBroken(self.name, "the board is disconnected (its process has ended)")
        return data

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self._process.ask(f"fault {words}")

    def close(self) -> None:
        """Close the socket and the board."""
        self._socket.close()
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


PTY = "pty"
"""Name of the board `sim` at a pseudo-terminal, as a program sees a serial port."""


def check_real_time(name: str) -> str:
    """Return the name of a simulated board that runs in real time."""
    if name not in (*get_args(BoardKind), PTY):
        raise UnknownName("board", name, (*get_args(BoardKind), PTY))
    return name


def open_link(port: str | None, board: str, *, lockstep: bool, seed: int) -> Link:
    """Return an open link to a serial port, or if None to a simulated board."""
    if port is not None:
        if lockstep:
            required = "be for a simulated board: a real one keeps time"
            raise InvalidValue("--lockstep", port, required)
        return SerialPort(port)
    if lockstep:
        return LockstepLink(make_board(check_board(board), seed))
    match check_real_time(board):
        case "python":
            return PacedLink(make_board("python", seed))
        case "pty":
            return PtyLink(seed=seed)
        case _:
            return SocketLink(seed=seed)
