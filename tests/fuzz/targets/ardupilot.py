"""What comes to the port of `grouser ardupilot`: servo packets, and whatever else is sent there."""

import math
import struct
from pathlib import Path

from grouser.errors import GrouserError
from grouser.plugs.ardupilot import LockStep, ServoFrame, ServoMap, parse_servos
from tests.fuzz.target import Target, require
from tests.plugs.ardupilot.fake_vehicle import FakeVehicle
from tests.plugs.ardupilot.stand_in import StandIn, read_by_search, read_strictly

SERVOS = ServoMap(dead_zone=10.0)
FRAMES = 6
"""Datagrams of a conversation."""


def _packets() -> list[bytes]:
    return [
        StandIn(rate=rate, channels=channels, frames=frames, pulses=pulses).output_servos()
        for rate, channels, frames, pulses in (
            (1200.0, 16, 0, (1500, 1500)),
            (50.0, 32, 2**32 - 1, (1000, 2000)),
            (1.0, 16, 1, (0, 65535)),
        )
    ]


def _read(content: bytes, folder: Path) -> ServoFrame:
    return parse_servos(content)


def _check(frame: ServoFrame) -> None:
    require(frame.rate > 0, "a rate of zero")
    require(0 <= frame.count < 2**32, f"frame {frame.count}")
    require(len(frame.pulses) in (16, 32), f"{len(frame.pulses)} channels")
    for share in SERVOS.belts(frame):
        require(math.isfinite(share) and abs(share) <= 1.0, f"belts at {share}")


def _conversations() -> list[bytes]:
    first, second, third = _packets()[0], StandIn(frames=1).output_servos(), _packets()[2]
    orders = ((first, second), (first, first, second), (second, first, third))
    return [b"".join(struct.pack("<BH", len(p), 900) + p for p in order) for order in orders]


def _talk(content: bytes, folder: Path) -> LockStep:
    """Take datagrams, each with its length and the milliseconds before it, as one conversation."""
    lock_step, now, at = LockStep(FakeVehicle(), SERVOS), 0.0, 0
    for _ in range(FRAMES):
        if at + 3 > len(content):
            break
        length, wait = struct.unpack_from("<BH", content, at)
        now += 1e-3 * wait
        lock_step.take(content[at + 3 : at + 3 + length], ("127.0.0.1", 1 + length % 2), now)
        at += 3 + length
        lock_step.step()
        if (found := lock_step.reply(now)) is not None:
            line = found[0].decode("ascii").strip("\n")
            require(read_by_search(line) == read_strictly(line), f"unclear: {line}")
    if lock_step.counts.frames == 0:
        raise GrouserError("no frame")
    return lock_step


def _check_talk(lock_step: LockStep) -> None:
    counts = lock_step.counts
    require(counts.frames <= FRAMES, f"{counts.frames} steps")
    require(min(lock_step.summary().values()) >= 0, f"{counts}")


TARGETS = [
    Target(
        name="servo packet of ArduPilot",
        samples=_packets,
        attempt=_read,
        check=_check,
        names_file=False,
        is_text=False,
    ),
    Target(
        name="frames of ArduPilot",
        samples=_conversations,
        attempt=_talk,
        check=_check_talk,
        names_file=False,
        is_text=False,
    ),
]
