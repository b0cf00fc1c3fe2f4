"""What a log file says about itself, without reading all of it."""

import os
from dataclasses import dataclass
from pathlib import Path

from grouser.errors import InvalidLog, InvalidValue
from grouser.log.csv_file import HEADER_LINES, parse_csv_head
from grouser.log.mcap import read_mcap_head
from grouser.log.parquet_file import read_parquet_head
from grouser.log.provenance import Provenance

_LAST = 4096  # bytes in which the last line of a CSV file begins
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
    match Path(path).suffix.lower():
        case ".parquet":
            provenance, rows, duration = read_parquet_head(path)
        case ".mcap":
            provenance, rows, duration = read_mcap_head(path)
        case ".csv":
            provenance, rows, duration = _read_csv_head(path)
        case _:
            raise InvalidValue("name of a log file", str(path), "end in .csv, .parquet or .mcap")
    return LogHead(provenance=provenance, rows=rows, duration=duration)


def _read_csv_head(path: str | Path) -> tuple[Provenance, int, float | None]:
    try:
        with Path(path).open("rb") as file:
            lines = [file.readline() for _ in range(HEADER_LINES + 1)]
            provenance, rows, names = parse_csv_head(b"".join(lines[:-1]), path)
            if rows is None:
                file.seek(0)
                rows = max(sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
                           - HEADER_LINES, 0)  # fmt: skip
            file.seek(max(file.seek(0, os.SEEK_END) - _LAST, 0))
            last = file.read().split(b"\n")[-2:-1]  # a line that is cut off is left out
    except OSError as error:
        raise InvalidLog(path, f"cannot be read ({error.strerror})") from error
    try:
        place = names.index("time")
        first, end = (float(line.split(b",")[place]) for line in (lines[-1], *last))
    except (ValueError, IndexError):
        return provenance, rows, None
    return provenance, rows, end - first
