"""Checks of the content of log files."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidLog, InvalidValue, Unreadable
from grouser.geometry import Array
from grouser.log.log import Column, Log
from grouser.log.provenance import Provenance
from grouser.storage import open_file

LOG_SUFFIXES = (".csv", ".parquet", ".mcap")
"""Endings of logs that can be written."""
READABLE_SUFFIXES = (*LOG_SUFFIXES, ".db3", ".bag")
"""Endings of logs that can be read."""
AGAIN = "copy the file again, or repeat the run"
"""Remedy for a damaged file, in messages."""
_SHOWN = 5
_INFINITE = ("inf", "infinity")


@contextmanager
def open_log(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a log file, open for reading; InvalidLog if it is missing, too large or unreadable."""
    try:
        with open_file(path, limits.LOG_BYTES) as file:
            yield file
    except InvalidLog:
        raise
    except Unreadable as error:
        is_missing = isinstance(error.__cause__, FileNotFoundError)
        problem = f"{error.problem}; {_describe_folder(path)}" if is_missing else error.problem
        raise InvalidLog(path, problem) from error


def parse_number(cell: str) -> float:
    """Return the number in a cell: ASCII digits, `nan` or `inf`; ValueError if it is none."""
    number = float(cell)
    if not cell.isascii() or "_" in cell:
        raise ValueError("a number has digits from 0 to 9")
    if math.isinf(number) and cell.strip().lower().lstrip("+-") not in _INFINITE:
        raise ValueError("a number is at most 1.8e308")
    return number


def check_names(names: Sequence[str], origin: str | Path) -> None:
    """Raise InvalidLog if a heading appears twice, or there are too many."""
    if len(names) > limits.COLUMNS:
        problem = f"has {len(names):,} columns; at most {limits.COLUMNS:,} are read"
        raise InvalidLog(origin, problem)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidLog(origin, f"column {shorten(name)!r} appears more than once; rename one")
        seen.add(name)


def make_log(
    columns: dict[str, tuple[NDArray[Any], str]],
    provenance: Provenance,
    origin: str | Path,
    name_row: Callable[[int], str] = lambda row: f"row {row + 1}",
) -> Log:
    """Return the log of columns (numbers and unit by name) read from a file.

    `columns` is emptied, so that not all numbers are in memory twice. InvalidLog if time does not
    increase within a piece, or the columns do not form a log; `name_row` names a row in messages,
    by index.
    """
    for name in columns:
        if len(name) > limits.NAME_LENGTH:
            problem = f"the name of column {shorten(name)!r} has {len(name):,} characters"
            raise InvalidLog(origin, f"{problem}; at most {limits.NAME_LENGTH} are read")
    try:
        fitting = {name: _make_column(name, *columns.pop(name), origin) for name in [*columns]}
        log = Log(fitting, provenance)
    except InvalidValue as error:
        raise InvalidLog(origin, str(error)) from error
    if "time" in log:
        starts = _check_pieces(log, origin, name_row)
        _check_time(log.time, starts, origin, name_row)
    return log


def check_content(log: Log, path: str | Path, needs: Sequence[str], rows: int) -> None:
    """Raise InvalidLog if a needed column is missing, or there are too few rows."""
    missing = [name for name in needs if name not in log]
    if missing:
        lack = f"has no column {', '.join(missing)} (needed: {', '.join(needs)})"
        raise InvalidLog(path, f"{lack}; it has {shorten(', '.join(log), 300)}")
    if len(log) < rows:
        noun = "row is" if rows == 1 else "rows are"
        raise InvalidLog(path, f"has {len(log)} rows, but at least {rows} {noun} needed")


def _make_column(name: str, values: NDArray[Any], unit: str, origin: str | Path) -> Column:
    try:
        return Column(values, unit)
    except InvalidValue as error:
        raise InvalidLog(origin, f"column {shorten(name)!r}: {error}") from error


def shorten(text: str, longest: int = 40) -> str:
    """Return a text, cut to at most `longest` characters."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _check_pieces(log: Log, origin: str | Path, name_row: Callable[[int], str]) -> NDArray[np.intp]:
    """Return the first row of each piece; InvalidLog if a piece is not known or comes back."""
    if "piece" not in log or not len(log):
        return np.zeros(1, dtype=np.intp)
    pieces = log["piece"]
    unknown = np.flatnonzero(~np.isfinite(pieces))
    if unknown.size:
        i = int(unknown[0])
        problem = f"column 'piece' holds {pieces[i]}, not the number of a piece"
        raise InvalidLog(origin, f"{name_row(i)}: {problem}; fill it in or remove the row")
    starts = np.concatenate([[0], np.flatnonzero(np.diff(pieces) != 0.0) + 1])
    _, first = np.unique(pieces[starts], return_index=True)
    again = np.setdiff1d(np.arange(starts.size), first)
    if again.size:
        i = int(starts[again[0]])
        problem = f"piece {pieces[i]:g} continues after piece {pieces[i - 1]:g}"
        raise InvalidLog(origin, f"{name_row(i)}: {problem}; keep the rows of a piece together")
    return starts


def _check_time(
    time: Array, starts: NDArray[np.intp], origin: str | Path, name_row: Callable[[int], str]
) -> None:
    wrong = np.flatnonzero(~(np.abs(time) <= limits.STAMP))
    if wrong.size:
        i = int(wrong[0])
        problem = f"the time is {time[i]:.9g} s, not a number within ±{limits.STAMP:g} s"
        raise InvalidLog(origin, f"{name_row(i)}: {problem}; correct or remove the row")
    stalls = np.setdiff1d(np.flatnonzero(np.diff(time) <= 0.0), starts - 1)
    if stalls.size:
        i = int(stalls[0])
        within = " within a piece" if starts.size > 1 else ""
        problem = f"time must increase{within}, but {time[i + 1]:.9g} s follows {time[i]:.9g} s"
        raise InvalidLog(
            origin, f"{name_row(i + 1)}: {problem}; sort the rows and remove repeated ones"
        )
    since = time - np.repeat(time[starts], np.diff([*starts, time.size])) if time.size else time
    if time.size and since.max() > limits.DURATION:
        i = int(np.argmax(since > limits.DURATION))
        problem = f"{time[i]:.9g} s is {since[i]:.9g} s after the first row"
        raise InvalidLog(
            origin, f"{name_row(i)}: {problem}; logs of at most {limits.DURATION:g} s are read"
        )


def _describe_folder(path: str | Path) -> str:
    folder = Path(path).parent
    try:
        logs = sorted(p.name for p in folder.iterdir() if p.suffix.lower() in READABLE_SUFFIXES)
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no folder {str(folder)!r} either"
    except OSError as error:
        return f"its folder cannot be read ({error.strerror})"
    if not logs:
        return "its folder holds no .csv, .parquet, .mcap, .db3 or .bag file"
    more = f" and {len(logs) - _SHOWN} more" if len(logs) > _SHOWN else ""
    return f"its folder holds {', '.join(logs[:_SHOWN])}{more}"
