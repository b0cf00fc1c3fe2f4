"""A log as CSV: readable by people and by every spreadsheet, exact to the last bit.

    # grouser log 1
    # rows = 2
    # provenance = {"robot": "tp100", ...}
    time [s],x [m]
    0.0,0.0
    0.1,0.012

The number of rows stands at the top and every line ends with a newline, so a file that was
cut off anywhere is noticed.

While a run goes on, nobody knows the number of rows yet. The second line then is

    # rows = unknown

and the provenance has the status "unfinished". Such a file is read up to its last whole line; a
line that was cut off is left out. Blanks may follow the number, `unknown` and the provenance, so
that a writer that leaves room can write the final words over the first ones.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from grouser.errors import InvalidLog, InvalidValue
from grouser.log.column import Column
from grouser.log.log import Log
from grouser.log.provenance import Provenance

FORMAT = 1
"""Version of the layout."""
HEADER_LINES = 4
"""Lines above the first row."""
UNKNOWN = "unknown"
"""Number of rows of a file that is not finished."""

_TITLE = "# grouser log "
_ROWS = "# rows = "
_PROVENANCE = "# provenance = "
_AGAIN = "copy the file again, or repeat the run"


def format_csv(log: Log) -> bytes:
    """Return the log as the content of a CSV file."""
    columns = [(name, log.unit(name)) for name in log.names]
    cells = (column.values.tolist() for column in log.columns.values())
    head = format_head(columns, str(len(log)), log.provenance.to_json())
    return head + format_rows(zip(*cells, strict=True))


def format_head(columns: Sequence[tuple[str, str]], rows: str, provenance: str) -> bytes:
    """Return the lines above the first row.

    Args:
        columns: Name and unit of each.
        rows: How many there are, or `UNKNOWN`; blanks may follow.
        provenance: As JSON; blanks may follow.
    """
    headings = ",".join(f"{name} [{unit}]" for name, unit in columns)
    return f"{_TITLE}{FORMAT}\n{_ROWS}{rows}\n{_PROVENANCE}{provenance}\n{headings}\n".encode()


def format_rows(rows: Iterable[Iterable[float]]) -> bytes:
    """Return lines of numbers, exact to the last bit."""
    return "".join(f"{','.join(map(repr, row))}\n" for row in rows).encode()


def parse_csv(content: bytes, origin: str | Path) -> Log:
    """Return the log that a CSV file holds.

    Args:
        content: The bytes of the file.
        origin: Where they come from, for messages.

    Raises:
        InvalidLog: The file is cut off, damaged, or was not written by grouser.
    """
    lines = _lines(content, origin)
    provenance, rows, headings = _parse_head(lines, origin)
    names = [name for name, _ in headings]
    last = lines.pop()
    if rows is not None and last:
        raise InvalidLog(origin, f"cut off in line {len(lines) + 1}, which has no end; {_AGAIN}")
    cells = _split_rows(lines[HEADER_LINES:], rows, names, origin)
    try:
        columns = {
            name: Column(np.array(_parse_cells(name, cells[i], origin)), unit)
            for i, (name, unit) in enumerate(headings)
        }
        return Log(columns, provenance)
    except InvalidValue as error:
        raise InvalidLog(origin, str(error)) from error


def parse_csv_head(content: bytes, origin: str | Path) -> tuple[Provenance, int | None, list[str]]:
    """Return where a log comes from, how many rows it has, and the names of its columns.

    The number of rows of a file that is not finished is None.

    Args:
        content: The lines above the first row.
        origin: Where they come from, for messages.

    Raises:
        InvalidLog: They are damaged, or were not written by grouser.
    """
    provenance, rows, headings = _parse_head(_lines(content, origin), origin)
    return provenance, rows, [name for name, _ in headings]


def _parse_head(
    lines: list[str], origin: str | Path
) -> tuple[Provenance, int | None, list[tuple[str, str]]]:
    rows, provenance = _parse_title(lines, origin)
    headings = [_parse_heading(cell, origin) for cell in lines[HEADER_LINES - 1].split(",")]
    names = [name for name, _ in headings]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise InvalidLog(origin, f"column {min(repeated)!r} appears more than once; rename one")
    return provenance, rows, headings


def _lines(content: bytes, origin: str | Path) -> list[str]:
    if not content:
        raise InvalidLog(origin, f"the file is empty; {_AGAIN}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is not text, so this is no CSV file; {_AGAIN}"
        raise InvalidLog(origin, problem) from error
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[0].startswith(_TITLE):
        problem = (
            f"not a log written by grouser (it begins with {_shorten(lines[0])!r}); read a file "
            "of another program with a column map that says which of its columns is which"
        )
        raise InvalidLog(origin, problem)
    return lines


def _parse_title(lines: list[str], origin: str | Path) -> tuple[int | None, Provenance]:
    version = lines[0].removeprefix(_TITLE)
    if version != str(FORMAT):
        problem = f"written in format {version!r}, but this version of grouser reads {FORMAT}"
        raise InvalidLog(origin, f"{problem}; install a newer grouser")
    if len(lines) <= HEADER_LINES:
        raise InvalidLog(origin, f"cut off in line {len(lines)}, above the first row; {_AGAIN}")
    for number, start in ((2, _ROWS), (3, _PROVENANCE)):
        if not lines[number - 1].startswith(start):
            found = _shorten(lines[number - 1])
            problem = f"line {number} must begin with {start!r}, not {found!r}; {_AGAIN}"
            raise InvalidLog(origin, problem)
    rows = lines[1].removeprefix(_ROWS).rstrip(" ")
    if rows != UNKNOWN and not re.fullmatch("[0-9]{1,15}", rows):
        raise InvalidLog(origin, f"line 2 must count the rows, not {_shorten(rows)!r}; {_AGAIN}")
    try:
        provenance = Provenance.from_json(lines[2].removeprefix(_PROVENANCE))
        if rows == UNKNOWN:
            return None, replace(provenance, status="unfinished")
        return int(rows), provenance
    except InvalidValue as error:
        raise InvalidLog(origin, f"line 3: {error}; {_AGAIN}") from error


def _parse_heading(cell: str, origin: str | Path) -> tuple[str, str]:
    match = re.fullmatch(r"(.+) \[(.+)\]", cell)
    if match is None:
        problem = f"line {HEADER_LINES}: {_shorten(cell)!r} must be a name and a unit like 'x [m]'"
        raise InvalidLog(origin, problem)
    return match[1], match[2]


def _split_rows(
    lines: list[str], rows: int | None, names: list[str], origin: str | Path
) -> list[tuple[str, ...]]:
    """Return the cells of each column."""
    if rows is not None and len(lines) != rows:
        problem = f"line 2 says {rows} rows, but {len(lines)} are there; {_AGAIN}"
        raise InvalidLog(origin, problem)
    table = [line.split(",") for line in lines]
    for i, row in enumerate(table):
        if len(row) != len(names):
            place = f"row {i + 1} (line {i + 1 + HEADER_LINES})"
            problem = f"{place} has {len(row)} of {len(names)} cells; {_AGAIN}"
            raise InvalidLog(origin, problem)
    return list(zip(*table, strict=True)) if table else [()] * len(names)


def _parse_cells(name: str, cells: Sequence[str], origin: str | Path) -> list[float] | list[int]:
    parse: Callable[[str], float] = int if name == "tick" else float
    try:
        return [parse(cell) for cell in cells]
    except ValueError:
        _refuse_cell(name, cells, parse, origin)


def _refuse_cell(
    name: str, cells: Sequence[str], parse: Callable[[str], float], origin: str | Path
) -> NoReturn:
    for i, cell in enumerate(cells):
        try:
            parse(cell)
        except ValueError as error:
            kind = "a whole number" if parse is int else "a number"
            place = f"row {i + 1} (line {i + 1 + HEADER_LINES}), column {name!r}"
            problem = f"{place}: {_shorten(cell)!r} is not {kind}; correct it, or {_AGAIN}"
            raise InvalidLog(origin, problem) from error
    raise AssertionError("called for cells that are all numbers")


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
