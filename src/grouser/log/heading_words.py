"""Headings of foreign tables in words: what they name, which side, and the unit that they spell."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Drive: TypeAlias = Literal[
    "", "left", "right", "front_left", "front_right", "rear_left", "rear_right"
]

_BRACKETS = re.compile(r"\s*[\[(]([^\])]*)[\])]\s*$")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SPELLED = {
    "m": "m", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "cm": "cm", "mm": "mm",
    "ft": "ft", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "ms": "ms", "msec": "ms", "msecs": "ms", "millis": "ms", "milliseconds": "ms",
    "us": "us", "usec": "us", "usecs": "us", "µs": "us", "micros": "us", "microseconds": "us",
    "ns": "ns", "nsec": "ns", "nsecs": "ns", "nanosec": "ns", "nanosecs": "ns", "nanos": "ns",
    "nanoseconds": "ns", "m/s": "m/s", "m s": "m/s", "mps": "m/s", "cm/s": "cm/s", "cm s": "cm/s",
    "mm/s": "mm/s", "mm s": "mm/s", "km/h": "km/h", "km h": "km/h", "kmh": "km/h", "kph": "km/h",
    "rad": "rad", "radians": "rad", "deg": "deg", "degree": "deg", "degrees": "deg", "°": "deg",
    "rad/s": "rad/s", "rad s": "rad/s", "radps": "rad/s", "deg/s": "deg/s", "deg s": "deg/s",
    "°/s": "deg/s", "dps": "deg/s", "rpm": "rpm", "1/min": "rpm", "ticks": "1", "tick": "1",
    "counts": "1", "count": "1", "pulses": "1", "-": "1", "1": "1", "V": "V", "v": "V",
}  # fmt: skip
_SIDES: dict[str, Drive] = {
    "left": "left", "l": "left", "right": "right", "r": "right",
    "fl": "front_left", "lf": "front_left", "fr": "front_right", "rf": "front_right",
    "rl": "rear_left", "bl": "rear_left", "rr": "rear_right", "br": "rear_right",
    "vl": "left", "wl": "left", "ul": "left", "vr": "right", "wr": "right", "ur": "right",
    "lw": "left", "rw": "right", "lhs": "left", "rhs": "right",
}  # fmt: skip
_ENDS = {"front": "front", "rear": "rear", "back": "rear"}
COMMANDED = frozenset({"cmd", "command", "commanded", "setpoint", "ref", "desired", "target"})
"""Words of what was commanded, not measured."""
_NOISE = frozenset(
    {"pose", "position", "pos", "odom", "odometry", "gt", "ground", "truth", "mocap", "vicon",
     "optitrack", "base", "link", "robot", "world", "map", "local", "body", "measured", "meas",
     "header", "gps", "gnss", "ins", "utm", "field", "msg", "twist", "id", "number", "index"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What a heading says."""

    text: str
    """The heading as it is written."""
    words: tuple[str, ...]
    """Its words in lower case, without unit and side."""
    unit: str
    """Unit that it spells, one of `grouser.units.FACTOR_TO_SI`; empty if none."""
    drive: Drive
    """Track or wheel that it names; empty if none."""

    @property
    def is_commanded(self) -> bool:
        """Whether it names what was commanded."""
        return bool(COMMANDED & set(self.words))

    @property
    def core(self) -> str:
        """Words that matter, with blanks between."""
        core = [word for word in self.words if word not in _NOISE]
        return " ".join(core or self.words)


def understand(text: str) -> Heading:
    """Return what a heading says."""
    unit, rest = "", text
    if (found := _BRACKETS.search(text)) and found.start() > 0:
        spelled = found[1].strip().lower()
        unit, rest = _SPELLED.get(spelled, ""), text[: found.start()]
    words = [word.lower() for word in _WORDS.findall(rest)]
    words, drive = _take_drive(words)
    if not unit:
        words, unit = _take_unit(words, has_drive=bool(drive))
    return Heading(text=text, words=tuple(words), unit=unit, drive=drive)


def _take_drive(words: list[str]) -> tuple[list[str], Drive]:
    """Return words without those of a track or wheel, and its name."""
    place = next((i for i in reversed(range(len(words))) if words[i] in _SIDES), None)
    if place is None:
        return words, ""
    rest, drive = [*words[:place], *words[place + 1 :]], _SIDES[words[place]]
    end = next((word for word in rest if word in _ENDS), None)
    if end is not None and drive in ("left", "right"):
        rest.remove(end)
        drive = f"{_ENDS[end]}_{drive}"
    return rest, drive  # pyright: ignore[reportReturnType]


def _take_unit(words: list[str], *, has_drive: bool) -> tuple[list[str], str]:
    """Return words without those of a unit at their end, and the unit."""
    for count in (2, 1):
        spelled = " ".join(words[-count:])
        is_unit = spelled in _SPELLED and spelled != "v" and not spelled.isdigit()  # v is a speed
        if len(words) > count - has_drive and is_unit:
            return words[:-count], _SPELLED[spelled]
    is_plain = len(words) == 1 and words[0] in _SPELLED and len(words[0]) > 1
    return words, _SPELLED[words[0]] if is_plain else ""
