"""Interface of simulated boards, and the faults that can be injected into them."""

import math
import re
from dataclasses import dataclass
from typing import Protocol

from grouser.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class BoardStep:
    """Result of one step of a board."""

    time_us: int
    """Time since the board was switched on, at the end of the step [us]."""
    sent: bytes
    """Bytes that it sent."""
    enabled: tuple[bool, bool]
    """Whether the drivers of the left and of the right motor are on, at the end."""
    belt_speeds: tuple[float, float]
    """True belt speeds, left and right, at the end [m/s]."""
    resets: int
    """How often it was reset."""


class Board(Protocol):
    """A simulated board in lockstep."""

    @property
    def name(self) -> str:
        """Name for messages and reports."""
        ...

    def step(self, duration_us: int, received: bytes = b"") -> BoardStep:
        """Advance the board while it receives these bytes; raises `LinkBroken` if it has ended."""
        ...

    def fault(self, words: str) -> None:
        """Inject or clear a fault; raises `InvalidValue` if no fault is called so."""

    def turn(self, yaw_rate: float | None) -> None:
        """Let the gyroscope show this yaw rate [rad/s]; None for that of belts without slip."""

    def pins(self) -> tuple[int, int]:
        """Return when the driver of each motor was last switched on or off [us]."""
        ...

    def close(self) -> None:
        """Close the board. A second call does nothing."""


VOCABULARY: dict[tuple[str, ...], str] = {
    ("link", "down"): "no byte passes in either direction",
    ("link", "up"): "bytes pass again",
    ("link", "mute"): "bytes of the board are lost",
    ("link", "lose", "P"): "each byte is lost with probability P",
    ("link", "flip", "P"): "one bit of each byte is flipped with probability P",
    ("link", "clear"): "the link works again",
    ("encoder", "SIDE", "stuck"): "an encoder stops counting",
    ("encoder", "SIDE", "swapped"): "an encoder counts backwards",
    ("encoder", "SIDE", "ok"): "an encoder works again",
    ("motor", "SIDE", "swapped"): "a motor turns backwards",
    ("motor", "SIDE", "ok"): "a motor works again",
    ("track", "SIDE", "blocked"): "a track cannot move",
    ("track", "SIDE", "free"): "a track can move again",
    ("imu", "off"): "the IMU does not answer",
    ("imu", "on"): "the IMU answers again",
    ("battery", "VOLTS"): "the battery has this voltage, 0 to 10 V",
    ("reset", "brownout"): "reset by a drop of the supply voltage",
    ("reset", "external"): "reset by the button or by opening the port",
    ("reset", "power"): "reset by switching the supply off and on",
    ("hang", "loop"): "the main loop hangs",
    ("hang", "all"): "the main loop hangs with interrupts disabled",
    ("clock", "PPM"): "the board's clock is fast by PPM, -50000 to 50000",
}
"""Words of each fault, and its effect."""
RANGES = {"P": (0.0, 1.0), "VOLTS": (0.0, 10.0), "PPM": (-50_000.0, 50_000.0)}
"""Range of each kind of number [1, V, 1e-6]."""
LATEST = 1e6
"""Latest time of a fault [s]."""
_NUMBER = re.compile(r"-?\d{1,9}(\.\d{0,9})?")


@dataclass(frozen=True, slots=True)
class FaultWords:
    """One fault, parsed."""

    what: str
    """First word: the part that fails."""
    how: str
    """Kind of failure; empty if it is a number."""
    side: int = -1
    """0 for left, 1 for right, -1 for none."""
    number: float = math.nan
    """Probability, voltage or ppm; NaN if there is none [1, V or 1e-6]."""


def parse_fault(words: str) -> FaultWords:
    """Return the fault that some words name; an error lists all."""
    given = tuple(words.lower().split())
    for pattern in VOCABULARY:
        if len(given) == len(pattern) and all(map(_fits, given, pattern)):
            return _make(given, pattern)
    known = "; ".join(" ".join(pattern) for pattern in VOCABULARY)
    raise InvalidValue(
        "fault",
        words,
        f"be one of: {known} (SIDE is left or right, P a probability, VOLTS from 0 to 10, PPM from "
        "-50000 to 50000)",
    )


def split_fault(text: str) -> tuple[str, float]:
    """Return the words of a fault and its time, from `WORDS [@SECONDS]` [s]."""
    words, at, seconds = text.partition("@")
    parse_fault(words)
    if not at:
        return words.strip(), 0.0
    text = seconds.strip()
    if not _NUMBER.fullmatch(text) or not 0.0 <= float(text) <= LATEST:
        required = f"be from 0 to {LATEST:g} s, as in 'imu off @2.5'"
        raise InvalidValue("time of a fault", seconds, required)
    return words.strip(), float(text)


def _fits(word: str, pattern: str) -> bool:
    if pattern == "SIDE":
        return word in ("left", "right")
    if pattern in RANGES:
        low, high = RANGES[pattern]
        return bool(_NUMBER.fullmatch(word)) and low <= float(word) <= high
    return word == pattern


def _make(given: tuple[str, ...], pattern: tuple[str, ...]) -> FaultWords:
    by_kind = dict(zip(pattern, given, strict=True))
    side = {"left": 0, "right": 1}.get(by_kind.get("SIDE", ""), -1)
    number = next((by_kind[kind] for kind in RANGES if kind in by_kind), "nan")
    how = next((word for word in pattern[1:] if word.islower()), "")
    return FaultWords(pattern[0], how, side, float(number))
