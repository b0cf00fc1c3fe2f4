"""Ctrl-C, SIGTERM and SIGHUP: one handler, and work that they do not tear apart.

Elsewhere a signal raises KeyboardInterrupt, at whatever the main thread does. Inside of `held` it
is noted: a loop ends between two ticks (`take`), long work at a place where it can be left
(`check`), and all other work is done before KeyboardInterrupt is raised. A second Ctrl-C raises it
at once, for work that hangs.

A signal that was ignored when the process started (`nohup`, `&` in a script) stays ignored. Signals
reach the main thread only; in other threads `held` and the others change nothing.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TypeAlias

AGAIN_AFTER = 0.05
"""Time after which a signal is sent again that was dropped [s]."""
Handler: TypeAlias = Callable[[int, FrameType | None], None]
"""Handler of a signal."""


@dataclass(slots=True)
class _State:
    """What the handler knows; of the main thread alone."""

    depth: int = 0
    """How many `held` there are around what runs."""
    is_wanted: bool = False
    """Whether a signal was noted that nothing has acted upon yet."""
    presses: int = 0
    """How often Ctrl-C was pressed since the outermost `held` began."""
    last: int | None = None
    """The signal that raised KeyboardInterrupt last; None if none did."""
    is_lost: bool = False
    """Whether that was dropped, and the signal is sent again."""
    instead: list[Callable[[], None]] = field(default_factory=list)
    """What a signal calls instead; the last one is called."""


_state = _State()


def hear(number: int, frame: FrameType | None = None) -> None:
    """Note a signal, or raise KeyboardInterrupt: the handler of them all."""
    if _state.instead:
        _state.instead[-1]()
        return
    is_pressed = number == signal.SIGINT
    if _state.depth and not (is_pressed and _state.presses):
        _state.is_wanted = True
        _state.presses += is_pressed
        return
    _state.is_wanted, _state.last = False, number
    raise KeyboardInterrupt


@contextmanager
def delivered() -> Iterator[None]:
    """Send a signal again whose KeyboardInterrupt was dropped, by code of others that cannot raise.

    Python tells of it by `sys.unraisablehook`: callbacks of C code, finalizers.
    """
    before, _state.last, _state.is_lost = sys.unraisablehook, None, False

    def hook(lost: Any) -> None:
        if _state.last is None or not isinstance(lost.exc_value, KeyboardInterrupt):
            before(lost)
            return
        _state.is_lost = True
        # Not at once: that would be within the same code.
        again = threading.Timer(AGAIN_AFTER, os.kill, (os.getpid(), _state.last))
        again.daemon = True
        again.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def take_lost() -> bool:
    """Return whether a signal comes again because its KeyboardInterrupt was dropped, and forget."""
    is_lost, _state.is_lost = _state.is_lost, False
    return is_lost


def was_raised() -> bool:
    """Return whether a signal has raised KeyboardInterrupt since `delivered` began."""
    return _state.last is not None


@contextmanager
def held() -> Iterator[None]:
    """Let no signal interrupt a block; KeyboardInterrupt comes at its end, unless it was taken.

    An error of the block is raised in its place. For blocks within others, only the end of the
    outermost counts.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    is_ours = not _state.depth and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not _state.depth:
        _state.presses = 0
        # What a command noted before an error is still to be acted upon.
        _state.is_wanted = _state.is_wanted and not is_ours
    _state.depth += 1
    try:
        if is_ours:
            signal.signal(signal.SIGINT, hear)
        yield
    finally:
        _state.depth -= 1
        if is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if not _state.depth:
        check()


def take() -> bool:
    """Return whether a signal was noted, and forget it: the caller ends what it does."""
    if not _state.is_wanted or threading.current_thread() is not threading.main_thread():
        return False
    _state.is_wanted = False
    return True


def check() -> None:
    """Raise KeyboardInterrupt if a signal was noted: here, work can be left."""
    if take():
        raise KeyboardInterrupt


def is_calling() -> bool:
    """Return whether signals call a function instead of interrupting; see `calling`."""
    return bool(_state.instead)


@contextmanager
def calling(call: Callable[[], None]) -> Iterator[None]:
    """Let every signal call a function and interrupt nothing.

    For what must come to its end once it has begun, such as a run whose motors turn and whose
    files are still to be written.
    """
    _state.instead.append(call)
    try:
        with handled({signal.SIGINT: hear}):
            yield
    finally:
        _state.instead.remove(call)


@contextmanager
def handled(handlers: Mapping[Any, Handler]) -> Iterator[None]:
    """Handle signals in a block, but for those that are ignored; those before come back."""
    before: dict[Any, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in handlers}
    # None: the handler of a program that embeds Python, which could not be put back.
    heard = {n: was for n, was in before.items() if was not in (signal.SIG_IGN, None)}
    try:
        for number in heard:
            signal.signal(number, handlers[number])
        yield
    finally:
        for number, was in heard.items():
            signal.signal(number, was)
