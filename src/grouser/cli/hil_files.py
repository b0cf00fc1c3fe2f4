"""The two files of a run with a board: its log, and beside it every byte."""

import os
from pathlib import Path

from grouser.cli.check_suffix import LOGS
from grouser.cli.output import Output, claim_output
from grouser.storage import numbered


def claim_log(out: Path | None, default: Path, *, overwrite: bool) -> Output:
    """Return where the log goes, so that neither it nor its raw log replaces another run's.

    Args:
        out: What `--out` says.
        default: The log if it says nothing, with -2, -3 and so on if either file is there.
        overwrite: Whether files may be replaced.

    Raises:
        InvalidValue: One of both files is there already, or cannot be written.
    """
    if out is None and not overwrite:
        default = next(path for path in numbered(default) if not _is_taken(path))
    log = out or default
    claim_output("--out", raw_beside(log), overwrite=overwrite)
    return claim_output("--out", out, default, overwrite=overwrite, suffixes=LOGS)


def raw_beside(log: Path) -> Path:
    """Return where the bytes go that belong to a log."""
    return log.with_suffix(".raw")


def _is_taken(log: Path) -> bool:
    return os.path.lexists(log) or os.path.lexists(raw_beside(log))
