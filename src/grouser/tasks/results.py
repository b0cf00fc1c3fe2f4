"""Results in a file: one JSON object with a line for each result.

    {
    "first": 1
    ,"second": 2
    }

A result is appended in place of the last brace. Whatever ends the process meanwhile leaves a last
line that is not complete, which is dropped on reading; all lines before it are untouched.
"""

import json
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from grouser import interrupts, limits
from grouser.errors import InvalidValue, Unreadable, Unwritable
from grouser.storage import parse_json, read_file, sync_file, write_atomically

SYNC_PERIOD = 1.0
"""Least time between two flushes to the disk: a crash of the machine loses no more [s]."""

_REMEDY = "move the file away, or name another one"
_END = b"\n}"


class ResultStore:
    """Results by name, and in a file; each is appended at once, and stays if this process ends."""

    def __init__(self, file: Path | None, what: str = "results") -> None:
        """Read what a file holds.

        Args:
            file: A file that may not exist yet; None to keep nothing.
            what: What the file holds, for messages.

        Raises:
            Unreadable: The file holds something else.
        """
        self._file, self._what = file, what
        self._size = 0  # of the file as it is known here; 0 if it has to be written anew
        self.by_name: dict[str, Any] = self._read()
        """All results, those that were in the file first."""
        self._is_synced, self._next_sync = True, 0.0

    def check(self, names: Iterable[str], fits: Callable[[Any], bool]) -> None:
        """Raise Unreadable unless all results fit.

        Raises:
            Unreadable: One does not fit; the message names it.
        """
        for name in names:
            if not fits(self.by_name[name]):
                problem = f"{name!r} does not hold one of the {self._what}"
                raise Unreadable(str(self._file), f"{problem}; {_REMEDY}")

    def keep(self, name: str, value: Any) -> Any:
        """Keep a result; return it as it will be found in the file.

        Raises:
            InvalidValue: JSON has no such value, or the file cannot be written.
        """
        if self._file is None:
            return value
        try:
            text = json.dumps(value)
        except TypeError as error:
            raise InvalidValue(f"result of {name!r}", value, f"be plain ({error})") from error
        with interrupts.held():
            self.by_name[name] = plain = json.loads(text)
            if not self._append(self._file, f",{json.dumps(name)}: {text}".encode() + _END):
                self._write(self._file)
            self._is_synced = False
        if time.monotonic() >= self._next_sync:
            self.sync()
        return plain

    def sync(self) -> None:
        """Flush the file to the disk (fsync)."""
        if self._file is None or self._is_synced:
            return
        try:
            sync_file(self._file)
        except FileNotFoundError:
            self._write(self._file)
        except OSError as error:
            raise Unwritable(self._file, f"be writable ({error.strerror})") from error
        self._is_synced, self._next_sync = True, time.monotonic() + SYNC_PERIOD

    def _append(self, file: Path, line: bytes) -> bool:
        """Put a line in place of the last brace; False if the file is not as it was left here."""
        if not self._size:
            return False
        try:
            descriptor = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return False
        try:
            with os.fdopen(descriptor, "r+b") as opened:
                opened.seek(0, os.SEEK_END)
                if opened.tell() != self._size:
                    return False
                opened.seek(self._size - 1)
                opened.write(line)
        except OSError as error:
            raise Unwritable(file, f"be writable ({error.strerror})") from error
        self._size += len(line) - 1
        return True

    def _write(self, file: Path) -> None:
        pairs = self.by_name.items()
        lines = "\n,".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in pairs)
        text = b"{\n" + lines.encode() + _END
        write_atomically(file, text)
        self._size = len(text)

    def _read(self) -> dict[str, Any]:
        if self._file is None or not self._file.exists():
            return {}
        text = read_file(self._file, limits.RESULT_BYTES)
        try:
            content = _parse(text)
        except ValueError as error:
            problem = f"does not hold {self._what}: it is not JSON ({error})"
            raise Unreadable(self._file, f"{problem}; {_REMEDY}") from error
        if not isinstance(content, dict):
            problem = f"does not hold {self._what}: it must be one JSON object"
            raise Unreadable(self._file, f"{problem}; {_REMEDY}")
        if content and text.endswith(_END) and text.startswith(b"{\n"):
            self._size = len(text)
        return content


def _parse(text: bytes) -> Any:
    """Return the content of a file, without a last line that is not complete."""
    try:
        return parse_json(text)
    except ValueError:
        lines, newline, last = text.rpartition(b"\n")
        if not newline or not (last == b"" or last.startswith(b",")):
            raise
        with suppress(ValueError):
            return parse_json(lines + _END)
        raise
