"""A board that is simulated: time passes on it only as far as it is told."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class BoardStep:
    """What a board did in one step."""

    time_us: int
    """Time on the board since it was started, at the end of the step [us]."""
    sent: bytes
    """What it sent."""
    enabled: tuple[bool, bool]
    """Whether the driver of the left and of the right motor is on, at the end."""
    belt_speeds: tuple[float, float]
    """True belt speeds, left and right, at the end [m/s]."""
    resets: int
    """How often it started anew."""


class Board(Protocol):
    """A simulated board in lockstep."""

    @property
    def name(self) -> str:
        """What it is, for messages and reports."""
        ...

    def step(self, duration_us: int, received: bytes = b"") -> BoardStep:
        """Let time pass while these bytes come in at the speed of the line.

        Raises:
            LinkBroken: The program of the board has ended.
        """
        ...

    def fault(self, words: str) -> None:
        """Let something go wrong, or right again.

        Raises:
            InvalidValue: The words mean nothing.
        """
        ...

    def pins(self) -> tuple[int, int]:
        """Return when the driver of each motor was last switched, on the board's time [us]."""
        ...

    def close(self) -> None:
        """End it. A second time does nothing."""
        ...
