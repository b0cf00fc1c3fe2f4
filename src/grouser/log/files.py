"""Log files: read and write by suffix, read only the header, make file names."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from grouser.errors import InvalidValue
from grouser.log.content import check_content, open_log
from grouser.log.csv_file import format_csv, parse_csv
from grouser.log.log import Log
from grouser.log.mcap import is_rosbag, parse_mcap, read_rosbag, write_mcap
from grouser.log.parquet_file import parse_parquet, write_parquet
from grouser.log.spool import Spool
from grouser.storage import replace_file

_PARSERS: dict[str, Callable[[BinaryIO, str | Path], Log]] = {
    ".csv": parse_csv,
    ".parquet": parse_parquet,
    ".mcap": parse_mcap,
}


def read_log(path: str | Path, *, needs: Sequence[str] = (), rows: int = 0) -> Log:
    """Return the log in a .csv, .parquet or .mcap file, or in a bag of ROS.

    A bag is a folder of ros2 bag, a .db3 file, or a .bag file of ROS 1. InvalidLog if it is missing
    or damaged, lacks a needed column or row, or was not written by grouser; a bag of another
    program may need a column map. MissingExtra if the package that reads it is not installed.
    """
    if is_rosbag(path):
        log = read_rosbag(path)
    else:
        parse = _PARSERS[_suffix(path)]
        with open_log(path) as file:
            log = parse(file, path)
    check_content(log, path, needs, rows)
    return log


def write_log(log: Log, path: str | Path) -> None:
    """Write a log to a file atomically.

    An existing regular file of this name is replaced; a symbolic link is not followed. Unwritable
    if the folder is not writable, or the path is not a regular file.
    """
    suffix = _suffix(path)
    replace_file(path, lambda temporary: _write(log, temporary, suffix))


def write_spool(spool: Spool, path: Path) -> None:
    """Write the log of a spool to a new file, block by block; OSError if the disk is full."""
    _write(spool, path, _suffix(path))


def _write(source: Log | Spool, path: Path, suffix: str) -> None:
    if suffix != ".csv":
        write = write_parquet if suffix == ".parquet" else write_mcap
        write(source.blocks() if isinstance(source, Spool) else [source], path)
    elif isinstance(source, Spool):
        source.write_csv(path)
    else:
        with path.open("xb") as file:
            file.write(format_csv(source))


def _suffix(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _PARSERS:
        raise InvalidValue("name of a log file", str(path), "end in .csv, .parquet or .mcap")
    return suffix


MOST_BYTES = 200
"""Longest file name, in UTF-8; file systems allow 255, and a temporary name needs room."""
NAMELESS = "unnamed"
"""Name in place of one without letters and digits."""

_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)", re.I)


def name_file(words: str, suffix: str) -> str:
    """Return a file name made of `words`, with hyphens for special characters.

    It is a single path component for any input: neither empty nor `..`, without separators or
    control characters, at most `MOST_BYTES` long, and not a device name of Windows. `words` may be
    untrusted, `suffix` not.
    """
    stem = re.sub(r"\.{2,}", ".", re.sub(r"[^\w.=-]+", "-", words)).strip("-.")
    room = MOST_BYTES - len(suffix.encode())
    stem = stem.encode()[:room].decode(errors="ignore").strip("-.")
    if not any(letter.isalnum() for letter in stem):
        stem = NAMELESS
    if _RESERVED.match(stem):
        stem = f"_{stem}".encode()[:room].decode(errors="ignore")
    return stem + suffix
