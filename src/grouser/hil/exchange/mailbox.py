"""The newest line of each side, and its age."""

import math
import time
from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np

from grouser.geometry import Pose, wrap_angle
from grouser.hil.exchange.channels import BackgroundChannel, Channel, open_channel
from grouser.hil.exchange.lines import EncoderLine, OrientationLine
from grouser.log import Column

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


class Sights:
    """Collects one row for each look."""

    def __init__(self) -> None:
        self._rows = array("d")

    def add(self, sight: Sight[Line]) -> None:
        """Remember one look."""
        seq = math.nan if sight.line is None or sight.line.seq is None else sight.line.seq
        age = sight.age if math.isfinite(sight.age) else math.nan
        self._rows.extend((seq, age, sight.is_stale))

    @property
    def stale_ticks(self) -> int:
        """How many looks found nothing to act upon."""
        return int(sum(self._rows[2::3]))

    def columns(self) -> dict[str, Column]:
        """Return the columns: number and age of the line acted upon, and whether it was stale."""
        seqs, ages, stale = np.array(self._rows[:]).reshape(-1, 3).T
        return {
            "exchange_seq": Column(seqs, "1"),
            "exchange_age": Column(ages, "s"),
            "exchange_stale": Column(stale, "1"),
        }


class ControllerSide:
    """Our end of an exchange with a simulation of another program, such as an Unreal project."""

    def __init__(self, channel: Channel, now: Callable[[], float] = time.monotonic) -> None:
        self._channel, self._now, self._began, self._seq = channel, now, now(), 0
        self._yaw = 0.0
        self._mailbox = Mailbox(channel, self._parse, now)

    @classmethod
    def open(cls, where: str) -> "ControllerSide":
        """Return the end at `where`: a folder, or `udp` with host and port (`open_channel`).

        A thread works the channel: a board's lease does not wait for a disk.
        """
        return cls(BackgroundChannel(open_channel(where, "controller")))

    def send(self, left: float, right: float) -> None:
        """Tell the simulation how fast the belts run [m/s]."""
        self._seq += 1
        moment = self._now() - self._began
        line = EncoderLine(seq=self._seq, time=moment, left=left, right=right)
        self._channel.send(line.format())

    def look(self) -> Sight[OrientationLine]:
        """Return where the virtual robot is; if that is stale, the belts must stop.

        Its yaw does not jump at half a turn, as the engine's does.
        """
        return self._mailbox.look()

    @property
    def counts(self) -> dict[str, int]:
        """What came in so far."""
        return self._mailbox.summary()

    def close(self) -> None:
        """Give back what the channel holds."""
        self._channel.close()

    def _parse(self, text: str) -> OrientationLine | None:
        line = OrientationLine.parse(text)
        if line is None:
            return None
        return replace(line, pose=self._unwrap(line.pose))

    def _unwrap(self, pose: Pose) -> Pose:
        self._yaw += float(wrap_angle(float(pose.yaw) - self._yaw))
        return replace(pose, yaw=self._yaw)


class SimulationSide:
    """Our end of an exchange with a controller of another program, in Unreal's place."""

    def __init__(self, channel: Channel, now: Callable[[], float] = time.monotonic) -> None:
        self._channel, self._now, self._began, self._seq = channel, now, now(), 0
        self._mailbox = Mailbox(channel, EncoderLine.parse, now)

    @classmethod
    def open(cls, where: str) -> "SimulationSide":
        """Return the end at `where`: a folder, or `udp` with host and port (`open_channel`).

        A thread works the channel: the simulation's clock does not wait for a disk.
        """
        return cls(BackgroundChannel(open_channel(where, "simulation")))

    def send(self, pose: Pose) -> None:
        """Tell the controller where the virtual robot is."""
        self._seq += 1
        line = OrientationLine(seq=self._seq, time=self._now() - self._began, pose=pose)
        self._channel.send(line.format())

    def look(self) -> Sight[EncoderLine]:
        """Return how fast the belts run; if that is stale, the virtual robot must stop."""
        return self._mailbox.look()

    @property
    def counts(self) -> dict[str, int]:
        """What came in so far."""
        return self._mailbox.summary()

    def close(self) -> None:
        """Give back what the channel holds."""
        self._channel.close()
