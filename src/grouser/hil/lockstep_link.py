"""A line to a simulated board on which time passes only while the host waits."""

from collections.abc import Callable

from grouser.hil.board import Board, BoardStep

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
