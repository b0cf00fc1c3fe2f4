"""Text tables of other programs: headings, delimiter, and cells as numbers or texts."""

import csv
import io
import itertools
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidLog
from grouser.log.content import open_log, parse_number, shorten

DELIMITERS = (",", ";", "\t", " ")
"""What separates cells; a blank stands for any number of blanks."""
PREAMBLE = 50
"""Number of lines that are searched for the headings."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Columns of a foreign table by heading."""

    columns: dict[str, NDArray[np.float64]]
    """Numbers; NaN for empty cells [foreign unit]."""
    texts: dict[str, list[str]]
    """Cells as they are written."""
    lines: NDArray[np.int64]
    """Number of the line where each row ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHead:
    """Headings of a table, and how its cells are separated."""

    headings: tuple[str, ...]
    delimiter: str
    above: int
    """Number of lines above the first row."""


def read_table(
    path: str | Path, numbers: Sequence[str], texts: Sequence[str] = (), given: Sequence[str] = ()
) -> Table:
    """Return the cells below some headings; `given` replace missing headings.

    Lines above the headings, empty lines and lines that begin with `#` are ignored, except that
    headings may follow a `#`.
    """
    with open_log(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        lines = _read_lines(text, path)
        first = list(itertools.islice(lines, PREAMBLE))
        head = find_head(first, {*numbers, *texts}, path, given)
        _check_headings(head.headings, [*dict.fromkeys((*numbers, *texts))], path)
        return _read_cells(itertools.chain(first[head.above :], lines), head, numbers, texts, path)


def read_first_lines(path: str | Path, count: int = PREAMBLE) -> list[str]:
    """Return the first lines of a text file."""
    with open_log(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        return list(itertools.islice(_read_lines(text, path), count))


def find_head(
    lines: Sequence[str], wanted: Collection[str], path: str | Path, given: Sequence[str] = ()
) -> TableHead:
    """Return the line with most of the wanted headings, or the given ones, and the delimiter."""
    if not any(line.strip() for line in lines):
        raise InvalidLog(path, "the file is empty; export the table again")
    if given:
        rows = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        delimiter = max(
            DELIMITERS,
            key=lambda d: sum(len(split_cells(row, d)) == len(given) for row in rows),
        )
        return TableHead(headings=tuple(given), delimiter=delimiter, above=0)

    def score(candidate: tuple[int, str]) -> tuple[int, bool, int, int]:
        number, delimiter = candidate
        cells = split_headings(lines[number], delimiter)
        is_comment = lines[number].startswith("#")
        return len({*wanted}.intersection(cells)), not is_comment, -number, len(cells)

    candidates = [(n, d) for n, line in enumerate(lines) if line.strip() for d in DELIMITERS]
    above, delimiter = max(candidates, key=score)
    if nul := next((n for n, line in enumerate(lines[: above + 1], 1) if "\0" in line), 0):
        problem = f"line {nul} holds a NUL byte, so this is no text"
        raise InvalidLog(path, f"{problem}; save the table as CSV in UTF-8")
    headings = split_headings(lines[above], delimiter)
    return TableHead(headings=tuple(headings), delimiter=delimiter, above=above + 1)


def split_headings(line: str, delimiter: str) -> list[str]:
    """Return the headings in a line, also behind a `#`; empty ones at the end are left out."""
    headings = [cell.strip() for cell in split_cells(line.lstrip().lstrip("#"), delimiter)]
    while headings and not headings[-1]:
        headings.pop()
    return headings


def split_cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of one line."""
    try:
        return next(csv.reader(_prepare([line], delimiter), delimiter=delimiter), [])
    except csv.Error:
        return []


def _prepare(lines: Iterable[str], delimiter: str) -> Iterable[str]:
    return (" ".join(line.split()) for line in lines) if delimiter == " " else lines


def _read_cells(
    lines: Iterable[str],
    head: TableHead,
    numbers: Sequence[str],
    texts: Sequence[str],
    path: str | Path,
) -> Table:
    reader = csv.reader(_prepare(lines, head.delimiter), delimiter=head.delimiter)
    found = {heading: array("d") for heading in numbers}
    words: dict[str, list[str]] = {heading: [] for heading in texts}
    places = [(heading, head.headings.index(heading)) for heading in found]
    text_places = [(heading, head.headings.index(heading)) for heading in words]
    ends = array("q")
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
                continue
            line = head.above + reader.line_num
            _check_row(cells, head, line, path)
            for heading, place in places:
                found[heading].append(parse_cell(cells[place], heading, line, path))
            for heading, place in text_places:
                words[heading].append(cells[place].strip())
            ends.append(line)
    except csv.Error as error:
        line = head.above + reader.line_num
        raise InvalidLog(path, f"line {line} is not CSV ({error})") from error
    if not ends:
        raise InvalidLog(path, "has headings but no rows; export the table again")
    columns = {heading: np.array(column) for heading, column in found.items()}
    return Table(columns=columns, texts=words, lines=np.array(ends))


def _check_row(cells: Sequence[str], head: TableHead, line: int, path: str | Path) -> None:
    if len(cells) < len(head.headings):
        problem = f"line {line} has {len(cells)} of {len(head.headings)} cells"
        raise InvalidLog(path, f"{problem}; complete or remove it")
    if any(cell.strip() for cell in cells[len(head.headings) :]):
        problem = f"line {line} has {len(cells)} cells below {len(head.headings)} headings"
        hint = "; with decimal commas, export with points" if head.delimiter == "," else ""
        raise InvalidLog(path, f"{problem}{hint or '; complete the headings'}")


def _read_lines(text: io.TextIOWrapper, path: str | Path) -> Iterator[str]:
    try:
        number = 0
        while line := text.readline(limits.LINE_BYTES):
            number += 1
            if len(line) == limits.LINE_BYTES and line[-1] not in "\r\n":
                problem = f"line {number} has more than {limits.LINE_BYTES:,} characters"
                raise InvalidLog(path, f"{problem}; export the table again, row by row")
            yield line
    except UnicodeDecodeError as error:
        byte = cast(BinaryIO, text.buffer).tell() - len(error.object) + error.start + 1
        problem = f"byte {byte} is not UTF-8 text; save the table as CSV in UTF-8"
        raise InvalidLog(path, problem) from error


def _check_headings(headings: Sequence[str], wanted: Sequence[str], path: str | Path) -> None:
    if len(headings) > limits.COLUMNS:
        problem = f"has {len(headings):,} columns; at most {limits.COLUMNS:,} are read"
        raise InvalidLog(path, problem)
    for heading in wanted:
        if heading not in headings:
            known = shorten(", ".join(repr(h) for h in headings), 300)
            problem = f"has no column {heading!r}; its columns are {known}: correct the column map"
            raise InvalidLog(path, problem)
        if (count := headings.count(heading)) > 1:
            problem = f"has {count} columns {heading!r}; give them different headings"
            raise InvalidLog(path, problem)


def parse_cell(cell: str, heading: str, line: int, path: str | Path) -> float:
    """Return the number in a cell, NaN if it is empty; InvalidLog names line and column."""
    try:
        return parse_number(cell) if cell.strip() else np.nan
    except ValueError as error:
        place = f"line {line}, column {heading!r}"
        if "," in cell:
            problem = f"{shorten(cell)!r} is not a number; write a decimal point, not a comma"
        else:
            problem = f"{shorten(cell)!r} is not a number; correct it, or write nan"
        raise InvalidLog(path, f"{place}: {problem}") from error
