"""Logs of any kind on the command line; a table of another program without a map gets one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grouser.errors import GrouserError

if TYPE_CHECKING:
    from grouser.cli.terminal import Terminal
    from grouser.log import Log

SUFFIX = ".map.toml"
"""Ending of the name of a column map that was guessed."""


def read_any_log(
    path: Path,
    column_map: Path | None,
    terminal: Terminal,
    radius: float | None = None,
    guessed: dict[str, Path] | None = None,
) -> Log:
    """Return a log of grouser, a bag, or a table of another program.

    A table without a column map is read by one that is guessed and written to the current folder,
    or by the one that is there already. What was understood goes to stderr. `radius` is that of
    wheels or sprockets [m]. `guessed` remembers the map of each line of headings, so that many
    tables of one kind share the first one's.
    """
    from grouser.log import read_foreign, read_log
    from grouser.log.csv_file import is_own_csv
    from grouser.log.mcap import is_bag

    if column_map is not None:
        return read_foreign(path, column_map)
    if is_bag(path) or path.suffix.lower() == ".parquet" or is_own_csv(path):
        return read_log(path)
    guessed = {} if guessed is None else guessed
    headings = _first_line(path)
    if headings in guessed:
        return read_foreign(path, guessed[headings])
    log = _read_by_proposal(path, terminal, radius)
    if any(letter.isalpha() for letter in headings):
        guessed[headings] = Path(f"{path.stem}{SUFFIX}")
    return log


def _first_line(path: Path) -> str:
    """Return the first line of a text file; empty if it cannot be read as text."""
    from grouser import limits

    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.readline(limits.LINE_BYTES).strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _read_by_proposal(path: Path, terminal: Terminal, radius: float | None) -> Log:
    from grouser.log import read_foreign
    from grouser.log.propose_map import propose_map
    from grouser.storage import is_file, write_atomically
    from grouser.toml import read_text

    kept = Path(f"{path.stem}{SUFFIX}")
    if is_file(kept):
        try:
            is_same = propose_map(path, radius).to_toml(path.name) == read_text(kept)
        except GrouserError:
            is_same = False
        words = f"{path} is read by {kept}, which was there already"
        terminal.remark(f"{words}{'' if is_same else ' and differs from the guess'}")
        log = read_foreign(path, kept)
        _show(log, kept, terminal)
        return log
    proposal = propose_map(path, radius)
    write_atomically(kept, proposal.to_toml(path.name))
    terminal.remark(f"{path} is read by the guessed map {kept}: check it")
    log = read_foreign(path, kept)
    _show(log, kept, terminal)
    for remark in proposal.remarks:
        terminal.remark(f"  {remark}")
    if proposal.unused:
        terminal.remark(f"  not used: {', '.join(proposal.unused)}")
    return log


def _show(log: Log, column_map: Path, terminal: Terminal) -> None:
    """Write what was read, to stderr."""
    from grouser.log import read_column_map
    from grouser.log.describe_columns import HEADS, describe_columns

    rows = [HEADS, *describe_columns(log, read_column_map(column_map))]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADS))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminal.remark(f"  {'  '.join(cells).rstrip()}")
    if "piece" in log:
        count = len(set(log["piece"].tolist()))
        terminal.remark(f"  {count} pieces, {log.duration:.4g} s together")
