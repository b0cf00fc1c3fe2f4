"""A recording of all messages, as an MCAP file."""

import time
from collections.abc import Callable
from pathlib import Path

import foxglove
from foxglove import Context

from grouser.errors import Unwritable

FLUSH = 30.0
"""Time after which what was recorded is written to the file, even if it is little [s]."""


class Recording:
    """Writes what is published in a context, until it is closed."""

    def __init__(self, path: str | Path, context: Context) -> None:
        """Open a file, which is replaced if there is one.

        Raises:
            Unwritable: It cannot be opened.
        """
        self._path, self._flushed_at = Path(path), time.monotonic()
        self.problem = ""
        """What went wrong, in a sentence; empty if nothing did."""
        try:
            self._writer = foxglove.open_mcap(str(path), allow_overwrite=True, context=context)
        except (OSError, RuntimeError) as error:
            raise Unwritable(path, f"be writable ({_reason(error)})", "recording") from None

    def flush(self) -> None:
        """Write what is waiting, if that was not done for long; a problem is kept."""
        now = time.monotonic()
        if now - self._flushed_at >= FLUSH:
            self._flushed_at = now
            self._try(self._writer.flush)

    def close(self) -> None:
        """Complete the file; a problem is kept."""
        self._try(self._writer.close)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (OSError, RuntimeError) as error:
            self.problem = self.problem or (
                f"the recording {self._path.name} is not complete, because it could not be "
                f"written ({_reason(error)}); see whether its disk is full"
            )


def _reason(error: Exception) -> str:
    return str(error).rpartition("rror: ")[2]
