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
    cells = [map(repr, column.values.tolist()) for column in log.columns.values()]
    lines = [
        f"{TITLE}{FORMAT}",
        f"{ROWS}{len(log)}",
        f"{PROVENANCE}{log.provenance.to_json()}",
        ",".join(f"{name} [{log.unit(name)}]" for name in log.names),
        *map(",".join, zip(*cells, strict=True)),
    ]
    return ("\n".join(lines) + "\n").encode()
