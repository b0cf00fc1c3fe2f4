"""Logs of other programs and of real robots: CSV files and bags, read by a column map."""

import csv
import io
import itertools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidLog
from grouser.log.column_map import (
    ColumnMap,
    ForeignColumn,
    TableShape,
    parse_column_map,
    read_column_map,
    read_table_shape,
)
from grouser.log.content import make_log, open_log, parse_number
from grouser.log.log import Log
from grouser.log.mcap import parse_mapped_mcap
from grouser.log.provenance import Provenance
from grouser.units import to_si

_DELIMITERS = (",", ";", "\t")
_PREAMBLE = 50  # number of lines that are searched for the headings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table:
    """Numbers of a foreign table."""

    columns: dict[str, NDArray[np.float64]]
    """Columns by heading [foreign unit]."""
    lines: NDArray[np.int64]
    """Number of the line where each row ends."""


def read_foreign(
    path: str | Path, column_map: ColumnMap | str | Path, provenance: Provenance | None = None
) -> Log:
    """Return the mapped columns of a foreign CSV file, or of a bag, as a log in SI units.

    Cells are separated by comma, semicolon or tab, numbers have a decimal point. Lines above the
    headings, empty lines and lines that begin with `#` are ignored. Rows that repeat the previous
    one, including time, are left out; their number is in the notes (`repeated_rows`). The map, or a
    TOML file with it, needs `time` unless it declares steady states. InvalidDescription lists all
    errors of the map; InvalidLog those of the file.
    """
    if isinstance(column_map, Mapping):
        columns, shape = parse_column_map(column_map, "column map"), TableShape()
    else:
        columns, shape = read_column_map(column_map), read_table_shape(column_map)
    if Path(path).suffix.lower() == ".mcap":
        with open_log(path) as file:
            return parse_mapped_mcap(file, path, columns)
    wanted = list(dict.fromkeys(column.column.strip() for column in columns.values()))
    with open_log(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        table = _read_table(text, path, wanted, shape.headings)
    values = {n: c.convert(table.columns[c.column.strip()]) for n, c in columns.items()}
    kept = np.ones(len(table.lines), dtype=bool)
    if "time" in values:
        pairs = ((column[:-1], column[1:]) for column in values.values())
        same = [(old == new) | (np.isnan(old) & np.isnan(new)) for old, new in pairs]
        kept[1:] = ~np.all(same, axis=0)
    lines, left_out = table.lines[kept], int(np.count_nonzero(~kept))
    units = {name: to_si(column.unit)[0] for name, column in columns.items()}
    found = {name: (numbers[kept], units[name]) for name, numbers in values.items()}
    provenance = provenance or _describe(path, columns, left_out)
    return make_log(found, provenance, path, lambda row: f"line {lines[row]}")


def _describe(path: str | Path, columns: Mapping[str, ForeignColumn], left_out: int) -> Provenance:
    notes = {
        "foreign_file": Path(path).name,
        "column_map": {name: asdict(column) for name, column in columns.items()},
    }
    return Provenance(notes={**notes, "repeated_rows": left_out} if left_out else notes)


def _read_table(
    text: io.TextIOWrapper, path: str | Path, wanted: Sequence[str], given: Sequence[str]
) -> _Table:
    """Return the numbers below the wanted headings; `given` replace missing headings."""
    lines = _read_lines(text, path)
    first = [",".join(given) + "\n"] if given else []
    first += itertools.islice(lines, _PREAMBLE - len(first))
    above, delimiter = _find_headings(first, set(wanted), path)
    reader = csv.reader(itertools.chain(first[above:], lines), delimiter=delimiter)
    headings: list[str] = []
    numbers = {heading: array("d") for heading in wanted}
    ends = array("q")
    try:
        headings = _trim(next(reader))
        _check_headings(headings, wanted, path)
        places = [(heading, headings.index(heading)) for heading in wanted]
        for cells in reader:
            if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
                continue
            line = above + reader.line_num - bool(given)
            if len(cells) < len(headings):
                problem = f"line {line} has {len(cells)} of {len(headings)} cells"
                raise InvalidLog(path, f"{problem}; complete or remove it")
            for heading, place in places:
                numbers[heading].append(_parse_cell(cells[place], heading, line, path))
            ends.append(line)
    except csv.Error as error:
        raise InvalidLog(path, f"line {above + reader.line_num} is not CSV ({error})") from error
    if not ends:
        raise InvalidLog(path, "has headings but no rows; export the table again")
    columns = {heading: np.array(column) for heading, column in numbers.items()}
    return _Table(columns=columns, lines=np.array(ends))


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


def _find_headings(lines: Sequence[str], wanted: set[str], path: str | Path) -> tuple[int, str]:
    """Return the lines above the line with most of the wanted headings, and the delimiter."""

    def score(candidate: tuple[int, str]) -> tuple[int, bool, int, int]:
        number, delimiter = candidate
        cells = _trim(next(csv.reader([lines[number]], delimiter=delimiter), []))
        is_comment = lines[number].startswith("#")
        return len(wanted.intersection(cells)), not is_comment, -number, len(cells)

    candidates = [(n, d) for n, line in enumerate(lines) if line.strip() for d in _DELIMITERS]
    if not candidates:
        raise InvalidLog(path, "the file is empty; export the table again")
    return max(candidates, key=score)


def _trim(cells: Sequence[str]) -> list[str]:
    """Return headings without surrounding blanks, and without empty ones at the end."""
    headings = [cell.strip() for cell in cells]
    while headings and not headings[-1]:
        headings.pop()
    return headings


def _check_headings(headings: Sequence[str], wanted: Sequence[str], path: str | Path) -> None:
    if len(headings) > limits.COLUMNS:
        problem = f"has {len(headings):,} columns; at most {limits.COLUMNS:,} are read"
        raise InvalidLog(path, problem)
    for heading in wanted:
        if heading not in headings:
            known = ", ".join(repr(h) for h in headings)
            problem = f"has no column {heading!r}; its columns are {known}: correct the column map"
            raise InvalidLog(path, problem)
        if (count := headings.count(heading)) > 1:
            problem = f"has {count} columns {heading!r}; give them different headings"
            raise InvalidLog(path, problem)


def _parse_cell(cell: str, heading: str, line: int, path: str | Path) -> float:
    try:
        return parse_number(cell)
    except ValueError as error:
        place = f"line {line}, column {heading!r}"
        if not cell.strip():
            problem = "the cell is empty; write nan where nothing was measured"
        elif "," in cell:
            problem = f"{cell!r} is not a number; write a decimal point, not a comma"
        else:
            problem = f"{cell!r} is not a number; correct it, or write nan"
        raise InvalidLog(path, f"{place}: {problem}") from error
