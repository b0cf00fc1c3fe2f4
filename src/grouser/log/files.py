"""Logs in files. The suffix chooses the format: `.csv`, `.parquet` or `.mcap`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from grouser.errors import InvalidValue
from grouser.log.csv_file import format_csv
from grouser.log.log import Log
from grouser.log.mcap import parse_mcap, write_mcap
from grouser.log.parquet_file import parse_parquet, write_parquet
from grouser.log.read_content import check_content, open_log
from grouser.log.read_csv import parse_csv
from grouser.log.spool import Spool
from grouser.storage import replace_file

_WRITERS: dict[str, Callable[[Log, Path], None]] = {
    ".csv": lambda log, path: _write(path, format_csv(log)),
    ".parquet": lambda log, path: write_parquet([log], path),
    ".mcap": lambda log, path: write_mcap([log], path),
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

    Another regular file of this name is replaced; a symbolic link is not followed.

    Raises:
        InvalidValue: The name does not end in .csv, .parquet or .mcap.
        Unwritable: The place is not writable, or there is something else than a file.
        MissingExtra: The package that writes Parquet or MCAP is not installed.
    """
    write = _WRITERS[_suffix(path)]
    replace_file(path, lambda temporary: write(log, temporary))


def write_spool(spool: Spool, path: Path) -> None:
    """Write the log of a spool to a file that does not exist, block by block.

    Raises:
        OSError: There is no room, or no such place.
        InvalidValue: The name does not end in .csv, .parquet or .mcap.
        MissingExtra: The package that writes Parquet or MCAP is not installed.
    """
    match _suffix(path):
        case ".parquet":
            write_parquet(spool.blocks(), path)
        case ".mcap":
            write_mcap(spool.blocks(), path)
        case _:
            spool.write_csv(path)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)


def _suffix(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InvalidValue("name of a log file", str(path), "end in .csv, .parquet or .mcap")
    return suffix
