"""What a log file says about itself, without reading all of it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from grouser import limits
from grouser.errors import InvalidValue
from grouser.log.mcap import parse_mcap_head
from grouser.log.parquet_file import parse_parquet_head
from grouser.log.provenance import Provenance
from grouser.log.read_content import open_log, parse_number
from grouser.log.read_csv import parse_csv_head

_LAST = limits.LINE_BYTES  # bytes in which the last line of a CSV file begins
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """Where a log comes from and how long it is."""

    provenance: Provenance
    """Where it comes from."""
    rows: int
    """How many rows it has."""
    duration: float | None
    """Time from the first row to the last; None if the file does not tell [s]."""


def read_head(path: str | Path) -> LogHead:
    """Return what a log file says about itself; reads a few kilobytes.

    A file that is damaged further down is not noticed here, but by `read_log`.

    Raises:
        InvalidValue: The name does not end in .csv, .parquet or .mcap.
        InvalidLog: There is no such file, or it was not written by grouser.
        MissingExtra: The package that reads Parquet or MCAP is not installed.
    """
    parse = _PARSERS.get(Path(path).suffix.lower())
    if parse is None:
        raise InvalidValue("name of a log file", str(path), "end in .csv, .parquet or .mcap")
    with open_log(path) as file:
        provenance, rows, duration = parse(file, path)
    known = duration is not None and 0.0 <= duration <= limits.DURATION
    return LogHead(provenance=provenance, rows=rows, duration=duration if known else None)


def _parse_csv_head(file: BinaryIO, origin: str | Path) -> tuple[Provenance, int, float | None]:
    head = parse_csv_head(file, origin)
    start = file.tell()
    first = file.readline(limits.LINE_BYTES)
    rows = head.rows if head.rows is not None else _count_lines(file, start)
    file.seek(max(file.seek(0, os.SEEK_END) - _LAST, start))
    # A line that is cut off is left out.
    last = file.read(_LAST).rpartition(b"\n")[0].rpartition(b"\n")[2]
    try:
        place = head.names.index("time")
        begin, end = (parse_number(line.decode().split(",")[place]) for line in (first, last))
    except (ValueError, IndexError):
        return head.provenance, rows, None
    return head.provenance, rows, end - begin


def _count_lines(file: BinaryIO, start: int) -> int:
    file.seek(start)
    return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))


_PARSERS: dict[str, Callable[[BinaryIO, str | Path], tuple[Provenance, int, float | None]]] = {
    ".csv": _parse_csv_head,
    ".parquet": parse_parquet_head,
    ".mcap": parse_mcap_head,
}
