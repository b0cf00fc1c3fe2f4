"""Where a run first differs from another that should be the same."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grouser.log import Log

CLOCKS = frozenset({"wall_time"})
"""Columns that never repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """The first difference between two logs."""

    time: float
    """Simulated time of the first row that differs [s]."""
    column: str
    """The first column that differs there."""
    first: float
    """What one log has there [unit of the column]."""
    second: float
    """What the other has [unit of the column]."""

    @property
    def sentence(self) -> str:
        """The difference in words."""
        return (
            f"parts at {self.time:.6g} s, where {self.column} is {self.second!r} "
            f"and was {self.first!r}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the difference for JSON."""
        return asdict(self)


def find_parting(first: Log, second: Log) -> Parting | None:
    """Return where two logs first differ in a bit; None if they do not.

    Columns that only one of them has do not count, nor does the wall clock. A log that goes on
    after the other ended parts there.
    """
    rows = min(len(first), len(second))
    earliest: Parting | None = None
    limit = rows
    for name in first:
        if name in CLOCKS or name not in second:
            continue
        mine, theirs = (np.ascontiguousarray(log[name][:limit]) for log in (first, second))
        differing = np.flatnonzero(mine.view(np.uint64) != theirs.view(np.uint64))
        if differing.size:
            limit = int(differing[0])
            earliest = Parting(
                time=float(first.time[limit]),
                column=name,
                first=mine[limit].item(),
                second=theirs[limit].item(),
            )
    if earliest is None and len(first) != len(second):
        longer = max(first, second, key=len)
        return Parting(
            time=float(longer.time[rows]), column="rows", first=len(first), second=len(second)
        )
    return earliest
