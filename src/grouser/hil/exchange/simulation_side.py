"""The side that has the virtual robot: reads belt speeds, writes its pose."""

import time
from collections.abc import Callable

from grouser.geometry import Pose
from grouser.hil.exchange.background_channel import BackgroundChannel
from grouser.hil.exchange.channel import Channel
from grouser.hil.exchange.encoder_line import EncoderLine
from grouser.hil.exchange.mailbox import Mailbox, Sight
from grouser.hil.exchange.open_channel import open_channel
from grouser.hil.exchange.orientation_line import OrientationLine


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
