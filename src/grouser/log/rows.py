"""Rows of foreign tables: pieces, rows of one time stamp, and tables with other times."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog
from grouser.geometry import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Rows of one file, with time."""

    path: Path
    """The file, for messages."""
    time: Array
    """Time of each row [s]."""
    pieces: Array | None
    """Number of the piece of each row; None if there is one piece [1]."""
    values: dict[str, Array]
    """Other columns of the log by name; NaN where nothing was measured [SI]."""
    lines: NDArray[np.int64]
    """Number of the line where each row ends."""
    headings: dict[str, str]
    """Heading of each column of the log, for messages."""
    notes: dict[str, int]
    """Counts for the provenance."""

    def name_row(self, row: int) -> str:
        """Return the name of a row in messages, by index."""
        return f"line {self.lines[row]}"


def cut_at_restarts(time: Array, lines: NDArray[np.int64], path: Path) -> Array | None:
    """Return the number of each row's piece, if time decreases somewhere; else None.

    InvalidLog if most pieces have one row: then rows are not sorted.
    """
    restarts = np.flatnonzero(np.diff(time) < 0.0)
    if not restarts.size:
        return None
    if restarts.size >= 0.5 * time.size - 0.5:
        row = int(restarts[0])
        problem = f"time must increase, but {time[row + 1]:.9g} s follows {time[row]:.9g} s"
        many = f"and goes back {restarts.size} times in {time.size} rows"
        raise InvalidLog(path, f"line {lines[row + 1]}: {problem}, {many}; sort the rows")
    pieces = np.zeros(time.size)
    pieces[restarts + 1] = 1.0
    return np.cumsum(pieces)


def merge_equal_times(rows: Rows) -> Rows:
    """Return rows where those that follow each other at one time are one row.

    InvalidLog if two of them have different numbers in one column.
    """
    same = np.diff(rows.time) == 0.0
    if rows.pieces is not None:
        same &= np.diff(rows.pieces) == 0.0
    if not same.any():
        return rows
    group = np.cumsum(np.concatenate([[0], ~same]))
    first = np.flatnonzero(np.concatenate([[True], ~same]))
    pairs = [(column[:-1], column[1:]) for column in rows.values.values()]
    alike = [(old == new) | (np.isnan(old) & np.isnan(new)) for old, new in pairs]
    repeated = int(np.count_nonzero(np.all([same, *alike], axis=0)))
    values = {name: _merge(name, group, first, rows) for name in rows.values}
    merged = int(np.count_nonzero(same)) - repeated
    counts = {"repeated_rows": repeated, "merged_rows": merged}
    return replace(
        rows,
        time=rows.time[first],
        pieces=None if rows.pieces is None else rows.pieces[first],
        values=values,
        lines=rows.lines[first],
        notes={name: count for name, count in counts.items() if count},
    )


def _merge(name: str, group: NDArray[np.int64], first: NDArray[np.int64], rows: Rows) -> Array:
    column = rows.values[name]
    known = np.flatnonzero(~np.isnan(column))
    merged = np.full(len(first), np.nan)
    groups, places = np.unique(group[known], return_index=True)
    sources = np.full(len(first), -1)
    sources[groups] = known[places]
    merged[groups] = column[known[places]]
    wrong = known[column[known] != merged[group[known]]]
    if wrong.size:
        row = int(wrong[0])
        before = int(sources[group[row]])
        place = f"line {rows.lines[row]}, column {rows.headings.get(name, name)!r}"
        at = f"line {rows.lines[before]}, both at {rows.time[row]:.9g} s"
        problem = f"its {name} is {column[row]:.6g}, but {column[before]:.6g} in {at}"
        hint = "give time more digits, or remove one of the rows"
        raise InvalidLog(rows.path, f"{place}: {problem}: time must increase; {hint}")
    return merged


def unite(sources: list[Rows]) -> Rows:
    """Return the rows of several files as one table: all their times, NaN where one has none."""
    if len(sources) == 1:
        return sources[0]
    main = sources[0]
    for other in sources[1:]:
        if (other.pieces is None) != (main.pieces is None):
            has, lacks = (main, other) if other.pieces is None else (other, main)
            problem = f"has no pieces, but {has.path.name} has"
            raise InvalidLog(lacks.path, f"{problem}; map a column piece of both files")
    pieces = [np.zeros(len(s.time)) if s.pieces is None else s.pieces for s in sources]
    order = {piece: rank for rank, piece in enumerate(dict.fromkeys(np.concatenate(pieces)))}
    keys = [
        np.stack([np.array([order[p] for p in part], dtype=np.float64), source.time])
        for part, source in zip(pieces, sources, strict=True)
    ]
    every, where = np.unique(np.concatenate(keys, axis=1), axis=1, return_inverse=True)
    where = where.reshape(-1)
    values: dict[str, Array] = {}
    lines = np.zeros(every.shape[1], dtype=np.int64)
    start = 0
    for source in sources:
        places = where[start : start + len(source.time)]
        start += len(source.time)
        for name, column in source.values.items():
            values[name] = np.full(every.shape[1], np.nan)
            values[name][places] = column
        lines[places] = np.where(lines[places] == 0, source.lines, lines[places])
    names = np.array(list(order), dtype=np.float64)
    found = None if main.pieces is None else names[every[0].astype(np.int64)]
    return replace(main, time=every[1], pieces=found, values=values, lines=lines)
