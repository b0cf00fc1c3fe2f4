"""What is counted on a line: its events, and numbers that wrap on the wire but not here."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """What happened on the link so far."""

    states: int = 0
    """States that came."""
    missing: int = 0
    """States that never came, by their numbers."""
    skipped: int = 0
    """States that came while an older one was still to be looked at, and were passed over."""
    commands: int = 0
    """Commands that were sent."""
    late: int = 0
    """Periods of an armed board in which no new command came in time."""
    naks: int = 0
    """Messages that the board refused."""
    losses: int = 0
    """Times that the board fell silent."""
    boots: int = 0
    """Times that the board started."""
    reboots: int = 0
    """Times that the board started while it was connected."""
    old: int = 0
    """States that were not newer than one that had come."""
    implausible: int = 0
    """Messages of the board that cannot be true."""


class Unwrapped:
    """A counter of so many bits, carried on beyond its wrap.

    A value is taken to be the one nearest to the last, so it may also step back a little.
    """

    def __init__(self, bits: int) -> None:
        self._size = 1 << bits
        self.value: int | None = None
        """The last value; None before the first."""

    def near(self, wrapped: int) -> int:
        """Return the counter for what the wire said, without remembering it."""
        if self.value is None:
            return wrapped
        half = self._size // 2
        return self.value + (wrapped - self.value + half) % self._size - half

    def update(self, wrapped: int) -> int:
        """Return the counter for what the wire said, and remember it."""
        self.value = self.near(wrapped)
        return self.value


def wire_time(seconds: float) -> int:
    """Return a time as the wire has it: 32 bits of microseconds, which wrap."""
    return round(seconds * 1e6) % 0x1_0000_0000
