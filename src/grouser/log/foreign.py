"""Logs of other programs and of real robots: tables and bags, read by a column map."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.column_map import (
    NUMBERED,
    PLAIN,
    ColumnMap,
    TableShape,
    parse_column_map,
    read_column_map,
    read_table_shape,
)
from grouser.log.content import make_log, parse_number
from grouser.log.conversions import convert_columns, fail_at, piece_starts
from grouser.log.foreign_column import ForeignColumn
from grouser.log.log import Log
from grouser.log.mcap import is_bag, read_mapped_bag
from grouser.log.provenance import Provenance
from grouser.log.rows import Rows, cut_at_restarts, merge_equal_times, unite
from grouser.log.stamps import START, Stamps, find_start, in_nanoseconds, read_stamps, since
from grouser.log.table import Table, read_table

_Columns = Mapping[str, ForeignColumn]


def read_foreign(
    path: str | Path, column_map: ColumnMap | str | Path, provenance: Provenance | None = None
) -> Log:
    """Return the mapped columns of a foreign table, or of a bag, as a log in SI units.

    Cells are separated by comma, semicolon, tab or blanks, numbers have a decimal point; empty
    cells are NaN. Rows that follow each other at one time become one row; stamps since 1970 become
    times since the first one (`start_ns` in the notes). If time decreases, a new piece begins. The
    map, or a TOML file with it, needs `time` unless it declares steady states. InvalidDescription
    lists all errors of the map; InvalidLog those of the file.
    """
    if isinstance(column_map, Mapping):
        columns, shape = parse_column_map(column_map, "column map"), PLAIN
    else:
        columns, shape = read_column_map(column_map), read_table_shape(column_map)
    if is_bag(path):
        return read_mapped_bag(path, columns)
    if "time" not in columns:
        return _read_steady(Path(path), columns, shape, provenance)
    return _read_timed(Path(path), columns, shape, provenance)


def _read_steady(
    path: Path, columns: _Columns, shape: TableShape, provenance: Provenance | None
) -> Log:
    """Return a table of steady states."""
    source = _Source.read(path, columns, shape.headings)
    values = source.values([0])
    units = {name: column.si_unit for name, column in columns.items()}
    found = {name: (values[name], units[name]) for name in columns}
    lines = source.table.lines
    provenance = provenance or _describe(path, columns, {})
    return make_log(found, provenance, path, lambda row: f"line {lines[row]}")


def _read_timed(
    path: Path, columns: _Columns, shape: TableShape, provenance: Provenance | None
) -> Log:
    own = {name: column for name, column in columns.items() if not column.file}
    sources = [_Source.read(path, own, shape.headings)]
    for name in dict.fromkeys(column.file for column in columns.values() if column.file):
        other = shape.files[name]
        inside = {n: column for n, column in columns.items() if column.file == name}
        timed = {"time": other.time, **({"piece": other.piece} if other.piece else {}), **inside}
        sources.append(_Source.read(path.parent / name, timed, other.headings))
    stamps = [source.stamps() for source in sources]
    start = find_start(stamps)
    tables = [source.rows(since(s, start)) for source, s in zip(sources, stamps, strict=True)]
    rows = unite([merge_equal_times(table) for table in tables])
    notes: dict[str, Any] = dict(rows.notes)
    if start is not None:
        notes[START] = in_nanoseconds(start)
    found = {"time": (rows.time, "s")}
    if rows.pieces is not None:
        found["piece"] = (rows.pieces, "1")
        if "piece" not in columns:
            notes["pieces_by_restart"] = len(piece_starts(rows.pieces, len(rows.time)))
    found |= {n: (rows.values[n], c.si_unit) for n, c in columns.items() if n in rows.values}
    ordered = {name: found[name] for name in (*columns, "piece") if name in found}
    provenance = provenance or _describe(path, columns, notes)
    return make_log(ordered, provenance, path, rows.name_row)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Source:
    """One file of a log."""

    path: Path
    columns: _Columns
    table: Table

    @classmethod
    def read(cls, path: Path, columns: _Columns, headings: tuple[str, ...]) -> "_Source":
        texts = [h for n in ("time", *NUMBERED) if n in columns for h in columns[n].headings]
        numbers = [
            heading
            for name, column in columns.items()
            if name not in NUMBERED
            for heading in column.headings
        ]
        table = read_table(path, [*dict.fromkeys(numbers)], [*dict.fromkeys(texts)], headings)
        return cls(path=path, columns=columns, table=table)

    def stamps(self) -> Stamps:
        """Return the time stamps."""
        time = self.columns["time"]
        headings = [part.column.strip() for part in (time, time.plus) if part is not None]
        cells = [self.table.texts[heading] for heading in headings]
        return read_stamps(time, cells, np.stack([self.table.columns[h] for h in headings]))

    def rows(self, time: Array) -> Rows:
        """Return all rows in SI units, of pieces that are named or that time separates."""
        if "piece" in self.columns:
            pieces = self._number_texts("piece")
        else:
            pieces = cut_at_restarts(time, self.table.lines, self.path)
        values = self.values(piece_starts(pieces, len(time)))
        rest = {name: v for name, v in values.items() if name not in ("time", "piece")}
        headings = {name: self.columns[name].headings[0] for name in rest}
        return Rows(
            path=self.path, time=time, pieces=pieces, values=rest, lines=self.table.lines,
            headings=headings, notes={},
        )  # fmt: skip

    def values(self, starts: list[int]) -> dict[str, Array]:
        """Return all columns but time in SI units."""
        texts = {name: self._number_texts(name) for name in NUMBERED if name in self.columns}
        others = {n: c for n, c in self.columns.items() if n not in ("time", *NUMBERED)}
        fail = fail_at(self.path, lambda row: f"line {self.table.lines[row]}")
        return {**texts, **convert_columns(others, self.table.columns.__getitem__, starts, fail)}

    def _number_texts(self, name: str) -> Array:
        """Return the numbers of a column; texts are numbered in order of appearance."""
        heading = self.columns[name].column.strip()
        cells = self.table.texts[heading]
        if "" in cells:
            place = f"line {self.table.lines[cells.index('')]}, column {heading!r}"
            problem = f"the cell is empty, so the {name} of this row is not known"
            raise InvalidLog(self.path, f"{place}: {problem}; fill it in or remove the row")
        try:
            numbers = {cell: parse_number(cell) for cell in set(cells)}
        except ValueError:
            numbers = {cell: float(i) for i, cell in enumerate(dict.fromkeys(cells))}
        return self.columns[name].convert(np.array([numbers[cell] for cell in cells]))


def _describe(path: Path, columns: _Columns, notes: Mapping[str, Any]) -> Provenance:
    about = {name: column.to_notes() for name, column in columns.items()}
    return Provenance(notes={"foreign_file": path.name, "column_map": about, **notes})
