"""A log that grows on disk while a run goes on, and can be read whenever the writer is killed.

Its file is CSV as in `grouser.log.csv_file`. As long as rows come, the header has an unknown
number of rows and the status "unfinished"; at the end both are written over, in their place.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import Unwritable
from grouser.log.csv_file import UNKNOWN, format_head, format_rows
from grouser.log.log import Column, Log
from grouser.log.provenance import Provenance
from grouser.storage import next_free

UNFINISHED = ".unfinished.csv"
"""How the name of a log ends that is still being written, or whose writer was killed."""
BLOCK = 1 << 22
"""How much is read at once when the rows are read again [B]."""
SYNC_PERIOD = 5.0
"""Longest time until rows are on the disk itself, safe from a crash of the machine [s]."""
_PAGE = 4096  # bytes
_ROOM = 24  # letters that the number of rows and the status may take


class Spool:
    """Appends rows to a file, so that no run is too long for the memory.

    What `append` has returned from can be read by others, also after a kill -9. If the disk is
    full, rows wait in memory, and each `append` tries again.
    """

    def __init__(
        self, path: str | Path, columns: Sequence[tuple[str, str]], provenance: Provenance
    ) -> None:
        """Make the file, under the next free name if there is one already.

        Args:
            path: Where.
            columns: Name and SI unit of each column.
            provenance: What is known at the beginning; `finish` says how it ended.

        Raises:
            Unwritable: The file cannot be made.
        """
        self.columns, self.rows = tuple(columns), 0
        self.provenance = replace(provenance, status="unfinished")
        self.problem: OSError | None = None
        """Why rows wait in memory; None if they do not."""
        self._waiting: list[NDArray[np.float64]] = []
        self._is_whole = [name == "tick" for name, _ in columns]
        self._end, self._synced, self._syncing = 0, monotonic(), Thread()
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.path, self._file = _create(Path(path))
            try:
                self._write(self._head()[0])
            except OSError:
                self.close(remove=True)
                raise
        except OSError as error:
            raise Unwritable(path, f"be writable ({error.strerror})") from error
        self._begin = self._end

    def __len__(self) -> int:
        return self.rows

    def append(self, rows: NDArray[np.float64]) -> None:
        """Add rows, one number for each column in each; other programs see them at once."""
        self._waiting.append(rows)
        self.rows += len(rows)
        try:
            while self._waiting:
                self._write(self._format(self._waiting[0]))
                self._waiting.pop(0)
            self.problem = None
            self._sync_soon()
        except OSError as error:
            self.problem = error

    def finish(self, status: str) -> None:
        """Say how the run ended; no rows may follow."""
        self.provenance = replace(self.provenance, status=status)
        self._end_syncing()

    def write_csv(self, path: Path) -> None:
        """Write the log to another file, as CSV.

        Raises:
            OSError: There is no room, or no such place.
        """
        with path.open("xb") as file:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file, BLOCK)
            file.seek(self._end)
            file.truncate()
            for rows in self._waiting:
                file.write(self._format(rows))
            self._complete_head(file)

    def complete(self) -> Path:
        """Complete the file itself; return its path, to be renamed.

        Raises:
            OSError: Rows still wait, or the file is gone.
        """
        if self.problem is not None:
            raise self.problem
        if not os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path)):
            raise FileNotFoundError(2, os.strerror(2))
        self._complete_head(self._file)
        os.fsync(self._file.fileno())
        return self.path

    def close(self, *, remove: bool) -> None:
        """Close the file, and remove it if it is still there and no longer needed."""
        if self._file.closed:
            return
        self._end_syncing()
        if remove:
            with suppress(OSError):
                if os.path.samestat(os.fstat(self._file.fileno()), os.lstat(self.path)):
                    self.path.unlink()
        self._file.close()

    def blocks(self) -> Iterator[Log]:
        """Yield the log in blocks of rows that follow one another; at least one, perhaps empty."""
        return self._blocks(self._file, self._end, self._waiting)

    def log(self) -> Log:
        """Return the whole log, which takes eight bytes a number."""
        return self._join(self.blocks())

    def log_later(self) -> Callable[[], Log]:
        """Return a function that reads the log as far as it has rows now.

        Another thread may call it, once, also after this spool was closed.

        Raises:
            OSError: The file is gone.
        """
        file, end, waiting = self.path.open("rb"), self._end, tuple(self._waiting)

        def read() -> Log:
            with file:
                return self._join(self._blocks(file, end, waiting))

        return read

    def _blocks(self, file: Any, end: int, waiting: Sequence[NDArray[np.float64]]) -> Iterator[Log]:
        count, place, rest = len(self.columns), self._begin, b""
        while place < end:
            file.seek(place)
            content = rest + file.read(min(BLOCK, end - place))
            place += len(content) - len(rest)
            whole, _, rest = content.rpartition(b"\n")
            yield self._log(np.fromstring(whole.replace(b"\n", b","), sep=",").reshape(-1, count))
        for rows in waiting or ([] if end > self._begin else [np.empty((0, count))]):
            yield self._log(rows)

    def _join(self, blocks: Iterable[Log]) -> Log:
        parts = list(blocks)
        columns = {
            name: Column(np.concatenate([part[name] for part in parts]), unit)
            for name, unit in self.columns
        }
        return Log(columns, self.provenance)

    def _log(self, rows: NDArray[np.float64]) -> Log:
        columns = zip(self.columns, rows.T, strict=True)
        return Log(
            {name: Column(values, unit) for (name, unit), values in columns}, self.provenance
        )

    def _write(self, content: bytes) -> None:
        """Write to the end of the file, all or nothing."""
        self._file.seek(self._end)
        written = 0
        try:
            while written < len(content):
                written += self._file.write(content[written:])
            self._end += written
        except OSError:
            # A row that is cut off in the middle would spoil those that come later.
            with suppress(OSError):
                self._file.truncate(self._end)
            raise

    def _format(self, rows: NDArray[np.float64]) -> bytes:
        columns = zip(rows.T, self._is_whole, strict=True)
        cells = (c.astype(np.int64).tolist() if whole else c.tolist() for c, whole in columns)
        return format_rows(zip(*cells, strict=True))

    def _head(self) -> tuple[bytes, int]:
        """Return the header, as long as it will ever be, and where in it the status begins."""
        content = self.provenance.to_dict()
        status = f'"status": "{content.pop("status")}"}}'.ljust(_ROOM)
        before = json.dumps(content)[:-1] + ", "
        is_open = self.provenance.status == "unfinished"
        rows = (UNKNOWN if is_open else str(self.rows)).ljust(_ROOM)
        place = format_head(self.columns, rows, before).index(before.encode()) + len(before)
        # A write within one page of memory is never cut in two, not even by a kill -9.
        blanks = _PAGE - place % _PAGE if place % _PAGE > _PAGE - _ROOM else 0
        return format_head(self.columns, rows, before + " " * blanks + status), place + blanks

    def _complete_head(self, file: Any) -> None:
        # In this order: a file that says how many rows it has also says how it ended.
        head, status = self._head()
        first = head.index(b"\n")
        for begin, end in ((status, status + _ROOM), (first, head.index(b"\n", first + 1))):
            file.seek(begin)
            file.write(head[begin:end])

    def _sync_soon(self) -> None:
        # The disk may take long, for which no tick can wait.
        if monotonic() < self._synced + SYNC_PERIOD or self._syncing.is_alive():
            return
        self._synced = monotonic()
        self._syncing = Thread(target=_sync, args=(self._file.fileno(),), daemon=True)
        self._syncing.start()

    def _end_syncing(self) -> None:
        if self._syncing.is_alive():
            self._syncing.join()


def name_spool(path: Path) -> Path:
    """Return what the log is called while it is being written: NAME.unfinished.csv."""
    return path.with_name(f"{path.stem}{UNFINISHED}")


def _create(path: Path) -> tuple[Path, Any]:
    with suppress(OSError):
        # A writer was killed when the finished file had both its names.
        if path.lstat().st_nlink > 1:
            path.unlink()
    while True:
        free = next_free(path)
        with suppress(FileExistsError):
            return free, free.open("x+b", buffering=0)


def _sync(descriptor: int) -> None:
    with suppress(OSError):
        os.fsync(descriptor)
