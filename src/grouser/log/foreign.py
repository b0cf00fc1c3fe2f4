"""Logs of other programs and of real robots: any CSV, with a map of its columns."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from grouser.errors import InvalidLog, InvalidValue
from grouser.log.column import Column
from grouser.log.column_map import (
    ColumnMap,
    ForeignColumn,
    TableShape,
    parse_column_map,
    read_column_map,
    read_table_shape,
)
from grouser.log.log import Log
from grouser.log.mcap import read_mapped_mcap
from grouser.log.provenance import Provenance
from grouser.log.read_content import read_content
from grouser.units import to_si

_DELIMITERS = (",", ";", "\t")
_PREAMBLE = 50  # a heading further down than this many lines is not looked for
_Row = tuple[int, list[str]]  # number of the line where a row ends, and its cells


def read_foreign(
    path: str | Path, column_map: ColumnMap | str | Path, provenance: Provenance | None = None
) -> Log:
    """Return the mapped columns of a foreign CSV file, or of a bag, as a log in SI units.

    Cells are separated by comma, semicolon or tab, numbers have a decimal point. Lines above
    the headings, empty lines and lines that begin with `#` are passed over.

    Args:
        path: The CSV file, or an MCAP file with messages of ROS 2.
        column_map: The foreign column behind each of our columns, or a TOML file that says so.
            `time` must be among them, unless the file says that rows are steady states.
        provenance: Where the log comes from; by default the names of file and columns.

    Raises:
        InvalidDescription: The column map has mistakes; all of them are listed.
        InvalidLog: The file is missing, lacks a column, has a cell that is no number, or its
            time does not increase.
    """
    if isinstance(column_map, Mapping):
        columns, shape = parse_column_map(column_map, "column map"), TableShape()
    else:
        columns, shape = read_column_map(column_map), read_table_shape(column_map)
    if Path(path).suffix.lower() == ".mcap":
        return read_mapped_mcap(path, columns)
    wanted = [column.column.strip() for column in columns.values()]
    headings, rows = _read_table(path, wanted, shape.headings)
    values = {name: _convert(column, headings, rows, path) for name, column in columns.items()}
    if "time" in values:
        _check_time(values["time"].values, rows, path)
    try:
        return Log(values, provenance or _describe(path, columns))
    except InvalidValue as error:
        raise InvalidLog(path, str(error)) from error


def _describe(path: str | Path, columns: Mapping[str, ForeignColumn]) -> Provenance:
    return Provenance(
        notes={
            "foreign_file": Path(path).name,
            "column_map": {name: asdict(column) for name, column in columns.items()},
        }
    )


def _read_table(
    path: str | Path, wanted: Sequence[str], given: Sequence[str] = ()
) -> tuple[list[str], list[_Row]]:
    try:
        text = read_content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is not UTF-8 text; save the table as CSV in UTF-8"
        raise InvalidLog(path, problem) from error
    lines = list(io.StringIO(text, newline=""))
    if given:
        lines.insert(0, ",".join(given) + "\n")
    above, delimiter = _find_headings(lines[:_PREAMBLE], set(wanted), path)
    reader = csv.reader(lines[above:], delimiter=delimiter)
    try:
        table = [(above + reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise InvalidLog(path, f"line {above + reader.line_num} is not CSV ({error})") from error
    headings = _trim(table[0][1])
    for heading in wanted:
        _check_heading(heading, headings, path)
    body = [row for row in table[1:] if not _is_passed_over(row[1])]
    for line, cells in body:
        if len(cells) < len(headings):
            problem = (
                f"line {line} has {len(cells)} of {len(headings)} cells; complete or remove it"
            )
            raise InvalidLog(path, problem)
    if not body:
        raise InvalidLog(path, "has headings but no rows; export the table again")
    return headings, body


def _find_headings(lines: Sequence[str], wanted: set[str], path: str | Path) -> tuple[int, str]:
    """Return how many lines stand above the headings, and what separates cells.

    The headings are where most of the wanted ones are; the first line that could be one, if
    none is found.
    """

    def score(candidate: tuple[int, str]) -> tuple[int, bool, int, int]:
        number, delimiter = candidate
        cells = _split(lines[number], delimiter)
        is_comment = lines[number].startswith("#")
        return len(wanted.intersection(cells)), not is_comment, -number, len(cells)

    candidates = [(n, d) for n, line in enumerate(lines) if line.strip() for d in _DELIMITERS]
    if not candidates:
        raise InvalidLog(path, "the file is empty; export the table again")
    return max(candidates, key=score)


def _split(line: str, delimiter: str) -> list[str]:
    return _trim(next(csv.reader([line], delimiter=delimiter), []))


def _trim(cells: Sequence[str]) -> list[str]:
    """Return headings without blanks around them, and without empty ones at the end."""
    headings = [cell.strip() for cell in cells]
    while headings and not headings[-1]:
        headings.pop()
    return headings


def _check_heading(heading: str, headings: Sequence[str], path: str | Path) -> None:
    if heading not in headings:
        known = ", ".join(repr(h) for h in headings)
        problem = f"has no column {heading!r}; its columns are {known}: correct the column map"
        raise InvalidLog(path, problem)
    if headings.count(heading) > 1:
        problem = f"has {headings.count(heading)} columns {heading!r}; give them different headings"
        raise InvalidLog(path, problem)


def _is_passed_over(cells: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#")


def _convert(
    column: ForeignColumn, headings: Sequence[str], rows: Sequence[_Row], path: str | Path
) -> Column:
    heading = column.column.strip()
    index = headings.index(heading)
    unit, factor = to_si(column.unit)
    theirs = np.array([_parse_cell(cells[index], heading, line, path) for line, cells in rows])
    return Column((column.sign * column.scale * theirs + column.offset) * factor, unit)


def _parse_cell(cell: str, heading: str, line: int, path: str | Path) -> float:
    try:
        return float(cell)
    except ValueError as error:
        place = f"line {line}, column {heading!r}"
        if not cell.strip():
            problem = "the cell is empty; write nan where nothing was measured"
        elif "," in cell:
            problem = f"{cell!r} is not a number; write a decimal point, not a comma"
        else:
            problem = f"{cell!r} is not a number; correct it, or write nan"
        raise InvalidLog(path, f"{place}: {problem}") from error


def _check_time(time: np.ndarray, rows: Sequence[_Row], path: str | Path) -> None:
    if not np.isfinite(time[0]):
        raise InvalidLog(path, f"line {rows[0][0]}: the time is {time[0]}; remove the line")
    stalls = np.flatnonzero(~((np.diff(time) > 0.0) & np.isfinite(time[1:])))
    if stalls.size:
        i = int(stalls[0])
        problem = (
            f"line {rows[i + 1][0]}: time must increase, but {time[i + 1]:.9g} s "
            f"follows {time[i]:.9g} s; sort the rows and remove repeated ones"
        )
        raise InvalidLog(path, problem)
