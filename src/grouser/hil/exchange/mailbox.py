"""The newest line of the other side, and whether it can still be believed."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Generic, Protocol, TypeVar

from grouser.hil.exchange.channel import Channel

STALE_AFTER = 0.25
"""Age beyond which a line is not acted upon [s]."""
NEW_WRITER_AFTER, BEGINNING = 1.0, 1000
"""A writer that starts anew is believed after so much silence, from a number up to this on: what is
still on the way from before comes sooner, or has a higher number [s, 1]."""
LARGEST_LEAP = 100_000
"""Numbers that a line may be ahead of the one before [1]."""


class Line(Protocol):
    """A line that may have a number."""

    @property
    def seq(self) -> int | None:
        """Number of the line; None where the writer gives none."""
        ...


LineT = TypeVar("LineT", bound=Line)
SeenT = TypeVar("SeenT", bound=Line, covariant=True)


@dataclass(frozen=True, slots=True)
class Sight(Generic[SeenT]):
    """What a look into the mailbox showed."""

    line: SeenT | None
    """The last good line; None if there was none so far."""
    age: float
    """How long ago it came, by our own clock; infinite if none came [s]."""

    @property
    def is_stale(self) -> bool:
        """Whether it is too old to act upon."""
        return self.age > STALE_AFTER


@dataclass(slots=True)
class Counts:
    """What came in, for the report of a run."""

    good: int = 0
    """Lines with new data."""
    repeated: int = 0
    """Lines whose number was that of the line before: no new data."""
    skipped: int = 0
    """Numbers that were never seen, because a newer line took their place."""
    old: int = 0
    """Lines whose number was lower than one that had come, or far beyond it."""
    malformed: int = 0
    """Texts that were no such line."""


class Mailbox(Generic[LineT]):
    """Keeps the last good line of a channel."""

    def __init__(
        self,
        channel: Channel,
        parse: Callable[[str], LineT | None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._channel, self._parse, self._now = channel, parse, now
        self._line: LineT | None = None
        self._came = float("-inf")
        self.counts = Counts()
        """What came in so far."""

    def look(self) -> Sight[LineT]:
        """Take what has come, and return the last good line with its age."""
        text = self._channel.receive()
        if text is not None:
            self._take(self._parse(text))
        return Sight(self._line, self._now() - self._came)

    def _take(self, line: LineT | None) -> None:
        if line is None:
            self.counts.malformed += 1
            return
        last, now = None if self._line is None else self._line.seq, self._now()
        if line.seq is not None and last is not None:
            if line.seq == last:
                self.counts.repeated += 1
                return
            begins_anew = now - self._came > NEW_WRITER_AFTER and line.seq <= BEGINNING
            if not begins_anew and not last < line.seq <= last + LARGEST_LEAP:
                self.counts.old += 1
                return
            self.counts.skipped += max(0, line.seq - last - 1)
        self.counts.good += 1
        self._line, self._came = line, now

    def summary(self) -> dict[str, int]:
        """Return the counts by name, with what the channel did not let through."""
        return {**asdict(self.counts), "rejected": self._channel.rejected}
