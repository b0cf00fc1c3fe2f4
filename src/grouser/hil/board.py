"""Simulated boards by name, and faults in words."""

import math
import re
from dataclasses import dataclass
from typing import Literal, Protocol

from grouser.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class BoardStep:
    """What a board did in one step."""

    time_us: int
    """Time on the board since it was started, at the end of the step [us]."""
    sent: bytes
    """What it sent."""
    enabled: tuple[bool, bool]
    """Whether the driver of the left and of the right motor is on, at the end."""
    belt_speeds: tuple[float, float]
    """True belt speeds, left and right, at the end [m/s]."""
    resets: int
    """How often it started anew."""


class Board(Protocol):
    """A simulated board in lockstep."""

    @property
    def name(self) -> str:
        """What it is, for messages and reports."""
        ...

    def step(self, duration_us: int, received: bytes = b"") -> BoardStep:
        """Let time pass while these bytes come in at the speed of the line.

        Raises:
            LinkBroken: The program of the board has ended.
        """
        ...

    def fault(self, words: str) -> None:
        """Let something go wrong, or right again.

        Raises:
            InvalidValue: The words mean nothing.
        """
        ...

    def pins(self) -> tuple[int, int]:
        """Return when the driver of each motor was last switched, on the board's time [us]."""
        ...

    def close(self) -> None:
        """End it. A second time does nothing."""
        ...


BoardKind = Literal["sim", "python"]
"""The real firmware on a simulated chip, or the board in Python."""


def make_board(kind: BoardKind, seed: int) -> Board:
    """Return a new board in lockstep."""
    if kind == "python":
        from grouser.hil.python_board import PythonBoard

        return PythonBoard(seed=seed)
    from grouser.hil.simulated_board import SimulatedBoard

    return SimulatedBoard(seed=seed)


VOCABULARY: dict[tuple[str, ...], str] = {
    ("link", "down"): "nothing passes, either way",
    ("link", "up"): "bytes pass again",
    ("link", "mute"): "what the board says is lost",
    ("link", "lose", "P"): "each byte is lost with probability P",
    ("link", "flip", "P"): "one bit of each byte is flipped with probability P",
    ("link", "clear"): "the line is good again",
    ("encoder", "SIDE", "stuck"): "an encoder no longer counts",
    ("encoder", "SIDE", "swapped"): "an encoder counts the other way",
    ("encoder", "SIDE", "ok"): "an encoder is good again",
    ("motor", "SIDE", "swapped"): "a motor turns the other way",
    ("motor", "SIDE", "ok"): "a motor is good again",
    ("track", "SIDE", "blocked"): "a track cannot move",
    ("track", "SIDE", "free"): "a track is free again",
    ("imu", "off"): "the inertial sensor does not answer",
    ("imu", "on"): "it answers again",
    ("battery", "VOLTS"): "the battery has so many volts, 0 to 10",
    ("reset", "brownout"): "the supply dips",
    ("reset", "external"): "somebody presses reset, or opens the port",
    ("reset", "power"): "the supply is switched off and on",
    ("hang", "loop"): "the main loop stands still",
    ("hang", "all"): "everything stands still, interrupts too",
    ("clock", "PPM"): "the board's clock is fast by so many ppm, -50000 to 50000",
}
"""What may be said, and what it means."""


RANGES = {"P": (0.0, 1.0), "VOLTS": (0.0, 10.0), "PPM": (-50_000.0, 50_000.0)}
"""Smallest and largest of each kind of number [1, V, 1e-6]."""
LATEST = 1e6
"""Time of a fault that no run reaches [s]."""
_NUMBER = re.compile(r"-?\d{1,9}(\.\d{0,9})?")


@dataclass(frozen=True, slots=True)
class FaultWords:
    """One fault: what, how, and the side or number that it has."""

    what: str
    """First word."""
    how: str
    """The word that says how; empty where a number does."""
    side: int = -1
    """0 for left, 1 for right, -1 for none."""
    number: float = math.nan
    """Probability, voltage or ppm; not a number where there is none [1, V or 1e-6]."""


def parse_fault(words: str) -> FaultWords:
    """Return a fault from its words.

    Raises:
        InvalidValue: They mean nothing here; lists what would.
    """
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
    """Return the words of a fault and when it happens, from `WORDS [@SECONDS]` [s]."""
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
