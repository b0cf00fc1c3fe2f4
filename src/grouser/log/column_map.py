"""Column map: which column of a foreign table becomes which column of a log.

Example of a TOML file, for a camera that measures in centimetres and degrees, with y to the right:

    [columns]
    time = {column = "t", unit = "ms"}
    x = {column = "X (cm)", unit = "cm"}
    y = {column = "Y (cm)", unit = "cm", sign = -1}
    yaw = {column = "heading", unit = "deg", sign = -1, offset = 90}
    belt_speed.left = {column = "vl", unit = "cm/s"}

Two more keys may precede the table: `headings = ["t", "X (cm)"]` for a file without a line of
headings, and `steady = true` for a table of steady states, which has no time. `scale` is a factor
beyond the unit, such as a wheel radius that turns angular speed into speed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import GrouserError, InvalidDescription, InvalidValue
from grouser.log.log import conventional_unit, is_column_name
from grouser.toml import read_toml
from grouser.units import to_si

_QUANTITIES = {
    "1": "a plain number",
    "m": "a length",
    "s": "a time",
    "m/s": "a speed",
    "rad": "an angle",
    "rad/s": "an angular speed",
    "V": "a voltage",
}
_KEYS = ("column", "unit", "sign", "offset", "scale")
MIN_SCALE, MAX_SCALE = 1e-15, 1e20
"""Range of a scale; an offset may be as large, for times in ns since 1970 [1]."""
_HEADING = f"a text of 1 to {limits.NAME_LENGTH} characters"


def _is_heading(word: str) -> bool:
    return bool(word.strip()) and len(word) <= limits.NAME_LENGTH and word.isprintable()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignColumn:
    """A column of a foreign table, and its conversion to a column of a log.

    ours = (sign * scale * foreign + offset) * factor, where the unit gives the factor
    """

    column: str
    """Heading in the foreign table; for a bag, topic and field: /odom.pose.pose.position.x."""
    unit: str
    """Unit of the foreign column, one of `grouser.units.FACTOR_TO_SI`."""
    sign: int = 1
    """-1 if its positive direction is opposite to ours, else 1."""
    offset: float = 0.0
    """Added after sign and scale [`unit`]."""
    scale: float = 1.0
    """Factor from the foreign number to `unit`, for example the radius [m] of a wheel whose speed
    is in rad/s [`unit` per foreign unit]."""

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not _is_heading(self.column):
            raise InvalidValue("column", self.column, f"be a heading of the table: {_HEADING}")
        if not isinstance(self.unit, str):
            raise InvalidValue("unit", self.unit, 'be a text such as "cm"')
        to_si(self.unit)
        if isinstance(self.sign, bool) or self.sign not in (1, -1):
            raise InvalidValue("sign", self.sign, "be 1 or -1")
        for name, value, least in (("offset", self.offset, 0.0), ("scale", self.scale, MIN_SCALE)):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not least <= abs(value) <= MAX_SCALE:
                required = f"be a finite number of {least:g} to {MAX_SCALE:g} in size"
                raise InvalidValue(name, value, required)

    def convert(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return foreign numbers in the SI unit of the log."""
        with np.errstate(over="ignore", invalid="ignore"):
            return (self.sign * self.scale * numbers + self.offset) * to_si(self.unit)[1]


ColumnMap: TypeAlias = Mapping[str, ForeignColumn | Mapping[str, Any]]
"""The foreign column of each column of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShape:
    """Properties of the table in a column map."""

    headings: tuple[str, ...] = ()
    """Headings of a file without a line of headings; empty if it has one."""
    steady: bool = False
    """Whether the rows are steady states, without time."""


def read_column_map(path: str | Path) -> dict[str, ForeignColumn]:
    """Return the column map of a TOML file; InvalidDescription lists all its errors."""
    content, shape = _read_file(path)
    return parse_column_map(dict(_flatten(content)), path, steady=shape.steady)


def read_table_shape(path: str | Path) -> TableShape:
    """Return the properties of the table in a column map, a TOML file."""
    return _read_file(path)[1]


def _read_file(path: str | Path) -> tuple[dict[str, Any], TableShape]:
    content = read_toml(path)
    columns = content.pop("columns", None)
    headings, steady = content.pop("headings", []), content.pop("steady", False)
    mistakes = []
    if not isinstance(columns, dict) or content:
        found = ", ".join(content) or ("nothing" if columns is None else "other columns")
        mistakes.append(f"must have one table [columns] and nothing else; it has {found}")
    if not isinstance(headings, list) or not all(isinstance(h, str) for h in headings):
        mistakes.append(f'headings must be a list such as ["t", "X (cm)"], not {headings!r}')
    else:
        mistakes += _mistaken_headings(headings)
    if not isinstance(steady, bool):
        mistakes.append(f"steady must be true or false, not {steady!r}")
    if mistakes:
        raise InvalidDescription(path, mistakes)
    return columns or {}, TableShape(headings=tuple(headings), steady=steady)


def parse_column_map(
    columns: ColumnMap, origin: str | Path, *, steady: bool = False
) -> dict[str, ForeignColumn]:
    """Return the column map with every entry checked; InvalidDescription lists all errors."""
    parsed: dict[str, ForeignColumn] = {}
    mistakes: list[str] = []
    for name, entry in columns.items():
        try:
            parsed[name] = entry if isinstance(entry, ForeignColumn) else _parse_entry(entry)
        except GrouserError as error:
            mistakes.append(f"{name}: {error}")
    allowed = f"letters, digits and . / - _ in at most {limits.NAME_LENGTH} characters"
    wrong = [name for name in columns if not is_column_name(name)]
    mistakes += [f"{name!r} must be a name of a column: {allowed}" for name in wrong]
    for name, column in parsed.items():
        ours, theirs = conventional_unit(name), to_si(column.unit)[0]
        if ours is not None and ours != theirs:
            becomes = f"{column.unit!r} becomes {theirs}"
            mistakes.append(f"{name} is {_QUANTITIES[ours]} in {ours}; {becomes}")
    if "time" not in columns and not steady:
        mistakes.append('time: is missing; add a line such as time = {column = "t", unit = "s"}')
    if mistakes:
        raise InvalidDescription(origin, mistakes)
    return parsed


def _flatten(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield entries by dotted name: TOML reads `belt_speed.left` as nested tables."""
    for key, value in table.items():
        inner = isinstance(value, dict) and all(isinstance(v, dict) for v in value.values())
        if inner and value:
            yield from _flatten(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _mistaken_headings(headings: list[str]) -> Iterator[str]:
    if len(headings) > limits.COLUMNS:
        yield f"headings must be at most {limits.COLUMNS:,}, not {len(headings):,}"
    for heading in headings:
        if not _is_heading(heading):
            yield f"headings must be {_HEADING} each, not {heading!r}"
    for heading, count in Counter(headings).items():
        if count > 1:
            yield f"headings must differ; {heading!r} is there {count} times"


def _parse_entry(entry: object) -> ForeignColumn:
    example = '{column = "X (cm)", unit = "cm"}'
    if not isinstance(entry, Mapping):
        raise InvalidValue("entry", entry, f"look like {example}")
    if unknown := set(entry) - set(_KEYS):
        raise InvalidValue("entry", min(unknown), f"have only the keys {', '.join(_KEYS)}")
    if missing := {"column", "unit"} - set(entry):
        raise InvalidValue("entry", dict(entry), f"have the key {min(missing)}, like {example}")
    return ForeignColumn(**entry)
