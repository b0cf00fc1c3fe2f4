"""Lines in two files of one folder: each side writes one and reads the other."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from grouser.errors import InvalidValue, Unreadable
from grouser.limits import EXCHANGE_BYTES
from grouser.storage import read_file, write_atomically

SYSTEM = os.name
"""What this machine runs: `nt` is Windows."""
SETTLING = 0.001
"""Time after which a line without its newline is looked at again [s]."""
Mark: TypeAlias = tuple[int, int, int]
"""What tells two versions of a file apart: time of change [ns], inode, size."""


class FileChannel:
    """A file that we replace, and a file that the other side replaces or overwrites.

    Ours is always whole. The other's may not be: a line without its newline counts only if it
    is the same a moment later. What lies there at the beginning was left by an earlier run and
    does not count.
    """

    def __init__(
        self, writes: Path, reads: Path, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Write to one file and read the other; their folders are made if missing."""
        self._writes, self._reads, self._sleep = writes, reads, sleep
        for folder in {writes.parent, reads.parent}:
            _make(folder)
        self._seen = _mark(reads)
        self.rejected = 0
        """Nothing: whoever may write to the folder is the other side."""
        self.blocked_writes = 0
        """How often the other side held our file so that it could not be replaced."""

    def send(self, line: str) -> None:
        """Replace our file by `line`."""
        try:
            write_atomically(self._writes, line, durable=False)
        except InvalidValue as error:
            # Windows forbids to replace a file while somebody reads it; the next line will do.
            if SYSTEM != "nt" or not isinstance(error.__cause__, PermissionError):
                raise
            self.blocked_writes += 1

    def receive(self) -> str | None:
        """Return what the other's file says if it changed since the last call."""
        mark = _mark(self._reads)
        if mark is None or mark == self._seen:
            return None
        text = self._read()
        if not text.endswith("\n"):
            self._sleep(SETTLING)
            if not text or self._read() != text:
                return None  # being written: the next look will tell
        self._seen = mark
        return text

    def close(self) -> None:
        """Leave both files as they are."""

    def _read(self) -> str:
        try:
            return read_file(self._reads, EXCHANGE_BYTES).decode("ascii", errors="replace")
        except Unreadable:
            return ""  # gone, held by its writer, or no file with a line


def _mark(path: Path) -> Mark | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        required = f"be a folder or a place for one ({error.strerror})"
        raise InvalidValue("exchange", str(folder), required) from error
