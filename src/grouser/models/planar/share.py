"""Robots of a batch, shared by the threads of this process.

Robots do not see each other, and a thread works on rows that no other one touches: results do not
depend on how many threads there are.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from threading import Event

LEAST_SHARE, MOST_SHARE = 32, 256
"""Robots that a thread takes at once: fewer cost more to hand out than to advance; more would leave
threads idle at the end, as some robots take longer than others [1]."""

SHARES = 4
"""Shares of each thread, unless they would be too small or too large [1]."""


def count_threads() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(count_threads() - 1, 1), "planar")


if hasattr(os, "register_at_fork"):  # threads do not live on in a process that is forked
    os.register_at_fork(after_in_child=_pool.cache_clear)


def share_robots(
    count: int, advance: Callable[[int, int], Iterator[None]], threads: int | None = None
) -> None:
    """Advance robots, the calling thread and others together; all of them, or an exception.

    Args:
        count: How many robots there are.
        advance: Advances those from a first up to an end, and yields where it may be ended.
        threads: How many threads work; None for one for each core.
    """
    helpers = max(min(threads or count_threads(), count // LEAST_SHARE) - 1, 0)
    if not helpers:
        deque(advance(0, count), maxlen=0)
        return
    size = min(max(count // (SHARES * (helpers + 1)), LEAST_SHARE), MOST_SHARE)
    waiting, is_over = deque(range(0, count, size)), Event()

    def work() -> None:
        while True:
            try:
                first = waiting.popleft()
            except IndexError:
                return
            for _ in advance(first, min(first + size, count)):
                if is_over.is_set():
                    return

    helping = [_pool().submit(work) for _ in range(helpers)]
    try:
        work()
        for each in helping:
            each.result()
    except BaseException:
        is_over.set()
        waiting.clear()
        raise
    finally:
        wait(helping)
