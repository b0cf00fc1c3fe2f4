"""Links to simulated boards: lockstep, paced, pseudo-terminal."""

import time
from collections.abc import Callable
from pathlib import Path

from grouser.errors import LinkBroken
from grouser.hil.board import Board, BoardStep
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import RunnerProcess, find_runner

SLICE_US = 1000
"""Time that passes between two looks at the line [us]."""


class LockstepLink:
    """Deterministic, as fast as the machine is: the host's thoughts take no time at all."""

    boot_wait = 0.0

    def __init__(self, board: Board, observe: Callable[[BoardStep], None] | None = None) -> None:
        """Connect to a board.

        Args:
            board: What to step.
            observe: Called with each step: for those who may see what is true.
        """
        self.board = board
        self.last: BoardStep | None = None
        """The last step."""
        self._observe = observe
        self._outbox = bytearray()
        self._time_us = 0

    @property
    def name(self) -> str:
        """What it is."""
        return f"{self.board.name}, in lockstep"

    def now(self) -> float:
        """Return the board's true time since its start [s]."""
        return self._time_us * 1e-6

    def send(self, data: bytes) -> None:
        """Send bytes at the beginning of the next step."""
        self._outbox += data

    def receive(self, patience: float) -> bytes:
        """Let time pass until something comes, at most `patience` seconds."""
        left_us = max(round(patience * 1e6), 1)
        while left_us > 0:
            duration = min(SLICE_US, left_us)
            step = self.step(duration)
            left_us -= duration
            if step.sent:
                return step.sent
        return b""

    def step(self, duration_us: int) -> BoardStep:
        """Let time pass, whatever comes."""
        received = bytes(self._outbox)
        self._outbox.clear()
        step = self.board.step(duration_us, received)
        self.last, self._time_us = step, step.time_us
        if self._observe is not None:
            self._observe(step)
        return step

    def fault(self, words: str) -> None:
        """Let something go wrong, or right again."""
        self.board.fault(words)

    def close(self) -> None:
        """End the board."""
        self.board.close()


TICK_US = 1000
"""Time that passes on the board between two looks at the clock [us]."""


class PacedLink:
    """Lets the board's time pass while the host waits, by an absolute schedule.

    While the host thinks, the board stands; it then catches up, as if its bytes had been on the
    way. No thread is needed.
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
        """What it is."""
        return f"{self.board.name}, in real time"

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return self._clock()

    def send(self, data: bytes) -> None:
        """Send bytes at the beginning of the next step."""
        self._outbox += data

    def receive(self, patience: float) -> bytes:
        """Return what has come by now, waiting at most `patience` seconds."""
        deadline = self._clock() + patience
        while True:
            came = self._catch_up()
            now = self._clock()
            if came or now >= deadline:
                return came
            due = self._began + (self._passed_us + TICK_US) * 1e-6
            self._sleep(max(min(due, deadline) - now, 0.0))

    def fault(self, words: str) -> None:
        """Let something go wrong, or right again."""
        self.board.fault(words)

    def close(self) -> None:
        """End the board."""
        self.board.close()

    def _catch_up(self) -> bytes:
        came = bytearray()
        behind_us = round((self._clock() - self._began) * 1e6) - self._passed_us
        for _ in range(behind_us // TICK_US):
            received = bytes(self._outbox)
            self._outbox.clear()
            came += self.board.step(TICK_US, received).sent
            self._passed_us += TICK_US
        return bytes(came)


class PtyLink:
    """The real firmware on a simulated chip that keeps step with the wall clock."""

    boot_wait = 0.0

    def __init__(self, elf: Path | None = None, *, seed: int = 0) -> None:
        """Start the board and open its terminal.

        Args:
            elf: Another firmware than the one that was built here.
            seed: Seed of the noise of sensors and link.
        """
        runner, image = find_runner(elf)
        self._process = RunnerProcess(str(runner), "--pty", "--seed", str(seed), str(image))
        self._process.raise_priority()
        words = self._process.greeting.split()
        if words[:2] != ["ready", "pty"] or len(words) != 3:
            self._process.close()
            raise LinkBroken("simulated board", f"said {self._process.greeting!r} at its start")
        self.name = f"simulated board with {image.name} at {words[2]}"
        try:
            self._port = SerialPort(words[2], boot_wait=0.0)
        except LinkBroken:
            self._process.close()
            raise

    @property
    def path(self) -> str:
        """Name of the terminal."""
        return self._port.name

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return self._port.now()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self._port.send(data)

    def receive(self, patience: float) -> bytes:
        """Return all bytes that have come, waiting for some at most `patience` seconds."""
        return self._port.receive(patience)

    def fault(self, words: str) -> None:
        """Let something go wrong, or right again."""
        self._process.ask(f"fault {words}")

    def close(self) -> None:
        """Close the terminal and end the board."""
        self._port.close()
        self._process.close()
