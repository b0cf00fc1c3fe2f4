"""A log that is appended to on disk during a run, and stays readable if the writer is killed.

The file is CSV as in `grouser.log.csv_file`. During the run, the header has an unknown number of
rows and the status "unfinished"; both are overwritten in place at the end.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser import interrupts
from grouser.errors import Unwritable
from grouser.log.csv_file import UNKNOWN, format_head, format_rows
from grouser.log.log import Column, Log, concatenate_logs
from grouser.log.provenance import Provenance
from grouser.storage import next_free

UNFINISHED = ".unfinished.csv"
"""Suffix of a log that is being written, or whose writer was killed."""
BLOCK = 1 << 22
"""Size of the blocks in which rows are read back [B]."""
SYNC_PERIOD = 5.0
"""Longest time until rows are synced to disk, safe from a crash of the machine [s]."""
_PAGE = 4096  # bytes
_ROOM = 24  # characters reserved for the number of rows and for the status


class _Kept(NamedTuple):
    """Where rows are; replaced as a whole, so that no interrupt finds it half changed."""

    end: int
    """Where the rows in the file end [B]."""
    written: int
    """How many rows are in the file."""
    waiting: tuple[NDArray[np.float64], ...]
    """Rows that are still to be written, after them."""


class Spool:
    """Appends rows to a file, so that the length of a run is not limited by memory.

    Appended rows can be read by other processes, also after a kill -9. If the disk is full, rows
    are kept in memory, and each `append` tries again.
    """

    def __init__(
        self, path: str | Path, columns: Sequence[tuple[str, str]], provenance: Provenance
    ) -> None:
        """Create the file, under the next free name if it exists; Unwritable if it cannot."""
        self.columns = tuple(columns)
        self.provenance = replace(provenance, status="unfinished")
        self.problem: OSError | None = None
        """Why rows are kept in memory; None if all are in the file."""
        self._kept = _Kept(0, 0, ())
        self._is_whole = [name == "tick" for name, _ in columns]
        self._synced, self._syncing = monotonic(), Thread()
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.path, self._file = _create(Path(path))
            try:
                self._begin = self._write(self._head()[0])
                self._kept = _Kept(self._begin, 0, ())
            except BaseException:
                with interrupts.held():  # pressed once more, nothing empty is left
                    self.close(remove=True)
                raise
        except OSError as error:
            raise Unwritable(path, f"be writable ({error.strerror})") from error

    def __len__(self) -> int:
        return self.rows

    @property
    def rows(self) -> int:
        """How many rows were appended."""
        kept = self._kept
        return kept.written + sum(map(len, kept.waiting))

    def append(self, rows: NDArray[np.float64]) -> None:
        """Append rows (row, column); other processes can read them immediately.

        An interrupt at any instant leaves each of them counted by `rows`, or none.
        """
        kept = self._kept
        self._kept = kept._replace(waiting=(*kept.waiting, rows))
        self._write_waiting()

    def _write_waiting(self) -> None:
        try:
            while (kept := self._kept).waiting:
                first, *others = kept.waiting
                end = self._write(self._format(first))
                # In one step; before it, the same bytes are written again to the same place.
                self._kept = _Kept(end, kept.written + len(first), tuple(others))
            self.problem = None
            self._sync_soon()
        except OSError as error:
            self.problem = error

    def finish(self, status: str) -> None:
        """Set the status at the end of the run; no rows may follow."""
        self.provenance = replace(self.provenance, status=status)
        self._write_waiting()
        self._end_syncing()

    def write_csv(self, path: Path) -> None:
        """Write the log to another file, as CSV; OSError if the disk is full."""
        with path.open("xb") as file:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file, BLOCK)
            file.seek(self._kept.end)
            file.truncate()
            for rows in self._kept.waiting:
                file.write(self._format(rows))
            self._complete_head(file)

    def complete(self) -> Path:
        """Complete the header of the file; return its path, to be renamed. OSError if it fails."""
        if self.problem is not None:
            raise self.problem
        if not os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path)):
            raise FileNotFoundError(2, os.strerror(2))
        self._file.truncate(self._kept.end)  # what an interrupted append may have left
        self._complete_head(self._file)
        os.fsync(self._file.fileno())
        return self.path

    def close(self, *, remove: bool) -> None:
        """Close the file and, with `remove`, delete it if it is still the same file."""
        if self._file.closed:
            return
        self._end_syncing()
        if remove:
            with suppress(OSError):
                if os.path.samestat(os.fstat(self._file.fileno()), os.lstat(self.path)):
                    self.path.unlink()
        self._file.close()

    def blocks(self) -> Iterator[Log]:
        """Yield the log in consecutive blocks of rows: at least one, which may be empty."""
        return self._blocks(self._file, self._kept)

    def log(self) -> Log:
        """Return the whole log, in memory."""
        return concatenate_logs(list(self.blocks()))

    def log_later(self) -> Callable[[], Log]:
        """Return a function that reads the log up to the current row, once, in any thread."""
        file, kept = self.path.open("rb"), self._kept

        def read() -> Log:
            with file:
                return concatenate_logs(list(self._blocks(file, kept)))

        return read

    def _blocks(self, file: Any, kept: "_Kept") -> Iterator[Log]:
        count, place, rest, (end, _, waiting) = len(self.columns), self._begin, b"", kept
        while place < end:
            file.seek(place)
            content = rest + file.read(min(BLOCK, end - place))
            place += len(content) - len(rest)
            whole, _, rest = content.rpartition(b"\n")
            yield self._log(np.fromstring(whole.replace(b"\n", b","), sep=",").reshape(-1, count))
        for rows in waiting or ([] if end > self._begin else [np.empty((0, count))]):
            yield self._log(rows)

    def _log(self, rows: NDArray[np.float64]) -> Log:
        columns = zip(self.columns, rows.T, strict=True)
        return Log(
            {name: Column(values, unit) for (name, unit), values in columns}, self.provenance
        )

    def _write(self, content: bytes) -> int:
        """Write to the end of the file, all or nothing; return where the file ends then."""
        end = self._kept.end
        self._file.seek(end)
        written = 0
        try:
            while written < len(content):
                written += self._file.write(content[written:])
        except BaseException:
            # Remove a partly written row, so that later rows stay readable.
            with suppress(OSError):
                self._file.truncate(end)
            raise
        return end + written

    def _format(self, rows: NDArray[np.float64]) -> bytes:
        columns = zip(rows.T, self._is_whole, strict=True)
        cells = (c.astype(np.int64).tolist() if whole else c.tolist() for c, whole in columns)
        return format_rows(zip(*cells, strict=True))

    def _head(self) -> tuple[bytes, int]:
        """Return the header, with its final length, and the position of the status in it."""
        content = self.provenance.to_dict()
        status = f'"status": "{content.pop("status")}"}}'.ljust(_ROOM)
        before = json.dumps(content)[:-1] + ", "
        is_open = self.provenance.status == "unfinished"
        rows = (UNKNOWN if is_open else str(self.rows)).ljust(_ROOM)
        place = format_head(self.columns, rows, before).index(before.encode()) + len(before)
        # A write within one memory page is atomic, even under kill -9.
        blanks = _PAGE - place % _PAGE if place % _PAGE > _PAGE - _ROOM else 0
        return format_head(self.columns, rows, before + " " * blanks + status), place + blanks

    def _complete_head(self, file: Any) -> None:
        # Status first: a file with a number of rows then also has its final status.
        head, status = self._head()
        first = head.index(b"\n")
        for begin, end in ((status, status + _ROOM), (first, head.index(b"\n", first + 1))):
            file.seek(begin)
            file.write(head[begin:end])

    def _sync_soon(self) -> None:
        # In a thread: fsync can take longer than a tick.
        if monotonic() < self._synced + SYNC_PERIOD or self._syncing.is_alive():
            return
        self._synced = monotonic()

        def sync(descriptor: int) -> None:
            with suppress(OSError):
                os.fsync(descriptor)

        self._syncing = Thread(target=sync, args=(self._file.fileno(),), daemon=True)
        self._syncing.start()

    def _end_syncing(self) -> None:
        if self._syncing.is_alive():
            self._syncing.join()


def name_spool(path: Path) -> Path:
    """Return the path of a log while it is being written: NAME.unfinished.csv."""
    return path.with_name(f"{path.stem}{UNFINISHED}")


def _create(path: Path) -> tuple[Path, Any]:
    with suppress(OSError):
        # Remove a second link, left by a writer that was killed while it renamed the file.
        if path.lstat().st_nlink > 1:
            path.unlink()
    while True:
        free = next_free(path)
        with suppress(FileExistsError):
            return free, free.open("x+b", buffering=0)
