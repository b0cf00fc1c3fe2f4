"""Column map: which columns of a foreign table become which column of a log.

Example of a TOML file, for a camera that measures in centimetres and degrees, with y to the right:

    [columns]
    time = {column = "t", unit = "ms"}
    x = {column = "X (cm)", unit = "cm"}
    y = {column = "Y (cm)", unit = "cm", sign = -1}
    yaw = {column = "heading", unit = "deg", sign = -1, offset = 90}
    belt_speed.left = {column = "vl", unit = "cm/s"}

Two more keys may precede the table: `headings = ["t", "X (cm)"]` for a file without a line of
headings, and `steady = true` for a table of steady states, which has no time. `scale` is a factor
beyond the unit. A column with `file = "right.csv"` is in another file, whose time is in the table
`[files."right.csv"]`. All keys of an entry are in `grouser.log.foreign_column`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from grouser import limits
from grouser.errors import GrouserError, InvalidDescription
from grouser.log.foreign_column import (
    HEADING,
    NED_SIGNS,
    ForeignColumn,
    is_heading,
    parse_entry,
)
from grouser.log.log import conventional_unit, is_column_name
from grouser.toml import read_toml

_QUANTITIES = {
    "1": "a plain number",
    "m": "a length",
    "s": "a time",
    "m/s": "a speed",
    "rad": "an angle",
    "rad/s": "an angular speed",
    "V": "a voltage",
}
NUMBERED = ("piece", "group")
"""Columns whose cells may be texts, which are numbered."""
_FILE_KEYS = ("time", "piece", "headings")

ColumnMap: TypeAlias = Mapping[str, ForeignColumn | Mapping[str, Any]]
"""The foreign column of each column of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherFile:
    """Another file with columns of the same log."""

    time: ForeignColumn
    """Its column of time, by the same clock."""
    piece: ForeignColumn | None = None
    """Its column that names the piece; None if it has none."""
    headings: tuple[str, ...] = ()
    """Headings of a file without a line of headings; empty if it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShape:
    """Properties of the table in a column map."""

    headings: tuple[str, ...] = ()
    """Headings of a file without a line of headings; empty if it has one."""
    steady: bool = False
    """Whether the rows are steady states, without time."""
    files: Mapping[str, OtherFile] = field(default_factory=dict)
    """Other files with columns of the log, by name."""


PLAIN = TableShape()
"""A table with headings and time, in one file."""


def read_column_map(path: str | Path) -> dict[str, ForeignColumn]:
    """Return the column map of a TOML file; InvalidDescription lists all its errors."""
    content, shape = _read_file(path)
    return parse_column_map(dict(_flatten(content)), path, shape)


def read_table_shape(path: str | Path) -> TableShape:
    """Return the properties of the table in a column map, a TOML file."""
    return _read_file(path)[1]


def _read_file(path: str | Path) -> tuple[dict[str, Any], TableShape]:
    content = read_toml(path)
    columns = content.pop("columns", None)
    headings, steady = content.pop("headings", []), content.pop("steady", False)
    files = content.pop("files", {})
    mistakes = []
    if not isinstance(columns, dict) or content:
        found = ", ".join(content) or ("nothing" if columns is None else "other columns")
        mistakes.append(f"must have one table [columns] and nothing else; it has {found}")
    mistakes += _mistaken_headings(headings)
    if not isinstance(steady, bool):
        mistakes.append(f"steady must be true or false, not {steady!r}")
    others = _parse_files(files, mistakes)
    if mistakes:
        raise InvalidDescription(path, mistakes)
    return columns or {}, TableShape(headings=tuple(headings), steady=steady, files=others)


def _parse_files(files: object, mistakes: list[str]) -> dict[str, OtherFile]:
    example = '[files."right.csv"] with time = {column = "t", unit = "s"}'
    if not isinstance(files, dict) or not all(isinstance(f, dict) for f in files.values()):
        mistakes.append(f"files must be tables such as {example}")
        return {}
    parsed: dict[str, OtherFile] = {}
    for name, content in files.items():
        if "time" not in content or set(content) - set(_FILE_KEYS):
            found = ", ".join(content) or "nothing"
            mistakes.append(f"files.{name!r} must be like {example}; it has {found}")
            continue
        wrong = list(_mistaken_headings(content.get("headings", [])))
        entries: dict[str, ForeignColumn] = {}
        for key in ("time", "piece"):
            try:
                if key in content:
                    entries[key] = parse_entry(content[key])
                    wrong += _mistaken_entry(key, entries[key])
            except GrouserError as error:
                wrong.append(f"{key}: {error}")
        mistakes += [f"files.{name!r}: {mistake}" for mistake in wrong]
        if not wrong:
            parsed[name] = OtherFile(
                time=entries["time"],
                piece=entries.get("piece"),
                headings=tuple(content.get("headings", [])),
            )
    return parsed


def parse_column_map(
    columns: ColumnMap, origin: str | Path, shape: TableShape = PLAIN
) -> dict[str, ForeignColumn]:
    """Return the column map with every entry checked; InvalidDescription lists all errors."""
    parsed: dict[str, ForeignColumn] = {}
    mistakes: list[str] = []
    for name, entry in columns.items():
        try:
            parsed[name] = entry if isinstance(entry, ForeignColumn) else parse_entry(entry)
        except GrouserError as error:
            mistakes.append(f"{name}: {error}")
    allowed = f"letters, digits and . / - _ in at most {limits.NAME_LENGTH} characters"
    wrong = [name for name in columns if not is_column_name(name)]
    mistakes += [f"{name!r} must be a name of a column: {allowed}" for name in wrong]
    for name, column in parsed.items():
        mistakes += _mistaken_entry(name, column)
        if column.file and column.file not in shape.files:
            key = f'[files."{column.file}"]'
            mistakes.append(f"{name}: file needs a table {key} with the time of that file")
    if len({parsed[name].frame for name in ("x", "y") if name in parsed}) > 1:
        mistakes.append('x and y must have the same frame; write frame = "ned" in both or in none')
    if any(parsed[n].frame == "ned" for n in ("x", "y") if n in parsed) and not (
        {"x", "y"} <= set(parsed)
    ):
        mistakes.append('frame = "ned" swaps x and y, so both are needed')
    if "time" not in columns and any(column.file for column in parsed.values()):
        mistakes.append("columns of another file need time, which joins the rows")
    if "time" not in columns and not shape.steady:
        mistakes.append('time: is missing; add a line such as time = {column = "t", unit = "s"}')
    if mistakes:
        raise InvalidDescription(origin, mistakes)
    return parsed


def _mistaken_entry(name: str, column: ForeignColumn) -> Iterator[str]:
    """Yield what is wrong with an entry for the column that it is for, in words."""
    ours, theirs = conventional_unit(name), column.si_unit
    if ours is not None and ours != theirs:
        becomes = f"{column.unit!r} becomes {theirs}"
        hint = ""
        if ours == "m/s" and theirs == "m":
            hint = f"; call it encoder.{name.partition('.')[2]}, which is derived"
        elif ours == "m/s" and theirs == "rad/s":
            hint = "; add radius_m, or call it wheel_speed"
        yield f"{name} is {_QUANTITIES[ours]} in {ours}; {becomes}{hint}"
    if column.quaternion and name not in ("roll", "pitch", "yaw"):
        yield f"{name}: a quaternion gives roll, pitch and yaw"
    if column.latitude and name not in ("x", "y"):
        yield f"{name}: latitude and longitude give x and y"
    if column.frame != "enu" and name not in NED_SIGNS:
        yield f"{name}: frame applies only to {', '.join(NED_SIGNS)}"
    if column.plus is not None and name != "time":
        yield f"{name}: plus is for time only"
    if name in ("time", *NUMBERED) and (column.file or column.where):
        yield f"{name}: file and where cannot be given for {name}"


def _flatten(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield entries by dotted name: TOML reads `belt_speed.left` as nested tables."""
    for key, value in table.items():
        inner = isinstance(value, dict) and all(isinstance(v, dict) for v in value.values())
        if inner and value:
            yield from _flatten(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _mistaken_headings(headings: object) -> Iterator[str]:
    if not isinstance(headings, list) or not all(isinstance(h, str) for h in headings):
        yield f'headings must be a list such as ["t", "X (cm)"], not {headings!r}'
        return
    if len(headings) > limits.COLUMNS:
        yield f"headings must be at most {limits.COLUMNS:,}, not {len(headings):,}"
    for heading in headings:
        if not is_heading(heading):
            yield f"headings must be {HEADING} each, not {heading!r}"
    for heading, count in Counter(headings).items():
        if count > 1:
            yield f"headings must differ; {heading!r} is there {count} times"
