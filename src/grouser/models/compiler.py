"""Waiting for the compiler, or not: how far it is, and code that is needed at once.

How far it is, is estimated from the size of the code that it has made; how long it takes, from how
long that took, on this machine and now. Nothing here imports the compiler.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from grouser.errors import GrouserError
from grouser.notices import Progress, report

MOST_EXPECTED = 0.99
"""Largest share that is reported while the compiler works [1]."""
ALL_BUT_SURE = 0.93
"""Share above which a work that begins is taken for another one: for many robots after one [1]."""
FIRST_GUESS = 0.05
"""Share from which on the time that is left is estimated [1]."""
EVERY = 1.0
"""Time between two reports while one function takes longer [s]."""
WRITING = threading.Lock()
"""Is held while a file is written: who ends the process waits for it."""
_ONLY_KEPT: ContextVar[bool] = ContextVar("only_kept", default=False)


class NotCompiled(GrouserError):
    """Code is not kept yet, and was asked for by `only_kept`."""


@contextmanager
def only_kept() -> Iterator[None]:
    """Raise NotCompiled where this thread would have to compile code that can be kept."""
    token = _ONLY_KEPT.set(True)
    try:
        yield
    finally:
        _ONLY_KEPT.reset(token)


def must_be_kept() -> bool:
    """Return whether this thread cannot wait for the compiler."""
    return _ONLY_KEPT.get()


class CompilerProgress:
    """Counts functions that were compiled or found, and reports while the compiler works.

    The longer the code of a function, the longer it takes to compile: the share is that of bytes.
    """

    def __init__(self, title: str, expected: int) -> None:
        """Count the functions of a package.

        Args:
            title: What is compiled, for the report.
            expected: Bytes of the code of all functions, about.
        """
        self._title, self._expected = title, expected
        self._is_compiling = False
        self._ended = threading.Event()
        self._restart()

    def begin(self) -> None:
        """Report that the compiler works, if it did not."""
        if not self._is_compiling:
            self._is_compiling = True
            if not self._made or self._share > ALL_BUT_SURE:
                self._restart()
            self._report()
            self._ended = threading.Event()
            threading.Thread(target=self._repeat, args=(self._ended,), daemon=True).start()

    def count(self, size: int, *, is_new: bool) -> None:
        """Count a function that was compiled (or else found), whose code has some bytes."""
        self._functions += 1
        self._size += size
        self._made += size if is_new else 0
        self._counted = monotonic()
        if self._is_compiling:
            self._report()

    def end(self) -> None:
        """Report that the compiler has ended, if it worked."""
        if self._is_compiling:
            self._is_compiling = False
            self._ended.set()
            self._report(is_over=True)

    def _repeat(self, ended: threading.Event) -> None:
        """Report again and again how much time has passed, until the compiler has ended."""
        while not ended.wait(EVERY):
            self._report()

    def _restart(self) -> None:
        self._functions = self._size = self._made = 0
        self._since = self._counted = monotonic()

    @property
    def _share(self) -> float:
        return min(self._size / self._expected, MOST_EXPECTED)

    def _report(self, *, is_over: bool = False) -> None:
        passed, left = monotonic() - self._since, None
        if self._share > FIRST_GUESS and self._made and not is_over:
            rest = max(self._expected - self._size, 0) / self._made
            whole = (self._counted - self._since) * (1.0 + rest)
            left = whole - passed if whole > passed else None  # the last function takes longer
        parts = f"{self._functions} function{'' if self._functions == 1 else 's'}"
        report(
            Progress(
                title=self._title, share=self._share, parts=parts, left=left, passed=passed,
                is_over=is_over,
            )
        )  # fmt: skip
