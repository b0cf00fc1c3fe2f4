"""Results in a file, so that what is done stays done."""

import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from grouser import limits
from grouser.errors import InvalidValue, Unreadable
from grouser.storage import parse_json, read_file, write_atomically

LARGE = 1_000_000
"""Size from which a file is not written after each result [bytes]."""
PERIOD = 1.0
"""Least time between two writings of a large file [s]."""

_REMEDY = "move the file away, or name another one"


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
            Unreadable: The file holds something else.
        """
        self._file, self._what = file, what
        self.by_name: dict[str, Any] = self._read()
        """All results, those that were in the file first."""
        self._is_written, self._next_time = True, 0.0

    def check(self, names: Iterable[str], fits: Callable[[Any], bool]) -> None:
        """Reject a file whose results are none.

        Args:
            names: Which results to look at.
            fits: Whether a value can be a result.

        Raises:
            Unreadable: One does not fit; says which.
        """
        for name in names:
            if not fits(self.by_name[name]):
                problem = f"{name!r} does not hold one of the {self._what}"
                raise Unreadable(str(self._file), f"{problem}; {_REMEDY}")

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
            content = parse_json(read_file(self._file, limits.RESULT_BYTES))
        except ValueError as error:
            problem = f"does not hold {self._what}: it is not JSON ({error})"
            raise Unreadable(self._file, f"{problem}; {_REMEDY}") from error
        if not isinstance(content, dict):
            problem = f"does not hold {self._what}: it must be one JSON object"
            raise Unreadable(self._file, f"{problem}; {_REMEDY}")
        return content
