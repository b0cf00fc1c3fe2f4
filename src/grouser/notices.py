"""Messages of the package about its own work, such as compiling, and how far it is.

Sentences go through the logger "grouser": by default to the standard error stream, as any
warning does; its handlers and its level redirect or silence them. How far a work is goes only to
those who watch.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LOGGER = logging.getLogger("grouser")
"""Logger of all messages."""


def tell_terminal(sentence: str) -> None:
    """Send a message that was shown on pages already: only the terminal shows it."""
    LOGGER.warning("%s", sentence, extra={"was_shown": True})


@contextmanager
def listen(show: Callable[[str], None], *, on_terminal: bool = False) -> Iterator[None]:
    """Pass every message to `show`, instead of to the standard error stream.

    Those of `tell_terminal` are passed only if `show` writes to the terminal.
    """
    handler = logging.Handler(logging.WARNING)

    def emit(record: logging.LogRecord) -> None:
        if on_terminal or not getattr(record, "was_shown", False):
            show(record.getMessage())

    handler.emit = emit
    LOGGER.addHandler(handler)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a long work is."""

    title: str
    """What is being done: "compiling the model tankbot"."""
    share: float
    """Estimated share of the work that is done [1]."""
    parts: str = ""
    """What has been done, in words: "14 functions"."""
    left: float | None = None
    """Estimated time until it has ended; None if not known yet [s]."""
    passed: float = 0.0
    """Time since it began [s]."""
    is_over: bool = False
    """Whether the work has ended, for now."""

    def __str__(self) -> str:
        left = "" if self.left is None else f"about {max(self.left, 1.0):.0f} s left"
        passed = f"{self.passed:.0f} s" if self.passed >= 1.0 else ""
        words = [f"{100.0 * self.share:.0f} %", self.parts, passed, left]
        return f"{self.title}: {', '.join(word for word in words if word)}"


_WATCHERS: list[Callable[[Progress], None]] = []


@contextmanager
def watch(show: Callable[[Progress], None]) -> Iterator[None]:
    """Pass to `show` how far works of the package are, in whichever thread they are done."""
    _WATCHERS.append(show)
    try:
        yield
    finally:
        _WATCHERS.remove(show)


def report(progress: Progress) -> None:
    """Tell those who watch how far a work is."""
    for show in tuple(_WATCHERS):
        show(progress)
