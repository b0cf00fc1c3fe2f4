"""Column map of a foreign table, guessed from its headings and numbers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.column_map import TableShape, parse_column_map
from grouser.log.content import shorten
from grouser.log.conversions import are_attitudes
from grouser.log.foreign_column import ForeignColumn, is_heading
from grouser.log.heading_words import Heading, understand
from grouser.log.propose_belts import propose_belts
from grouser.log.sample_table import Sample, sample_table
from grouser.units import to_si

_TIMES = ("t", "time", "timestamp", "stamp", "time stamp", "secs", "sec", "seconds", "elapsed",
          "elapsed time", "clock")  # fmt: skip
_PARTS = ("nanosec", "nsec", "nsecs", "nanosecs", "nanoseconds", "nanos")
_AXES = {
    "x": ("x", "px", "p x", "tx", "t x", "translation x", "east", "easting"),
    "y": ("y", "py", "p y", "ty", "t y", "translation y", "north", "northing"),
    "z": ("z", "pz", "p z", "tz", "t z", "translation z", "up"),
}
_YAWS = ("yaw", "theta", "psi", "yaw angle", "orientation yaw", "attitude yaw", "heading", "hdg",
         "compass", "azimuth")  # fmt: skip
_COMPASS = ("heading", "hdg", "compass", "azimuth")
_RATES = ("wz", "w z", "gyro z", "gyr z", "imu gyro z", "imu wz", "imu w z", "yaw rate", "yawrate",
          "angular z", "ang vel z", "angular velocity z", "omega z", "gyroz", "gyro yaw rate",
          "imu angular velocity z", "omegaz")  # fmt: skip
_SPEEDS = ("v{0}", "v {0}", "vel {0}", "velocity {0}", "linear {0}", "linear velocity {0}")
_QUATERNIONS = ("q{0}", "q {0}", "quat {0}", "quaternion {0}", "orientation {0}", "rotation {0}",
                "orientation q{0}", "attitude {0}")  # fmt: skip
_PIECES = ("window", "segment", "piece", "run", "trial", "episode", "drive")
_GROUPS = ("step", "group", "session", "experiment")
_VALID = ("new", "valid", "is valid", "ok", "tracked")  # of a pose
_GPS_AXES = (("lat", "latitude"), ("lon", "lng", "long", "longitude"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MapProposal:
    """A guessed column map."""

    columns: dict[str, ForeignColumn]
    headings: tuple[str, ...]
    """Headings of a file without a line of headings; empty if it has one."""
    unused: tuple[str, ...]
    """Headings that no entry uses."""
    remarks: tuple[str, ...]
    """What was guessed and may be wrong, in sentences."""

    def to_toml(self, origin: str) -> str:
        """Return the map as the text of a TOML file, for a table of this name."""
        lines = [
            f"# Column map of {origin}, guessed from its headings: correct it where it is wrong."
        ]
        lines += [f"# {remark}" for remark in self.remarks]
        if self.headings:
            lines.append(f"headings = {json.dumps(list(self.headings))}")
        lines += ["", "[columns]"]
        lines += [f"{name} = {_format_entry(entry)}" for name, entry in self.columns.items()]
        if self.unused:
            lines += ["", f"# not used: {', '.join(self.unused)}"]
        return "\n".join(line.replace("\r", " ") for line in lines) + "\n"


def propose_map(path: str | Path, radius: float | None = None) -> MapProposal:
    """Return the column map that headings and numbers of a text table suggest.

    `radius` is that of wheels or sprockets, if it is known [m]. InvalidLog, with the key that would
    help, if no column can be time or the unit of a needed column cannot be guessed.
    """
    sample = sample_table(path)
    headings = [understand(text) for text in sample.texts if is_heading(text)]
    guess = _Guess(sample=sample, path=path, headings=headings)
    guess.add_time()
    guess.add_pieces()
    belts = propose_belts(guess.headings, sample.numbers, path, radius)
    guess.columns |= belts.columns
    guess.remarks += belts.remarks
    guess.add_motion()
    guess.add_validity()
    used = {heading for column in guess.columns.values() for heading in column.headings}
    given = () if sample.has_headings else tuple(sample.texts)
    return MapProposal(
        columns=parse_column_map(guess.columns, path, TableShape(headings=given)),
        headings=given,
        unused=tuple(heading for heading in sample.texts if heading and heading not in used),
        remarks=tuple(guess.remarks),
    )


@dataclass(slots=True, kw_only=True, eq=False)
class _Guess:
    """A column map in the making."""

    sample: Sample
    path: str | Path
    headings: list[Heading]
    columns: dict[str, ForeignColumn] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def find(self, cores: Sequence[str], *, texts: bool = False) -> Heading | None:
        """Return the heading with the earliest of some meanings; remark if there are others."""
        pool = self.sample.texts if texts else self.sample.numbers
        fits = [
            h for h in self.headings if h.core in cores and h.text in pool and not h.is_commanded
        ]
        fits.sort(key=lambda heading: (cores.index(heading.core), len(heading.words)))
        if len(fits) > 1 and fits[0].core == fits[1].core:
            others = ", ".join(repr(heading.text) for heading in fits[1:])
            self.remarks.append(f"column {fits[0].text!r} is taken, not {others}")
        return fits[0] if fits else None

    def add_time(self) -> None:
        found = self.find(_TIMES)
        if found is None:
            known = shorten(", ".join(repr(heading) for heading in self.sample.texts), 200)
            problem = f"no heading looks like time; its columns are {known}"
            line = 'time = {column = "…", unit = "s"}'
            raise InvalidLog(self.path, f"{problem}; write a column map with {line}")
        part = next(
            (h for h in self.headings if h.words and (h.words[-1] in _PARTS or h.unit == "ns")
             and h.text != found.text and h.text in self.sample.numbers), None,
        )  # fmt: skip
        numbers = self.sample.numbers[found.text]
        unit = found.unit or self._time_unit(found.text, numbers)
        plus = None
        if part is not None and unit == "s" and _is_part(self.sample.numbers[part.text]):
            plus = ForeignColumn(column=part.text, unit="ns")
        self.columns["time"] = ForeignColumn(column=found.text, unit=unit, plus=plus)

    def _time_unit(self, text: str, numbers: Array) -> str:
        known = numbers[np.isfinite(numbers)]
        largest = float(np.abs(known).max()) if known.size else 0.0
        for unit, least in (("ns", 1e17), ("us", 1e14), ("ms", 1e11)):
            if largest >= least:
                return unit
        steps = np.diff(known)
        step = float(np.median(steps[steps > 0.0])) if np.any(steps > 0.0) else 0.0
        if largest < 1e8 and step >= 2.0 and np.all(known == np.round(known)):
            guess = f"taken as ms, since it grows by whole numbers such as {step:g}"
            self.remarks.append(
                f'column {text!r} has no unit: {guess}; if not, correct unit = "ms"'
            )
            return "ms"
        return "s"

    def add_pieces(self) -> None:
        for name, cores in (("piece", _PIECES), ("group", _GROUPS)):
            found = self.find(cores, texts=True)
            if found is None:
                continue
            cells = self.sample.texts[found.text]
            changes = sum(old != new for old, new in zip(cells, cells[1:], strict=False))
            is_split = name == "piece" and changes + 1 != len(set(cells))
            if "" in cells or changes >= 0.5 * len(cells) or is_split:
                self.remarks.append(
                    f"column {found.text!r} is not taken as {name}: it changes oddly"
                )
                continue
            self.columns[name] = ForeignColumn(column=found.text, unit="1")

    def add_motion(self) -> None:
        is_gps = self._add_position()
        self._add_yaw(is_gps=is_gps)
        speeds = [self.find([core.format(axis) for core in _SPEEDS]) for axis in "xy"]
        if None not in speeds:
            for axis, heading in zip("xy", speeds, strict=True):
                assert heading is not None
                self.columns[f"v{axis}"] = self._entry(heading, "m/s", "m/s")
            self.remarks.append("vx and vy are taken as forward and to the left of the body")
        rate = self.find(_RATES)
        if rate is not None:
            is_gyro = {"gyro", "gyr", "imu"} & set(rate.words) or None in speeds
            largest = _largest(self.sample.numbers[rate.text])
            guess = "deg/s" if largest > 20.0 else "rad/s"
            name = "gyro_yaw_rate" if is_gyro else "yaw_rate"
            self.columns[name] = self._entry(rate, "rad/s", guess)

    def _add_position(self) -> bool:
        """Add x, y and z; return whether they follow from, or are near, a compass."""
        found = {axis: self.find(cores) for axis, cores in _AXES.items()}
        x, y = found["x"], found["y"]
        if x is not None and y is not None:
            for axis, heading in found.items():
                if heading is not None and (not heading.unit or to_si(heading.unit)[0] == "m"):
                    self.columns[axis] = self._entry(heading, "m", "m", quiet=True)
            return x.core in ("east", "easting")
        fix = [self.find(cores) for cores in _GPS_AXES]
        if None in fix:
            return False
        latitude, longitude = (heading.text for heading in fix if heading is not None)
        for axis in "xy":
            self.columns[axis] = ForeignColumn(latitude=latitude, longitude=longitude)
        return True

    def _add_yaw(self, *, is_gps: bool) -> None:
        found = self.find(_YAWS)
        if found is not None:
            guess = "deg" if _largest(self.sample.numbers[found.text]) > 20.0 else "rad"
            entry = self._entry(found, "rad", guess)
            is_compass = found.core in ("compass", "azimuth") or (is_gps and found.core in _COMPASS)
            if is_compass:
                words = f"column {found.text!r} is taken as clockwise from north"
                self.remarks.append(f'{words}; if not, remove frame = "ned"')
                entry = replace(entry, frame="ned")
            self.columns["yaw"] = entry
            return
        parts = [self.find([core.format(axis) for core in _QUATERNIONS]) for axis in "xyzw"]
        if None not in parts:
            texts = tuple(heading.text for heading in parts if heading is not None)
            if are_attitudes([self.sample.numbers[text] for text in texts]):
                self.columns["yaw"] = ForeignColumn(quaternion=texts)
            else:
                self.remarks.append(f"columns {', '.join(texts)} are no quaternion: not of norm 1")

    def add_validity(self) -> None:
        found = self.find(_VALID)
        if found is None or not set(np.unique(self.sample.numbers[found.text])) <= {0.0, 1.0}:
            return
        for name in ("x", "y", "z", "yaw"):
            if name in self.columns:
                self.columns[name] = replace(self.columns[name], where=found.text)

    def _entry(
        self, heading: Heading, si: str, guess: str, *, quiet: bool = False
    ) -> ForeignColumn:
        """Return the entry of a column; a unit that it does not spell is guessed."""
        if heading.unit and to_si(heading.unit)[0] == si:
            return ForeignColumn(column=heading.text, unit=heading.unit)
        if not quiet:
            largest = f"its largest number is {_largest(self.sample.numbers[heading.text]):.3g}"
            taken = f"column {heading.text!r} has no unit: taken as {guess}, since {largest}"
            self.remarks.append(f'{taken}; if not, correct unit = "{guess}"')
        return ForeignColumn(column=heading.text, unit=guess)


def _largest(numbers: Array) -> float:
    known = np.abs(numbers[np.isfinite(numbers)])
    return float(known.max()) if known.size else 0.0


def _is_part(numbers: Array) -> bool:
    """Return whether numbers are nanoseconds within a second."""
    known = numbers[np.isfinite(numbers)]
    return bool(known.size and np.all((known >= 0.0) & (known < 1e9)))


def _format_entry(entry: ForeignColumn) -> str:
    return f"{{{', '.join(_format_keys(entry))}}}"


def _format_keys(entry: ForeignColumn) -> Iterator[str]:
    for key in ("column", "unit", "quaternion", "latitude", "longitude", "where"):
        value = getattr(entry, key)
        if value:
            words = list(value) if isinstance(value, tuple) else value
            yield f"{key} = {json.dumps(words, ensure_ascii=False)}"
    if entry.frame != "enu":
        yield f'frame = "{entry.frame}"'
    if entry.radius_m is not None:
        yield f"radius_m = {float(entry.radius_m)!r}"
    if entry.plus is not None:
        yield f"plus = {_format_entry(entry.plus)}"
