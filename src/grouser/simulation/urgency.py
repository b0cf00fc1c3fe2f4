"""Before others: threads that must be punctual, as far as the system permits."""

import contextlib
import os
import sys

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
