"""Results in a file, so that what is done stays done."""

import json
import time
from pathlib import Path
from typing import Any

from grouser.errors import InvalidValue
from grouser.storage import write_atomically

LARGE = 1_000_000
"""Size from which a file is not written after each result [bytes]."""
PERIOD = 1.0
"""Least time between two writings of a large file [s]."""


class KeptResults:
    """Results by name, and in a file that is written whole or not at all.

    It is written after each result; a large one once a second, and when the work ends.
    """

    def __init__(self, file: Path | None, what: str = "results") -> None:
        """Look up what a file holds.

        Args:
            file: A file that may not exist yet; None to keep nothing.
            what: What the file holds, for messages.

        Raises:
            InvalidValue: The file holds something else.
        """
        self._file, self._what = file, what
        self.by_name: dict[str, Any] = self._read()
        """All results, those that were in the file first."""
        self._is_written, self._next_time = True, 0.0

    def keep(self, name: str, value: Any) -> Any:
        """Keep a result; return it as it will be found in the file.

        Raises:
            InvalidValue: JSON does not know such a value, or the file cannot be written.
        """
        if self._file is None:
            return value
        try:
            plain = json.loads(json.dumps(value))
        except TypeError as error:
            raise InvalidValue(f"result of {name!r}", value, f"be plain ({error})") from error
        self.by_name[name] = plain
        self._is_written = False
        if time.monotonic() >= self._next_time:
            self.write()
        return plain

    def write(self) -> None:
        """Write what is not yet in the file."""
        if self._file is None or self._is_written:
            return
        text = json.dumps(self.by_name, indent=1)
        write_atomically(self._file, text)
        self._is_written = True
        self._next_time = time.monotonic() + PERIOD if len(text) > LARGE else 0.0

    def _read(self) -> dict[str, Any]:
        if self._file is None or not self._file.exists():
            return {}
        try:
            content = json.loads(self._file.read_bytes())
        except ValueError:
            content = None
        except OSError as error:
            required = f"be readable ({error.strerror})"
            raise InvalidValue(self._what, str(self._file), required) from error
        if not isinstance(content, dict):
            raise InvalidValue(self._what, str(self._file), f"hold {self._what}, or not be there")
        return content
