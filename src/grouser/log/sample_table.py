"""First rows of a foreign table, read without knowing its columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.content import parse_number, shorten
from grouser.log.conversions import are_attitudes
from grouser.log.table import DELIMITERS, PREAMBLE, read_first_lines, split_cells, split_headings

ROWS = 20_000
"""Number of lines that are looked at."""
TRAJECTORY = ("timestamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw")
"""Columns of a trajectory in the format of the TUM benchmark, which has no headings."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Columns of the first rows, by heading."""

    numbers: dict[str, Array]
    """Columns that hold numbers; NaN for empty cells [foreign unit]."""
    texts: dict[str, list[str]]
    """All columns, as they are written."""
    has_headings: bool
    """Whether the headings are in the file."""


def sample_table(path: str | Path) -> Sample:
    """Return the first rows of a text table; InvalidLog if there is none in the file."""
    lines = read_first_lines(path, ROWS)
    if not any(line.strip() for line in lines):
        raise InvalidLog(path, "the file is empty; export the table again")
    if number := next((n for n, line in enumerate(lines[:PREAMBLE], 1) if "\0" in line), 0):
        problem = f"line {number} holds a NUL byte, so this is no text"
        raise InvalidLog(path, f"{problem}; save the table as CSV in UTF-8")
    found = _find_headings(lines[:PREAMBLE])
    if found is not None:
        above, delimiter = found
        headings = split_headings(lines[above], delimiter)
        return _sample(headings, lines[above + 1 :], delimiter, has_headings=True)
    trajectory = _trajectory(lines)
    if trajectory is None:
        begin = shorten(next(line for line in lines if line.strip()).strip())
        problem = f"has no line of headings above numbers (it begins with {begin!r})"
        raise InvalidLog(path, f'{problem}; write headings = ["t", …] into a column map')
    return trajectory


def _find_headings(lines: Sequence[str]) -> tuple[int, str] | None:
    """Return the line of the headings and the delimiter: words above a row of numbers."""
    best: tuple[int, int, int, str] | None = None
    for number, line in enumerate(lines):
        below = next((row for row in lines[number + 1 :] if _is_row(row)), None)
        for place, delimiter in enumerate(DELIMITERS):
            headings = split_headings(line, delimiter)
            cells = [] if below is None else _trim(split_cells(below, delimiter), len(headings))
            words = sum(not _is_number(heading) for heading in headings)
            fits = len(cells) == len(headings) > 1 and words > 0.5 * len(headings)
            if fits and any(_is_number(cell) for cell in cells):
                rank = (len(headings), number, -place, delimiter)
                best = rank if best is None or rank > best else best
    return None if best is None else (best[1], best[3])


def _sample(
    headings: Sequence[str], lines: Sequence[str], delimiter: str, *, has_headings: bool
) -> Sample:
    rows = [_trim(split_cells(line, delimiter), len(headings)) for line in lines if _is_row(line)]
    rows = [row for row in rows if len(row) == len(headings)]
    texts = {
        heading: [row[place].strip() for row in rows]
        for place, heading in enumerate(headings)
        if headings.count(heading) == 1
    }
    numbers = {}
    for heading, cells in texts.items():
        known = [_is_number(cell) or not cell for cell in cells]
        if np.mean(known or [0.0]) > 0.5 and any(cells):
            parsed = [
                float(cell.replace(",", ".", 1)) if k and cell else np.nan
                for cell, k in zip(cells, known, strict=True)
            ]
            numbers[heading] = np.array(parsed)
    return Sample(numbers=numbers, texts=texts, has_headings=has_headings)


def _trajectory(lines: Sequence[str]) -> Sample | None:
    """Return a trajectory of the TUM benchmark; None if this is none."""
    for delimiter in (" ", ",", "\t"):
        found = _sample(TRAJECTORY, lines, delimiter, has_headings=False)
        is_whole = len(found.numbers) == len(TRAJECTORY) and len(found.numbers["qw"]) > 1
        if is_whole and are_attitudes([found.numbers[name] for name in TRAJECTORY[4:]]):
            return found
    return None


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _trim(cells: list[str], count: int) -> list[str]:
    """Return cells without empty ones beyond `count`."""
    return cells if any(cell.strip() for cell in cells[count:]) else cells[:count]


def _is_number(cell: str) -> bool:
    """Return whether this is a number, also with a decimal comma, which the reader names."""
    try:
        parse_number(cell.replace(",", ".", 1))
    except ValueError:
        return False
    return True
