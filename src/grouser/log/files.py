"""Logs in files. The suffix chooses the format: `.csv`, `.parquet` or `.mcap`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from grouser.errors import InvalidValue
from grouser.log.csv_file import format_csv
from grouser.log.log import Log
from grouser.log.mcap import format_mcap, parse_mcap
from grouser.log.parquet_file import format_parquet, parse_parquet
from grouser.log.read_content import check_content, open_log
from grouser.log.read_csv import parse_csv
from grouser.storage import write_atomically

_FORMATTERS: dict[str, Callable[[Log], bytes]] = {
    ".csv": format_csv,
    ".parquet": format_parquet,
    ".mcap": format_mcap,
}
_PARSERS: dict[str, Callable[[BinaryIO, str | Path], Log]] = {
    ".csv": parse_csv,
    ".parquet": parse_parquet,
    ".mcap": parse_mcap,
}


def read_log(path: str | Path, *, needs: Sequence[str] = (), rows: int = 0) -> Log:
    """Return the log that a file holds.

    Args:
        path: The file.
        needs: Columns that must be there.
        rows: How many rows there must be at least.

    Raises:
        InvalidValue: The name does not end in .csv, .parquet or .mcap.
        InvalidLog: There is no such file, it is cut off or damaged; a table was not written by
            grouser; a bag of another program has no messages that tell what is what; a column
            or a row that is needed is missing.
        MissingExtra: The package that reads Parquet or MCAP is not installed.
    """
    parse = _PARSERS[_suffix(path)]
    with open_log(path) as file:
        log = parse(file, path)
    check_content(log, path, needs, rows)
    return log


def write_log(log: Log, path: str | Path) -> None:
    """Write a log to a file, whole or not at all; an old file stays until the new one is whole.

    Raises:
        InvalidValue: The name does not end in .csv, .parquet or .mcap, or the place is not
            writable.
        MissingExtra: The package that writes Parquet or MCAP is not installed.
    """
    format_log = _FORMATTERS[_suffix(path)]
    write_atomically(path, format_log(log))


def _suffix(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATTERS:
        raise InvalidValue("name of a log file", str(path), "end in .csv, .parquet or .mcap")
    return suffix
