"""Before others: threads that must be punctual, as far as the system permits."""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator

SWITCH = 0.0005
"""After how long a thread must let another one have the interpreter [s]."""
SERVING, TICKING, BOARD = 1, 2, 3
"""Ranks of threads that serve pages, of the one that lets time pass, of a simulated board."""


def hurry(rank: int, process: int = 0) -> None:
    """Let the calling thread run as soon as it wants to, before a browser that takes all cores.

    Linux has a class of threads for that, which needs the right to use it (root, CAP_SYS_NICE or
    a limit `rtprio`); without it nothing changes. These threads sleep most of the time, and the
    system keeps a share for all others. Whatever the thread starts is ordinary again.

    Args:
        rank: Which thread comes first where several hurry.
        process: Another process, whose main thread is to hurry instead.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH))
    if sys.platform == "linux":
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        with contextlib.suppress(OSError):
            os.sched_setscheduler(process, policy, os.sched_param(rank))


@contextlib.contextmanager
def hurried(rank: int) -> Iterator[None]:
    """Let the calling thread hurry for a while, and be ordinary afterwards."""
    interval = sys.getswitchinterval()
    hurry(rank)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@contextlib.contextmanager
def swept() -> Iterator[None]:
    """Look for garbage now, and for a while only among what is made from here on.

    Looking through all that large packages have made takes a twentieth of a second, at any time.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
