"""How a command ends: exit codes, signals, and results that are not where they should be."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TextIO

from grouser import interrupts

DONE = 0
"""Exit code when all went well."""
DIFFERENT = 1
"""Exit code of `replay` when the new run differs from the log."""
UNCERTAIN = 1
"""Exit code of `identify` and `track` when what was found should not be believed."""
REFUSED = 2
"""Exit code when the command line or a file has a mistake."""
NOT_FINITE = 3
"""Exit code when a simulation was stopped because a number is no longer finite."""
ELSEWHERE = 4
"""Exit code when a result could not be written where it was to be, and is in another place."""
FAILED = 5
"""Exit code when a tick raised: a mistake in a model, driver or sensor, not in what was given."""
INTERRUPTED = 130
"""Exit code after Ctrl-C; after SIGTERM it is 143, after SIGHUP 129, as a shell reports them."""
BY_STATUS = {"interrupted": INTERRUPTED, "failed": FAILED}
"""Exit codes of runs whose status is not `complete`."""
BROKEN_PIPE = 141
"""Exit code when the reader of the output closed it, as a shell reports it."""

SHELL_BASE = 128
"""What a shell adds to the number of the signal that ended a program."""
ENDINGS = ("SIGTERM", "SIGHUP")
"""Signals that end a command besides Ctrl-C; Windows has no SIGHUP."""

_misplaced: list[Path] = []
"""Results of this command that are not where they should be."""


class Signals:
    """What has come while a command ran."""

    def __init__(self) -> None:
        self.number: int | None = None
        """The signal that ended the command; None if none did, or Ctrl-C."""

    def exit_code(self, interrupted: int) -> int:
        """Return the exit code of a command that was interrupted, as a shell expects it."""
        return interrupted if self.number is None else SHELL_BASE + self.number


@contextlib.contextmanager
def ending_in_order() -> Iterator[Signals]:
    """Let the first SIGTERM or SIGHUP end a command as Ctrl-C does; further ones change nothing.

    A command that ends has files to write and motors to stop, so it is not interrupted again;
    Ctrl-C and SIGKILL are left for one that hangs. A signal that the caller ignores (`nohup`)
    stays ignored. Only the main thread can be interrupted; elsewhere nothing changes.
    """
    signals = Signals()
    terminals = [stream for stream in (sys.stdout, sys.stderr) if _is_terminal(stream)]

    def end(number: int, frame: FrameType | None) -> None:
        is_first, signals.number = signals.number is None, signals.number or number
        for stream in terminals:
            if not _is_terminal(stream):
                _silence(stream)  # its window was closed: whatever is written now would fail
        if interrupts.take_lost() or is_first or interrupts.is_calling():
            interrupts.hear(number)

    known = [getattr(signal, name) for name in ENDINGS if hasattr(signal, name)]
    interrupts.take()  # what an earlier command of this process left
    handlers = {signal.SIGINT: interrupts.hear} | dict.fromkeys(known, end)
    with interrupts.handled(handlers), interrupts.delivered():
        yield signals


def end_without_traceback() -> None:
    """Let Ctrl-C end this process at once from now on: nothing is left to be done."""
    with contextlib.suppress(ValueError):  # not the main thread, which alone hears signals
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_terminal(stream: TextIO) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return stream.isatty()
    return False


def _silence(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def remember_misplaced(path: Path) -> None:
    """Record that a result is at `path` and not where it should be."""
    _misplaced.append(path)


def forget_misplaced() -> bool:
    """Return whether any result was misplaced since the last call."""
    found = bool(_misplaced)
    _misplaced.clear()
    return found
