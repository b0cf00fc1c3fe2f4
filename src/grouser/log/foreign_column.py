"""Entry of a column map: how columns of a foreign table become one column of a log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidValue
from grouser.units import to_si

MIN_SCALE, MAX_SCALE = 1e-15, 1e20
"""Range of a scale; an offset may be as large, for times in ns since 1970 [1]."""
FRAMES = ("enu", "ned")
"""Frames of a foreign table: ours (x east, y north, z up) and that of inertial navigation."""
NED_SIGNS: Mapping[str, int] = {
    **dict.fromkeys(("roll", "vx", "roll_rate", "gyro_roll_rate"), 1),
    **dict.fromkeys(("z", "pitch", "vy", "vz", "pitch_rate", "yaw_rate"), -1),
    **dict.fromkeys(("gyro_pitch_rate", "gyro_yaw_rate"), -1),
    **dict.fromkeys(("x", "y", "yaw"), 1),
}
"""Columns that `frame` applies to, and their sign in north-east-down (body: forward-right-down);
x and y swap, and yaw is counted from the other axis."""
_ALWAYS = ("column", "unit", "sign", "offset", "scale")
_OTHERS = ("frame", "radius_m", "metres_per_count", "wraps_at", "where", "file", "plus")
KEYS: Mapping[str, tuple[str, ...]] = {
    "column": (*_ALWAYS, *_OTHERS),
    "quaternion": ("quaternion", "frame", "where", "file"),
    "latitude": ("latitude", "longitude", "where", "file"),
}
"""Keys of an entry, by the key that says what kind it is."""
HEADING = f"a text of 1 to {limits.NAME_LENGTH} characters"
"""What a heading is, for messages."""


def is_heading(word: object) -> bool:
    """Return whether this may be the heading of a column."""
    if not isinstance(word, str) or not word.strip():
        return False
    return len(word) <= limits.NAME_LENGTH and word.isprintable()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignColumn:
    """Columns of a foreign table, and their conversion to a column of a log.

    One of three kinds: a column, ours = (sign * scale * foreign + offset) * factor, where the unit
    gives the factor; a quaternion, for roll, pitch or yaw; latitude and longitude, for x or y.
    """

    column: str = ""
    """Heading in the foreign table; for a bag, topic and field: /odom.pose.pose.position.x."""
    unit: str = ""
    """Unit of the foreign column, one of `grouser.units.FACTOR_TO_SI`."""
    sign: int = 1
    """-1 if its positive direction is opposite to ours, else 1."""
    offset: float = 0.0
    """Added after sign and scale [`unit`]."""
    scale: float = 1.0
    """Factor from the foreign number to `unit`, for example the radius [m] of a wheel whose speed
    is in rad/s [`unit` per foreign unit]."""
    quaternion: tuple[str, ...] = ()
    """Headings of x, y, z and w of the attitude."""
    latitude: str = ""
    """Heading of the latitude in degrees."""
    longitude: str = ""
    """Heading of the longitude in degrees."""
    frame: str = "enu"
    """Frame of the foreign numbers, one of `FRAMES`."""
    radius_m: float | None = None
    """Radius of the wheel or sprocket whose angle or angular speed the column holds [m]."""
    metres_per_count: float | None = None
    """Distance of one count of an encoder [m]."""
    wraps_at: float | None = None
    """Number of different values of a counter that starts again at 0 [1]."""
    where: str = ""
    """Heading of a column that is 0 where this one was not measured."""
    file: str = ""
    """Name of another file with the column, in the folder of the log."""
    plus: "ForeignColumn | None" = None
    """Column that is added: nanoseconds beside seconds."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "quaternion", _as_tuple(self.quaternion))
        for name in ("column", "where", "latitude", "longitude"):
            word = getattr(self, name)
            if (word or name == self._kind) and not is_heading(word):
                raise InvalidValue(name, word, f"be a heading of the table: {HEADING}")
        if self._kind == "column":
            if not isinstance(self.unit, str):
                raise InvalidValue("unit", self.unit, 'be a text such as "cm"')
            to_si(self.unit)
        elif self._kind == "quaternion" and (
            len(self.quaternion) != 4 or not all(is_heading(word) for word in self.quaternion)
        ):
            required = 'be four headings, of x, y, z and w: ["qx", "qy", "qz", "qw"]'
            raise InvalidValue("quaternion", list(self.quaternion), required)
        self._check_numbers()
        self._check_words()

    @property
    def _kind(self) -> str:
        if self.quaternion:
            return "quaternion"
        return "latitude" if self.latitude or self.longitude else "column"

    def _check_numbers(self) -> None:
        if isinstance(self.sign, bool) or self.sign not in (1, -1):
            raise InvalidValue("sign", self.sign, "be 1 or -1")
        for name, least in (("offset", 0.0), ("scale", MIN_SCALE), ("metres_per_count", MIN_SCALE)):
            value = getattr(self, name)
            if name == "metres_per_count" and value is None:
                continue
            if not _is_number(value) or not least <= abs(value) <= MAX_SCALE:
                required = f"be a finite number of {least:g} to {MAX_SCALE:g} in size"
                raise InvalidValue(name, value, required)
        for name, least, most in (("radius_m", 1e-6, 1e5), ("wraps_at", 2.0, 2.0**64)):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and least <= value <= most):
                raise InvalidValue(name, value, f"be a number from {least:g} to {most:g}")
        becomes = to_si(self.unit)[0] if self._kind == "column" else ""
        if self.radius_m is not None and becomes not in ("rad", "rad/s"):
            required = "come with an angle or angular speed: unit rad, deg, rad/s, deg/s or rpm"
            raise InvalidValue("radius_m", self.radius_m, required)
        for name in ("metres_per_count", "wraps_at"):
            if getattr(self, name) is not None and becomes != "1":
                raise InvalidValue(name, getattr(self, name), 'come with counts: unit "1"')

    def _check_words(self) -> None:
        if self.frame not in FRAMES:
            raise InvalidValue("frame", self.frame, f"be one of {', '.join(FRAMES)}")
        if self.file and not _is_file_name(self.file):
            raise InvalidValue("file", self.file, "be the name of a file in the log's folder")
        if self.plus is not None:
            wrong = not isinstance(self.plus, ForeignColumn) or self.plus.plus is not None
            if wrong or to_si(self.plus.unit)[0] != to_si(self.unit)[0]:
                required = 'be a column of the same kind, like {column = "nanosec", unit = "ns"}'
                raise InvalidValue("plus", self.plus, required)

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of the foreign table that are needed."""
        words = (self.column, *self.quaternion, self.latitude, self.longitude, self.where)
        more = self.plus.headings if self.plus is not None else ()
        return tuple(word.strip() for word in (*words, *more) if word)

    @property
    def si_unit(self) -> str:
        """SI unit of the column of the log."""
        if self._kind != "column":
            return "rad" if self._kind == "quaternion" else "m"
        unit = to_si(self.unit)[0]
        if self.radius_m is not None:
            return "m/s" if unit == "rad/s" else "m"
        return "m" if self.metres_per_count is not None else unit

    def convert(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return foreign numbers of one column in the SI unit of the log."""
        factor = to_si(self.unit)[1] * (self.radius_m or 1.0) * (self.metres_per_count or 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            return (self.sign * self.scale * numbers + self.offset) * factor

    def to_notes(self) -> dict[str, Any]:
        """Return the entry for a provenance: the keys of its kind, others where they are set."""
        notes: dict[str, Any] = {}
        for key in fields(self):
            value = getattr(self, key.name)
            if value != key.default or (self._kind == "column" and key.name in _ALWAYS):
                notes[key.name] = value
        if self.plus is not None:
            notes["plus"] = self.plus.to_notes()
        if self.quaternion:
            notes["quaternion"] = list(self.quaternion)
        return notes


def parse_entry(entry: object) -> ForeignColumn:
    """Return an entry of a column map; InvalidValue or UnknownName if it is wrong."""
    example = '{column = "X (cm)", unit = "cm"}'
    if not isinstance(entry, Mapping):
        raise InvalidValue("entry", entry, f"look like {example}")
    kind = "quaternion" if "quaternion" in entry else "column"
    kind = "latitude" if {"latitude", "longitude"} & set(entry) else kind
    if unknown := set(entry) - set(KEYS[kind]):
        wrong = min(unknown, key=str)
        raise InvalidValue("entry", wrong, f"have only the keys {', '.join(KEYS[kind])}")
    needed = {"column": ("column", "unit"), "latitude": ("latitude", "longitude")}
    if missing := set(needed.get(kind, ())) - set(entry):
        like = example if kind == "column" else '{latitude = "lat", longitude = "lon"}'
        raise InvalidValue("entry", dict(entry), f"have the key {min(missing)}, like {like}")
    if kind == "quaternion" and not entry["quaternion"]:
        raise InvalidValue("quaternion", entry["quaternion"], "be four headings")
    words = dict(entry)
    if "plus" in words:
        words["plus"] = parse_entry(words["plus"])
    return ForeignColumn(**words)


def _as_tuple(words: object) -> tuple[Any, ...]:
    if isinstance(words, Iterable) and not isinstance(words, str | Mapping):
        return tuple(words)
    return (words,)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_file_name(word: object) -> bool:
    if not isinstance(word, str) or not is_heading(word):
        return False
    path = PurePath(word)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in word
