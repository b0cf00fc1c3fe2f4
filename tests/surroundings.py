"""What a test finds and what it leaves: signals as in a terminal, and no process behind it."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

import psutil

LONGEST_WAIT = 120.0
"""How long a test waits for anything before it fails: on an idle machine it comes within seconds,
beside twenty other programs within a minute [s]."""
PATIENCE = 20.0
"""How long a process may take to end after the test that started it [s]."""
SHARED = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Words of processes that Python starts once and ends with itself."""
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


def take_signals_as_in_a_terminal() -> None:
    """Undo what `nohup` and `&` do to the signals of the processes that tests start.

    A program that is started with SIGINT or SIGHUP ignored keeps ignoring it. Tests send signals
    to themselves and to programs that they start. A handler is not inherited: the program starts
    with the default, while this process still survives the end of its terminal.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that fixtures come to their end


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends, so that none is overlooked."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def children() -> set[int]:
    """Return the numbers of the processes below this one, orphans included."""
    try:
        lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    except FileNotFoundError:
        return {child.pid for child in psutil.Process().children()}
    found: set[int] = set()
    for file in lists:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            found.update(map(int, file.read_text().split()))
    return found


def end_leftovers(before: set[int]) -> list[str]:
    """End the processes that are there and were not before; return their command lines.

    Those that end by themselves in time are not counted.
    """
    until = time.monotonic() + PATIENCE
    while alive := _alive(children() - before):
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    words = []
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            words.append(f"{process.pid}: {' '.join(process.cmdline())}")
            process.kill()
    return words


def _alive(numbers: set[int]) -> list[psutil.Process]:
    alive = []
    for number in numbers:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            process = psutil.Process(number)
            line = " ".join(process.cmdline())
            is_dead = process.status() == psutil.STATUS_ZOMBIE
            if not is_dead and number != os.getpid() and not any(word in line for word in SHARED):
                alive.append(process)
    return alive
