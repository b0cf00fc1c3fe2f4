"""A table for the terminal: one column per question to a row."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

Measured = tuple[list[Any], Table]
"""Rows, and the table that shows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked of a section."""

    peers: Path | None = None
    """Folder of other programs."""
    quick: bool = False
    """Whether fewer repeats and smaller cases are enough."""
    minutes: float = 10.0
    """Simulated time of endurance [min]."""


def tell(text: str) -> None:
    """Say how far a section is."""
    print(text, file=sys.stderr)


def tell_load() -> str:
    """Return the load average beside the number of cores, as a caption."""
    return f"Load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores."


def make_table(
    title: str,
    rows: Sequence[Any],
    columns: Mapping[str, Callable[[Any], str]],
    *,
    words: int = 1,
    sections: Callable[[Any], object] = lambda row: None,
) -> Table:
    """Return a table.

    Args:
        title: What it is about.
        rows: What it tells.
        columns: By head, what a row's cell says.
        words: How many columns at the left are words; all others are numbers.
        sections: Rows that give another answer than the row above begin a section.
    """
    table = Table(title=escape(title))  # units in brackets are no markup
    for number, head in enumerate(columns):
        table.add_column(escape(head), justify="left" if number < words else "right")
    for above, row in zip([None, *rows], rows, strict=False):
        if above is not None and sections(above) != sections(row):
            table.add_section()
        table.add_row(*(tell(row) for tell in columns.values()))
    return table


def optional(value: float | None) -> str:
    """Return a number with two digits, or nothing."""
    return "" if value is None else f"{value:.2f}"
