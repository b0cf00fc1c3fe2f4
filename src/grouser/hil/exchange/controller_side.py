"""The side that has the real robot: writes its belt speeds, reads the virtual robot's pose."""

import time
from collections.abc import Callable
from dataclasses import replace

from grouser.geometry import Pose, wrap_angle
from grouser.hil.exchange.background_channel import BackgroundChannel
from grouser.hil.exchange.channel import Channel
from grouser.hil.exchange.encoder_line import EncoderLine
from grouser.hil.exchange.mailbox import Mailbox, Sight
from grouser.hil.exchange.open_channel import open_channel
from grouser.hil.exchange.orientation_line import OrientationLine


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
