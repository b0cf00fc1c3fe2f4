"""What carries lines of text between two programs."""

from typing import Protocol


class Channel(Protocol):
    """One way out and one way in. Only the newest line counts; nothing waits, nothing is resent."""

    @property
    def rejected(self) -> int:
        """How much came that was not looked at: from strangers, or too long."""
        ...

    def send(self, line: str) -> None:
        """Make `line` the newest one of our side."""
        ...

    def receive(self) -> str | None:
        """Return the newest line of the other side; None if none came since the last call."""
        ...

    def close(self) -> None:
        """Give back what the channel holds."""
        ...
