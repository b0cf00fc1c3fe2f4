"""Damages frames in six ways, and counts what the decoder makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from grouser.errors import InvalidValue
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.messages import KINDS, Estop, Message, unpack

Damage: TypeAlias = Callable[[bytes, Random], bytes]
"""Returns what is received of a frame, its zero included."""


def flip_bits(count: int) -> Damage:
    """Return a damage that flips `count` different bits, also of the final zero."""

    def damage(frame: bytes, chance: Random) -> bytes:
        damaged = bytearray(frame)
        for bit in chance.sample(range(8 * len(frame)), count):
            damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)

    return damage


def lose_byte(frame: bytes, chance: Random) -> bytes:
    """Lose one byte, also the final zero."""
    at = chance.randrange(len(frame))
    return frame[:at] + frame[at + 1 :]


def junk_inside(frame: bytes, chance: Random) -> bytes:
    """Insert up to 40 random bytes into the frame."""
    at = chance.randrange(1, len(frame))
    return frame[:at] + _junk(chance) + frame[at:]


def _junk(chance: Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 41))


DAMAGES: dict[str, Damage] = {
    "one bit flipped": flip_bits(1),
    "two bits flipped": flip_bits(2),
    "a byte lost": lose_byte,
    "junk before": lambda frame, chance: _junk(chance) + frame,
    "junk inside": junk_inside,
    "junk after": lambda frame, chance: frame + _junk(chance),
}
"""Damages by name."""
POOL = 2000
"""Number of different messages [1]."""
EVERY = 5000
"""Frames between two calls of `progress` [1]."""
_SENTINEL = encode_message(Estop())


@dataclass(slots=True)
class Tally:
    """Results of frames that were damaged in one way."""

    frames: int = 0
    """Frames that were damaged and decoded."""
    dropped: int = 0
    """Frames that gave no message."""
    intact: int = 0
    """Frames that gave their own message, in spite of bytes around them."""
    wrong: int = 0
    """Frames that gave another message."""
    not_recovered: int = 0
    """Frames after which the next undamaged one was lost, too."""


def try_frames(
    count: int,
    *,
    seed: int = 1,
    make_decoder: Callable[[], FrameDecoder] = FrameDecoder,
    progress: Callable[[int], None] = lambda done: None,
    tallies: dict[str, Tally] | None = None,
) -> dict[str, Tally]:
    """Return the results of `count` damaged frames, the damages in turn.

    `tallies` is where to count, to have the results after an interruption, too.
    """
    if count < 1:
        raise InvalidValue("count", count, "be at least 1")
    chance = Random(seed)
    tallies = {} if tallies is None else tallies
    tallies.update({name: Tally() for name in DAMAGES})
    pool = [_random_message(chance) for _ in range(POOL)]
    frames = [(message, encode_message(message)) for message in pool]
    decoder, ways = make_decoder(), list(DAMAGES.items())
    for done in range(count):
        name, damage = ways[done % len(ways)]
        message, frame = frames[chance.randrange(POOL)]
        tally = tallies[name]
        # The zero ends a frame whose own was damaged, as the next frame would.
        decoded = decoder.feed(damage(frame, chance) + b"\x00")
        tally.frames += 1
        tally.dropped += not decoded
        tally.intact += decoded == [message]
        tally.wrong += any(other != message for other in decoded)
        tally.not_recovered += decoder.feed(_SENTINEL) != [Estop()]
        if done % EVERY == 0:
            progress(done)
    progress(count)
    return tallies


def _random_message(chance: Random) -> Message:
    kind = chance.choice([kind for kind in KINDS.values() if kind is not Estop])
    message = unpack(bytes((kind.TYPE,)) + chance.randbytes(kind.LAYOUT.size))
    assert message is not None  # of a known type and length
    return message
