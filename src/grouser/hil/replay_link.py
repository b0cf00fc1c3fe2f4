"""A line to a board of the past: a raw log, played back to the host."""

from collections.abc import Iterable

from grouser.errors import LinkBroken
from grouser.hil.raw_log import RawEntry


class ReplayLink:
    """Gives the host what it heard then, at the times it heard it; compares what it says now."""

    name = "raw log"

    def __init__(self, entries: Iterable[RawEntry], *, boot_wait: float = 0.0) -> None:
        """Prepare a replay.

        Args:
            entries: What happened.
            boot_wait: What the link of the run waited for its board [s].
        """
        self.boot_wait = boot_wait
        entries = list(entries)
        self._heard = [entry for entry in entries if entry.kind != ">"]
        self._said = b"".join(entry.data for entry in entries if entry.kind == ">")
        self._place = self._position = 0
        self._now = entries[0].time if entries else 0.0
        self.differs = False
        """Whether the host has said something else than then."""

    @property
    def is_stopped(self) -> bool:
        """Whether the run was told to stop here, or nothing more was heard."""
        return self._place >= len(self._heard) or self._heard[self._place].kind == "stop"

    def now(self) -> float:
        """Return the host's clock of then [s]."""
        return self._now

    def send(self, data: bytes) -> None:
        """Compare bytes with those of then."""
        then = self._said[self._position : self._position + len(data)]
        self._position += len(data)
        # The record may end before its last words were sent.
        self.differs = self.differs or not data.startswith(then)

    def receive(self, patience: float) -> bytes:
        """Return what came next.

        Raises:
            LinkBroken: Nothing more did.
        """
        while self._place < len(self._heard) and self._heard[self._place].kind == "stop":
            self._place += 1
        if self._place >= len(self._heard):
            raise LinkBroken(self.name, "ends here")
        entry = self._heard[self._place]
        self._place += 1
        self._now = entry.time
        return entry.data

    def fault(self, words: str) -> None:
        """Refuse: what went wrong, went wrong then."""
        raise LinkBroken(self.name, f"a fault cannot be added to the past: {words!r}")

    def close(self) -> None:
        """Nothing is open."""
