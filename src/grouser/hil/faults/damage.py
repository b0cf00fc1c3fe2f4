"""What a line does to frames: one function for each way."""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

Damage: TypeAlias = Callable[[bytes, Random], bytes]
"""Takes a frame with its zero, returns what arrives of it."""


def flip_bits(count: int) -> Damage:
    """Return the damage of so many different bits that are flipped, the zero's too."""

    def damage(frame: bytes, chance: Random) -> bytes:
        damaged = bytearray(frame)
        for bit in chance.sample(range(8 * len(frame)), count):
            damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)

    return damage


def lose_byte(frame: bytes, chance: Random) -> bytes:
    """Lose one byte, perhaps the zero."""
    at = chance.randrange(len(frame))
    return frame[:at] + frame[at + 1 :]


def junk_before(frame: bytes, chance: Random) -> bytes:
    """Put up to 40 bytes before it, zeros among them."""
    return _junk(chance) + frame


def junk_inside(frame: bytes, chance: Random) -> bytes:
    """Put up to 40 bytes into it."""
    at = chance.randrange(1, len(frame))
    return frame[:at] + _junk(chance) + frame[at:]


def junk_after(frame: bytes, chance: Random) -> bytes:
    """Put up to 40 bytes behind it."""
    return frame + _junk(chance)


def _junk(chance: Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 41))


DAMAGES: dict[str, Damage] = {
    "one bit flipped": flip_bits(1),
    "two bits flipped": flip_bits(2),
    "a byte lost": lose_byte,
    "junk before": junk_before,
    "junk inside": junk_inside,
    "junk after": junk_after,
}
"""The ways by name."""
