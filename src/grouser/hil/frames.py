"""Frames on the wire: COBS, CRC and counters."""

import binascii
from dataclasses import dataclass

from grouser.extras import require_extra

require_extra("a board in the loop", "hil", "cobs")

from cobs import cobs

from grouser.hil.messages import KINDS, Message, pack, unpack

LONGEST_FRAME = 80
"""Bytes between two zeros above which a frame is dropped [1]."""
RESYNC = b"\x00"
"""Ends a frame that was sent in part before."""


def encode_frame(content: bytes) -> bytes:
    """Return type and body of a message as a frame, which ends with a zero."""
    crc = binascii.crc_hqx(content, 0xFFFF)
    return cobs.encode(content + crc.to_bytes(2, "little")) + b"\x00"


def encode_message(message: Message) -> bytes:
    """Return the frame of a message."""
    return encode_frame(pack(message))


@dataclass(slots=True)
class FrameCounts:
    """Counts of received frames."""

    good: int = 0
    """Frames that were messages."""
    crc: int = 0
    """Frames whose checksum or stuffing was wrong."""
    long: int = 0
    """Frames that were too long."""
    unknown: int = 0
    """Undamaged frames of an unknown type or a wrong length."""

    @property
    def bad(self) -> int:
        """Frames that were dropped."""
        return self.crc + self.long + self.unknown


class FrameDecoder:
    """Decodes messages from bytes in pieces of any length. Damage is counted, not raised."""

    def __init__(self) -> None:
        self.counts = FrameCounts()
        self._pending = bytearray()
        self._is_too_long = False
        self.rejected: list[tuple[int, bool]] = []
        """Types of undamaged frames that are no message, and whether the type is known."""

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that these bytes complete, in order."""
        self.rejected.clear()
        *ends, rest = bytes(data).split(b"\x00")
        messages: list[Message] = []
        for end in ends:
            self._append(end)
            if (message := self._close()) is not None:
                messages.append(message)
        self._append(rest)
        return messages

    def _append(self, part: bytes) -> None:
        self._pending += part
        if len(self._pending) > LONGEST_FRAME:
            # Bounded, also while noise without a zero goes on for hours.
            self._is_too_long = True
            del self._pending[LONGEST_FRAME:]

    def _close(self) -> Message | None:
        frame, too_long = bytes(self._pending), self._is_too_long
        self._pending.clear()
        self._is_too_long = False
        if too_long:
            self.counts.long += 1
            return None
        return self._decode(frame) if frame else None

    def _decode(self, frame: bytes) -> Message | None:
        try:
            content = cobs.decode(frame)
        except cobs.DecodeError:
            self.counts.crc += 1
            return None
        body, crc = content[:-2], content[-2:]
        if not body or binascii.crc_hqx(body, 0xFFFF).to_bytes(2, "little") != crc:
            self.counts.crc += 1
            return None
        message = unpack(body)
        if message is None:
            self.counts.unknown += 1
            self.rejected.append((body[0], body[0] in KINDS))
        else:
            self.counts.good += 1
        return message


@dataclass(slots=True)
class Counts:
    """Counts of a connection."""

    states: int = 0
    """States that were received."""
    missing: int = 0
    """States that were lost, by the gaps of their sequence numbers."""
    skipped: int = 0
    """States that were received but skipped, because a newer one was queued."""
    commands: int = 0
    """Commands that were sent."""
    late: int = 0
    """Periods of an armed board in which no new command came in time."""
    naks: int = 0
    """Messages that the board rejected."""
    refused: int = 0
    """Messages that it rejected while it was armed."""
    losses: int = 0
    """How often the link was lost."""
    boots: int = 0
    """How often the board booted while it was connected."""
    old: int = 0
    """States that were not newer than one received before."""
    implausible: int = 0
    """Messages of the board with impossible values."""
    standstills: int = 0
    """How often the host did not listen for more than two periods."""
    longest_standstill: float = 0.0
    """Longest of these times; 0 if there was none [s]."""


class Unwrapped:
    """A counter of `bits` bits, unwrapped: each value is the one nearest to the last."""

    def __init__(self, bits: int) -> None:
        self._size = 1 << bits
        self.value: int | None = None
        """The last value; None before the first."""

    def near(self, wrapped: int) -> int:
        """Return the unwrapped value, without storing it."""
        if self.value is None:
            return wrapped
        half = self._size // 2
        return self.value + (wrapped - self.value + half) % self._size - half

    def update(self, wrapped: int) -> int:
        """Return the unwrapped value, and store it."""
        self.value = self.near(wrapped)
        return self.value


def wire_time(seconds: float) -> int:
    """Return a time in microseconds, wrapped to 32 bits."""
    return round(seconds * 1e6) % 0x1_0000_0000
