"""Time stamps of foreign tables, exact to the last digit until the first one is subtracted.

A stamp of nanoseconds since 1970 has 19 digits, a float 16: differences of floats would be wrong by
up to 0.2 us. Stamps that are large are therefore added and subtracted as decimal numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.foreign_column import ForeignColumn
from grouser.log.log import Column, Log

EPOCH = 1e8
"""Time above which stamps count from a distant epoch, such as 1970 [s]."""
START = "start_ns"
"""Note in a provenance: time stamp of time 0 [ns]."""
_CONTEXT = Context(prec=60)
_NANOSECOND = Decimal("1e-9")
_FACTORS = {"s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "ns": _NANOSECOND}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stamps:
    """Time stamps of one file."""

    seconds: Array
    """Time of each row; NaN where there is none [s]."""
    exact: tuple[Decimal | None, ...] = ()
    """The same without rounding, if they count from a distant epoch; else empty."""


def read_stamps(column: ForeignColumn, cells: Sequence[Sequence[str]], numbers: Array) -> Stamps:
    """Return the stamps of cells, and of the cells that `column.plus` adds.

    Args:
        column: The entry `time` of the column map.
        cells: The texts of the column, and of the one that is added if there is one.
        numbers: The numbers of both columns (column, row) [foreign unit].
    """
    parts = [column] if column.plus is None else [column, column.plus]
    pairs = zip(parts, numbers, strict=True)
    seconds = np.sum([part.convert(values) for part, values in pairs], axis=0)
    known = np.abs(seconds[np.isfinite(seconds)])
    exact_units = all(part.unit in _FACTORS for part in parts)
    if not known.size or known.max() <= EPOCH or not exact_units:
        return Stamps(seconds=seconds)
    rows = zip(
        *(_exact(part, words) for part, words in zip(parts, cells, strict=True)), strict=True
    )
    exact = tuple(None if None in row else sum(row, Decimal(0)) for row in rows)  # type: ignore[arg-type]
    return Stamps(seconds=seconds, exact=exact)


def _exact(part: ForeignColumn, cells: Sequence[str]) -> list[Decimal | None]:
    scale = Decimal(part.sign) * Decimal(repr(part.scale)) * _FACTORS[part.unit]
    offset = Decimal(repr(part.offset)) * _FACTORS[part.unit]
    found: list[Decimal | None] = []
    for cell in cells:
        try:
            number = Decimal(cell)
        except InvalidOperation:
            number = Decimal("NaN")
        is_known = number.is_finite() and abs(number) < Decimal("1e30")
        found.append(_CONTEXT.fma(number, scale, offset) if is_known else None)
    return found


def find_start(stamps: Sequence[Stamps]) -> Decimal | None:
    """Return the earliest first stamp of some files; None if time need not be shifted [s]."""
    firsts = [next((e for e in s.exact if e is not None), None) for s in stamps if s.exact]
    return min((first for first in firsts if first is not None), default=None)


def since(stamps: Stamps, start: Decimal | None) -> Array:
    """Return the time of each row since `start` [s]."""
    if start is None:
        return stamps.seconds
    if not stamps.exact:
        return stamps.seconds - float(start)
    return np.array(
        [np.nan if e is None else float(_CONTEXT.subtract(e, start)) for e in stamps.exact]
    )


def in_nanoseconds(start: Decimal) -> int:
    """Return a stamp [s] in whole nanoseconds."""
    return int((start / _NANOSECOND).to_integral_value())


def on_clock_of(log: Log, other: Log, path: str | Path) -> Log:
    """Return a log read from a file with the time of another log, if both have stamps since 1970.

    InvalidLog if they have no time in common.
    """
    mine, theirs = (part.provenance.notes.get(START) for part in (log, other))
    if isinstance(mine, int) and isinstance(theirs, int) and mine != theirs:
        shifted = Column(log.time + (mine - theirs) * 1e-9, "s")
        log = log.with_columns({"time": shifted})
    if "time" in log and "time" in other and len(log) and len(other):
        (low, high), (first, last) = ((p.time.min(), p.time.max()) for p in (log, other))
        if low > last or high < first:
            found = f"its times are {low:.9g} to {high:.9g} s, those of the log {first:.9g} to"
            problem = f"has no time in common with the log: {found} {last:.9g} s"
            raise InvalidLog(path, f"{problem}; shift its time with offset in its column map")
    return log
