"""A line to a board in lockstep that is made to keep step with the wall clock."""

import time
from collections.abc import Callable

from grouser.hil.board import Board

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
