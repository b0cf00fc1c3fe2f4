"""CSV files of logs in grouser's own layout.

    # grouser log 1
    # rows = 2
    # provenance = {"robot": "tp100", ...}
    time [s],x [m]
    0.0,0.0
    0.1,0.012

The number of rows is in the header and every line ends with a newline, so that a truncated file is
detected.

During a run the number of rows is not known. The second line then is

    # rows = unknown

and the provenance has the status "unfinished". Such a file is read up to its last complete line.
Blanks may follow the number, `unknown` and the provenance, so that the writer can overwrite them
in place at the end of the run.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from grouser import limits
from grouser.errors import InvalidLog, InvalidValue
from grouser.log.content import AGAIN, check_names, make_log, open_log, shorten
from grouser.log.csv_rows import HEADER_LINES, name_row, read_rows
from grouser.log.log import Log
from grouser.log.provenance import Provenance

FORMAT = 1
"""Version of the layout."""

TITLE = "# grouser log "
"""Beginning of the first line."""
ROWS = "# rows = "
"""Beginning of the second line."""
UNKNOWN = "unknown"
"""In place of the number of rows, during a run."""
PROVENANCE = "# provenance = "
"""Beginning of the third line."""


def format_csv(log: Log) -> bytes:
    """Return the log as the content of a CSV file."""
    columns = [(name, log.unit(name)) for name in log.names]
    cells = (column.values.tolist() for column in log.columns.values())
    head = format_head(columns, str(len(log)), log.provenance.to_json())
    return head + format_rows(zip(*cells, strict=True))


def format_head(columns: Sequence[tuple[str, str]], rows: str, provenance: str) -> bytes:
    """Return the lines above the first row; blanks may follow number of rows and provenance."""
    headings = ",".join(f"{name} [{unit}]" for name, unit in columns)
    return f"{TITLE}{FORMAT}\n{ROWS}{rows}\n{PROVENANCE}{provenance}\n{headings}\n".encode()


def format_rows(rows: Iterable[Iterable[float]]) -> bytes:
    """Return lines of numbers, exact to the last bit."""
    return "".join(f"{','.join(map(repr, row))}\n" for row in rows).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvHead:
    """Header of a CSV log."""

    provenance: Provenance
    rows: int | None
    """Number of rows; None for an unfinished run."""
    names: list[str]
    units: list[str]


def is_own_csv(path: str | Path) -> bool:
    """Return whether a file begins like a CSV log of grouser; InvalidLog if it cannot be read."""
    with open_log(path) as file:
        return file.read(len(TITLE) + 3).removeprefix(b"\xef\xbb\xbf").startswith(TITLE.encode())


def parse_csv(file: BinaryIO, origin: str | Path) -> Log:
    """Return the log in an open CSV file."""
    head = parse_csv_head(file, origin)
    numbers = read_rows(file, head.names, head.rows, origin)
    cells = zip(head.names, numbers, head.units, strict=True)
    columns = {name: (values, unit) for name, values, unit in cells}
    del numbers  # `make_log` frees columns one by one
    return make_log(columns, head.provenance, origin, name_row)


def parse_csv_head(file: BinaryIO, origin: str | Path) -> CsvHead:
    """Return the header of an open file, and leave the file at the first row."""
    lines: list[str] = []
    while len(lines) < HEADER_LINES:
        lines.append(_read_line(file, len(lines) + 1, origin))
        if len(lines) == 1:
            _check_title(lines[0], origin)
    rows, provenance = _parse_notes(lines, origin)
    headings = [_parse_heading(cell, origin) for cell in lines[-1].split(",", limits.COLUMNS)]
    names = [name for name, _ in headings]
    check_names(names, origin)
    units = [unit for _, unit in headings]
    return CsvHead(provenance=provenance, rows=rows, names=names, units=units)


def _read_line(file: BinaryIO, number: int, origin: str | Path) -> str:
    """Return a line of the header, without its newline."""
    start = file.tell()
    line = file.readline(limits.HEADER_BYTES)
    if not start and not line:
        raise InvalidLog(origin, f"the file is empty; {AGAIN}")
    try:
        text = line.decode("utf-8-sig" if not start else "utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {start + error.start + 1} (line {number})"
        raise InvalidLog(origin, f"{place} is not text, so this is no CSV file; {AGAIN}") from error
    if number == 1 and not text.startswith(TITLE):
        return text  # `_check_title` raises
    if len(line) == limits.HEADER_BYTES and not text.endswith("\n"):
        problem = f"line {number} has more than {limits.HEADER_BYTES:,} bytes"
        raise InvalidLog(origin, f"{problem}, so this is no log of grouser; {AGAIN}")
    if not text.endswith("\n"):
        raise InvalidLog(origin, f"cut off in line {number}, above the first row; {AGAIN}")
    return text.removesuffix("\n").removesuffix("\r")


def _check_title(line: str, origin: str | Path) -> None:
    if not line.startswith(TITLE):
        problem = (
            f"not a log written by grouser (it begins with {shorten(line.rstrip())!r}); read a "
            "file of another program with a column map that says which of its columns is which"
        )
        raise InvalidLog(origin, problem)
    version = line.removeprefix(TITLE)
    if version != str(FORMAT):
        problem = f"written in format {shorten(version)!r}, but this version of grouser reads"
        raise InvalidLog(origin, f"{problem} {FORMAT}; install a newer grouser")


def _parse_notes(lines: list[str], origin: str | Path) -> tuple[int | None, Provenance]:
    for number, start in ((2, ROWS), (3, PROVENANCE)):
        if not lines[number - 1].startswith(start):
            found = shorten(lines[number - 1])
            problem = f"line {number} must begin with {start!r}, not {found!r}; {AGAIN}"
            raise InvalidLog(origin, problem)
    rows = lines[1].removeprefix(ROWS).rstrip(" ")
    if rows != UNKNOWN and not re.fullmatch("[0-9]{1,15}", rows):
        raise InvalidLog(origin, f"line 2 must count the rows, not {shorten(rows)!r}; {AGAIN}")
    try:
        provenance = Provenance.from_json(lines[2].removeprefix(PROVENANCE))
    except InvalidValue as error:
        raise InvalidLog(origin, f"line 3: {error}; {AGAIN}") from error
    if rows == UNKNOWN:
        return None, replace(provenance, status="unfinished")
    return int(rows), provenance


def _parse_heading(cell: str, origin: str | Path) -> tuple[str, str]:
    name, found, unit = cell.removesuffix("]").rpartition(" [")
    if not (cell.endswith("]") and name and found and unit):
        problem = f"line {HEADER_LINES}: {shorten(cell)!r} must be a name and a unit like 'x [m]'"
        raise InvalidLog(origin, problem)
    return name, unit
