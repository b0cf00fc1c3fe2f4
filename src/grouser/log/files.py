"""Logs in files. The suffix chooses the format: `.csv` or `.parquet`."""

from collections.abc import Callable
from pathlib import Path

from grouser.errors import InvalidValue
from grouser.log.csv_file import format_csv, parse_csv
from grouser.log.log import Log
from grouser.log.parquet_file import format_parquet, parse_parquet
from grouser.log.read_content import read_content
from grouser.log.write_atomically import write_atomically

_FORMATTERS: dict[str, Callable[[Log], bytes]] = {".csv": format_csv, ".parquet": format_parquet}
_PARSERS: dict[str, Callable[[bytes, str | Path], Log]] = {
    ".csv": parse_csv,
    ".parquet": parse_parquet,
}


def read_log(path: str | Path) -> Log:
    """Return the log that a file holds.

    Raises:
        InvalidValue: The name does not end in .csv or .parquet.
        InvalidLog: There is no such file, it is cut off, damaged or not written by grouser.
        MissingExtra: The file is Parquet and pyarrow is not installed.
    """
    parse = _PARSERS[_suffix(path)]
    return parse(read_content(path), path)


def write_log(log: Log, path: str | Path) -> None:
    """Write a log to a file, whole or not at all; an old file stays until the new one is whole.

    Raises:
        InvalidValue: The name does not end in .csv or .parquet, or the place is not writable.
        MissingExtra: The file is Parquet and pyarrow is not installed.
    """
    format_log = _FORMATTERS[_suffix(path)]
    write_atomically(path, format_log(log))


def _suffix(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _PARSERS:
        raise InvalidValue("name of a log file", str(path), "end in .csv or .parquet")
    return suffix
