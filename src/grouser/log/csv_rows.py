"""Rows of CSV logs: lines of numbers as columns.

Large files are parsed by pyarrow if it is installed. What it rejects, or reads in another way than
Python, is parsed by Python, so that numbers and messages are the same either way.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidLog
from grouser.log.content import AGAIN, parse_number, shorten

HEADER_LINES = 4
"""Lines above the first row."""
QUICK_BYTES = 8 << 20
"""Size of the rows from which on importing pyarrow takes less time than it saves [B]."""
_BLOCK = 1 << 20
_GROUP = 8  # blocks that pyarrow parses at once
_AMBIGUOUS = (b"(", b"x", b"X", b"\r")  # nan(1), 0x10, and line ends that only pyarrow accepts
_Block = list[NDArray[Any]]  # some rows, a column each


def name_row(row: int) -> str:
    """Return the name of a row in messages, by index."""
    return f"row {row + 1} (line {row + 1 + HEADER_LINES})"


def read_rows(
    file: BinaryIO, names: Sequence[str], rows: int | None, origin: str | Path
) -> list[NDArray[Any]]:
    """Return the columns below the header of an open file, which says that it has so many rows."""
    size = _remaining(file)
    blocks = _read_blocks(file, origin, is_complete=rows is not None)
    arrow = _Arrow(names) if size >= QUICK_BYTES and find_spec("pyarrow") is not None else None
    # A cell has at least two bytes: a wrong number of rows does not fill the memory.
    table = _Table(names, min(rows or 0, size // (2 * len(names))))
    failure: InvalidLog | None = None
    while failure is None:
        group, failure = _take(blocks, _GROUP if arrow else 1)
        if not group:
            break
        if arrow is not None and (parsed := arrow.parse(group)):
            table.append(parsed)
            continue
        for block in group:
            table.append(_parse_block(block, names, table.rows, origin))
    if failure is not None:
        raise failure
    if rows not in (None, table.rows):
        raise InvalidLog(origin, f"line 2 says {rows} rows, but {table.rows} are there; {AGAIN}")
    return table.take()


def _take(blocks: Iterator[bytes], count: int) -> tuple[list[bytes], InvalidLog | None]:
    """Return the next blocks, and the error that ends them: errors in the blocks come first."""
    group: list[bytes] = []
    try:
        for block in islice(blocks, count):
            group.append(block)  # noqa: PERF402 -- those before an error are needed
    except InvalidLog as error:
        return group, error
    return group, None


def _remaining(file: BinaryIO) -> int:
    here = file.tell()
    end = file.seek(0, SEEK_END)
    file.seek(here)
    return end - here


def _count_lines(block: bytes) -> int:
    # Several times as fast as `bytes.count`.
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n"))) + 1


def _kind(name: str) -> type:
    return np.int64 if name == "tick" else np.float64


class _Table:
    """Columns that grow."""

    def __init__(self, names: Sequence[str], room: int) -> None:
        self._columns: list[NDArray[Any]] = [np.empty(room, _kind(name)) for name in names]
        self.rows = 0

    def append(self, block: _Block) -> None:
        end = self.rows + len(block[0])
        for column, numbers in zip(self._columns, block, strict=True):
            if end > len(column):
                column.resize(max(end, len(column) + len(column) // 4), refcheck=False)
            column[self.rows : end] = numbers
        self.rows = end

    def take(self) -> list[NDArray[Any]]:
        for column in self._columns:
            column.resize(self.rows, refcheck=False)
        return self._columns


class _Arrow:
    """Parses blocks by pyarrow."""

    def __init__(self, names: Sequence[str]) -> None:
        import pyarrow as pa  # here, because it is optional and slow to import
        from pyarrow import csv

        numbers = [str(i) for i in range(len(names))]
        types = {
            i: pa.int64() if _kind(name) is np.int64 else pa.float64()
            for i, name in zip(numbers, names, strict=True)
        }
        self._pa, self._csv = pa, csv
        self._options = {
            "read_options": csv.ReadOptions(
                column_names=numbers, block_size=_BLOCK, use_threads=False
            ),
            "parse_options": csv.ParseOptions(
                quote_char=False, escape_char=False, ignore_empty_lines=False
            ),
            "convert_options": csv.ConvertOptions(
                column_types=types, null_values=[], check_utf8=False
            ),
        }

    def parse(self, blocks: Sequence[bytes]) -> _Block | None:
        """Return the columns of blocks of lines; None if Python must parse them."""
        lines = b"\n".join(blocks)
        if b"\r" in lines:
            lines = lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if any(word in lines for word in _AMBIGUOUS):
            return None
        try:
            table = self._csv.read_csv(self._pa.py_buffer(lines), **self._options)
        except self._pa.ArrowInvalid:
            return None
        block = [column.to_numpy() for column in table.columns]
        # A number above 1.8e308 is an error, but becomes inf.
        is_doubtful = any(np.isinf(column).any() for column in block)
        return None if is_doubtful or len(table) != sum(map(_count_lines, blocks)) else block


def _read_blocks(file: BinaryIO, origin: str | Path, *, is_complete: bool) -> Iterator[bytes]:
    """Yield blocks of complete lines; an incomplete last line is an error in a complete log."""
    rest, done = b"", HEADER_LINES
    while data := file.read(_BLOCK):
        end, block = data.rfind(b"\n"), b""
        if end < 0:
            rest += data
        else:
            block, rest = b"".join((rest, memoryview(data)[:end])), data[end + 1 :]
            done += _count_lines(block)
        if len(rest) > limits.LINE_BYTES:
            problem = f"line {done + 1} has more than {limits.LINE_BYTES:,} bytes"
            raise InvalidLog(origin, f"{problem}; {AGAIN}")
        if end >= 0:
            yield block
    if rest and is_complete:
        raise InvalidLog(origin, f"cut off in line {done + 1}, which has no end; {AGAIN}")


def _parse_block(block: bytes, names: Sequence[str], done: int, origin: str | Path) -> _Block:
    lines = block.replace(b"\r\n", b"\n").removesuffix(b"\r").split(b"\n")
    for i, line in enumerate(lines):
        if (found := line.count(b",") + 1) != len(names):
            place, cells = name_row(done + i), f"{found} of {len(names)} cells"
            raise InvalidLog(origin, f"{place} has {cells}; {AGAIN}")
    cells = b",".join(lines).split(b",")
    strict = block.isascii() and b"_" not in block
    return [
        _parse_cells(name, cells[i :: len(names)], done, origin, strict=strict)
        for i, name in enumerate(names)
    ]


def _parse_cells(
    name: str, cells: Sequence[bytes], done: int, origin: str | Path, *, strict: bool
) -> NDArray[Any]:
    """Return the numbers of one column of a block, `strict` without Unicode digits and `_`."""
    kind = _kind(name)
    parse = int if kind is np.int64 else float
    try:
        numbers = np.array(list(map(parse, cells)), dtype=kind)
        if strict and not np.isinf(numbers).any():
            return numbers
    except (ValueError, OverflowError):
        numbers = np.empty(0)
    for i, cell in enumerate(cells):
        try:
            text = cell.decode()
            np.array(int(text) if kind is np.int64 else 0, dtype=np.int64)
            parse_number(text)
        except (ValueError, OverflowError) as error:
            what = "a whole number below 2^63" if kind is np.int64 else "a number"
            found = shorten(cell.decode(errors="backslashreplace"))
            problem = f"{name_row(done + i)}, column {name!r}: {found!r} is not {what}"
            raise InvalidLog(origin, f"{problem}; correct it, or {AGAIN}") from error
    return numbers
