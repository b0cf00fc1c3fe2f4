"""Both sides of an exchange: the newest received line, its age, and lines to send."""

import math
import time
from array import array
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from grouser.geometry import Pose, wrap_angle
from grouser.hil.exchange.channels import BackgroundChannel, Channel, Side, open_channel
from grouser.hil.exchange.lines import EncoderLine, OrientationLine
from grouser.log import Column, Log

STALE_AFTER = 0.25
"""Age beyond which a line is not used [s]."""
RESTART_AFTER, LARGEST_FIRST = 1.0, 1000
"""Sequence numbers may restart after this silence with a number up to this one: delayed lines of
the earlier writer come sooner, or have a higher number [s, 1]."""
LARGEST_JUMP = 100_000
"""Largest increase of the sequence number between two lines [1]."""


class Line(Protocol):
    """A line that may have a sequence number."""

    @property
    def seq(self) -> int | None:
        """Sequence number; None if the line has none."""
        ...


LineT = TypeVar("LineT", bound=Line)
SeenT = TypeVar("SeenT", bound=Line, covariant=True)


@dataclass(frozen=True, slots=True)
class LatestLine(Generic[SeenT]):
    """The newest valid line of the other side, and its age."""

    line: SeenT | None
    """The line; None if there was none so far."""
    came: float = -math.inf
    """When it was received, by the clock of the receiver [s]."""
    now: float = 0.0
    """The time by that clock [s]."""

    @property
    def age(self) -> float:
        """Time since it was received; infinite if there was none [s]."""
        return self.now - self.came

    @property
    def is_stale(self) -> bool:
        """Whether it is too old to be used."""
        return self.age > STALE_AFTER


@dataclass(slots=True)
class Counts:
    """Counts of received lines."""

    good: int = 0
    """Valid new lines."""
    repeated: int = 0
    """Lines with the sequence number of the line before."""
    skipped: int = 0
    """Sequence numbers that were not received."""
    old: int = 0
    """Lines whose sequence number was lower than the one before, or far above it."""
    malformed: int = 0
    """Texts that could not be parsed."""


class Mailbox(Generic[LineT]):
    """Keeps the newest valid line of a channel."""

    def __init__(
        self,
        channel: Channel,
        parse: Callable[[str], LineT | None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._channel, self._parse, self._now = channel, parse, now
        self._line: LineT | None = None
        self._came = -math.inf
        self.counts = Counts()
        """Counts of received lines."""

    def latest(self) -> LatestLine[LineT]:
        """Receive, and return the newest valid line with its age."""
        text = self._channel.receive()
        if text is not None:
            self._take(self._parse(text))
        return LatestLine(self._line, self._came, self._now())

    def _take(self, line: LineT | None) -> None:
        if line is None:
            self.counts.malformed += 1
            return
        last, now = None if self._line is None else self._line.seq, self._now()
        if line.seq is not None and last is not None:
            if line.seq == last:
                self.counts.repeated += 1
                return
            is_restart = now - self._came > RESTART_AFTER and line.seq <= LARGEST_FIRST
            if not is_restart and not last < line.seq <= last + LARGEST_JUMP:
                self.counts.old += 1
                return
            self.counts.skipped += max(0, line.seq - last - 1)
        self.counts.good += 1
        self._line, self._came = line, now

    def summary(self) -> dict[str, int]:
        """Return the counts by name, with those that the channel ignored."""
        return {**asdict(self.counts), "rejected": self._channel.rejected}


class LineHistory:
    """Collects a row of the log for each tick."""

    def __init__(self) -> None:
        self._rows = array("d")

    def add(self, latest: LatestLine[Line]) -> None:
        """Add the line that was used in a tick."""
        seq = math.nan if latest.line is None or latest.line.seq is None else latest.line.seq
        age = latest.age if math.isfinite(latest.age) else math.nan
        self._rows.extend((seq, age, latest.is_stale))

    @property
    def stale_ticks(self) -> int:
        """Number of ticks whose line was too old."""
        return int(sum(self._rows[2::3]))

    def annotate(self, log: Log, counts: Mapping[str, int]) -> Log:
        """Return a log with sequence number and age of each line, and the counts in its notes."""
        seen = {**counts, "stale_ticks": self.stale_ticks}
        notes = {**log.provenance.notes, "exchange": seen}
        log = replace(log, provenance=replace(log.provenance, notes=notes))
        seqs, ages, stale = np.array(self._rows[:]).reshape(-1, 3).T
        return log.with_columns(
            {
                "exchange_seq": Column(seqs, "1"),
                "exchange_age": Column(ages, "s"),
                "exchange_stale": Column(stale, "1"),
            }
        )


class _Side(Generic[LineT]):
    """One side of an exchange: sends its lines, and keeps the newest of the other side."""

    _side: ClassVar[Side]

    def __init__(
        self, channel: Channel, parse: Callable[[str], LineT | None], now: Callable[[], float]
    ) -> None:
        self._channel, self._now, self._began, self._seq = channel, now, now(), 0
        self._mailbox = Mailbox(channel, parse, now)
        self.latest = self._mailbox.latest
        """Receives, and returns the newest valid line; if it is stale, the belts must stop."""
        self.close = channel.close
        """Closes the channel."""

    @classmethod
    def open(cls, where: str) -> Self:
        """Return this side at `where` (see `open_channel`), in a thread of its own."""
        return cls(BackgroundChannel(open_channel(where, cls._side)))  # type: ignore[call-arg]

    @property
    def counts(self) -> dict[str, int]:
        """Counts of received lines."""
        return self._mailbox.summary()

    def _stamp(self) -> dict[str, Any]:
        """Return the next sequence number, and the time [s]."""
        self._seq += 1
        return {"seq": self._seq, "time": self._now() - self._began}


class ControllerSide(_Side[OrientationLine]):
    """The controller of an exchange with the simulation of another program, such as Unreal."""

    _side = "controller"

    def __init__(self, channel: Channel, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(channel, self._parse, now)
        self._yaw = 0.0

    def send(self, left: float, right: float) -> None:
        """Send belt speeds to the simulation [m/s]."""
        self._channel.send(EncoderLine(**self._stamp(), left=left, right=right).format())

    def _parse(self, text: str) -> OrientationLine | None:
        """Return a line with its yaw unwrapped."""
        line = OrientationLine.parse(text)
        if line is None:
            return None
        self._yaw += float(wrap_angle(float(line.pose.yaw) - self._yaw))
        return replace(line, pose=replace(line.pose, yaw=self._yaw))


class SimulationSide(_Side[EncoderLine]):
    """The simulation of an exchange, in place of Unreal, with the controller of another program."""

    _side = "simulation"

    def __init__(self, channel: Channel, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(channel, EncoderLine.parse, now)

    def send(self, pose: Pose) -> None:
        """Send the pose of the virtual robot to the controller."""
        self._channel.send(OrientationLine(**self._stamp(), pose=pose).format())
