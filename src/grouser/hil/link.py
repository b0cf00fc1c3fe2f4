"""A line to a board, whatever it is made of."""

from typing import Protocol


class Link(Protocol):
    """Bytes to and from a board, and the clock that they are timed by."""

    @property
    def name(self) -> str:
        """What it is, for messages and reports."""
        ...

    @property
    def boot_wait(self) -> float:
        """How long a board may take to start after the line was opened; 0 if it runs [s]."""
        ...

    def now(self) -> float:
        """Return the host's clock, as this link counts it [s]."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            LinkBroken: The board is gone.
        """
        ...

    def receive(self, patience: float) -> bytes:
        """Return all bytes that have come, waiting for some at most `patience` seconds.

        Raises:
            LinkBroken: The board is gone.
        """
        ...

    def fault(self, words: str) -> None:
        """Let something go wrong on a simulated board, or right again.

        Raises:
            GrouserError: The words mean nothing, or the board is not simulated.
        """
        ...

    def close(self) -> None:
        """Let go of the line. A second time does nothing."""
        ...
