"""A log as CSV: readable by people and by every spreadsheet, exact to the last bit.

    # grouser log 1
    # rows = 2
    # provenance = {"robot": "tp100", ...}
    time [s],x [m]
    0.0,0.0
    0.1,0.012

The number of rows stands at the top and every line ends with a newline, so a file that was
cut off anywhere is noticed.

While a run goes on, nobody knows the number of rows yet. The second line then is

    # rows = unknown

and the provenance has the status "unfinished". Such a file is read up to its last whole line; a
line that was cut off is left out. Blanks may follow the number, `unknown` and the provenance, so
that a writer that leaves room can write the final words over the first ones.
"""

from collections.abc import Iterable, Sequence

from grouser.log.log import Log

FORMAT = 1
"""Version of the layout."""
HEADER_LINES = 4
"""Lines above the first row."""

TITLE = "# grouser log "
"""Beginning of the first line."""
ROWS = "# rows = "
"""Beginning of the second line."""
UNKNOWN = "unknown"
"""In place of the number of rows, while a run goes on."""
PROVENANCE = "# provenance = "
"""Beginning of the third line."""


def format_csv(log: Log) -> bytes:
    """Return the log as the content of a CSV file."""
    columns = [(name, log.unit(name)) for name in log.names]
    cells = (column.values.tolist() for column in log.columns.values())
    head = format_head(columns, str(len(log)), log.provenance.to_json())
    return head + format_rows(zip(*cells, strict=True))


def format_head(columns: Sequence[tuple[str, str]], rows: str, provenance: str) -> bytes:
    """Return the lines above the first row.

    Args:
        columns: Name and unit of each.
        rows: How many there are, or `UNKNOWN`; blanks may follow.
        provenance: As JSON; blanks may follow.
    """
    headings = ",".join(f"{name} [{unit}]" for name, unit in columns)
    return f"{TITLE}{FORMAT}\n{ROWS}{rows}\n{PROVENANCE}{provenance}\n{headings}\n".encode()


def format_rows(rows: Iterable[Iterable[float]]) -> bytes:
    """Return lines of numbers, exact to the last bit."""
    return "".join(f"{','.join(map(repr, row))}\n" for row in rows).encode()
