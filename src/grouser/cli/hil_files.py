"""The two files of a run with a board: its log, and beside it every byte."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from grouser.errors import InvalidValue


def choose_log(out: Path | None, default: Path, *, overwrite: bool) -> Path:
    """Return where the log goes, so that neither it nor its raw log replaces another run's.

    Args:
        out: What `--out` says; a name that is still free if not given.
        default: That name, unless it is taken: then with -2, -3 and so on.
        overwrite: Whether `--out` may replace what is there.

    Raises:
        InvalidValue: One of both files is there already, and may not be replaced.
    """
    if out is None:
        return next(path for path in _candidates(default) if not _existing(path))
    taken = _existing(out)
    if taken and not overwrite:
        required = "be a new file, or come with --overwrite; this one is there already"
        raise InvalidValue("--out", str(taken[0]), required)
    return out


def raw_beside(log: Path) -> Path:
    """Return where the bytes go that belong to a log."""
    return log.with_suffix(".raw")


def _existing(log: Path) -> list[Path]:
    return [path for path in (log, raw_beside(log)) if path.exists() or path.is_symlink()]


def _candidates(path: Path) -> Iterator[Path]:
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")
