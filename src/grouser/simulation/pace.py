"""Wall-clock pacing, lateness, and real-time priority of threads where the system allows it."""

import contextlib
import gc
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum


@dataclass(slots=True)
class Pace:
    """An absolute schedule: tick k is due at start + k * period.

    Waiting relative to the last wake-up would add every oversleep to all later ticks.
    """

    period: float
    """Wall time of one tick [s]."""
    now: Callable[[], float] = time.perf_counter
    """The clock."""
    sleep: Callable[[float], None] = time.sleep
    """How to wait."""
    start: float | None = None
    """Time of tick 0 on that clock; the first wait sets it [s]."""
    late_ticks: int = 0
    """Number of ticks that began late [1]."""
    worst_lateness: float = 0.0
    """Largest delay of a tick so far [s]."""

    def wait(self, tick: int) -> float:
        """Sleep until `tick` is due; return its lateness, 0 if it is on time [s]."""
        if self.start is None:
            self.start = self.now() - tick * self.period
        early = self.start + tick * self.period - self.now()
        if early > 0.0:
            self.sleep(early)
            return 0.0
        self.late_ticks += early < 0.0
        self.worst_lateness = max(self.worst_lateness, -early)
        return -early


LATENESS_WINDOW = 2.0
"""Window over which the real-time factor and the share of missed periods are computed [s]."""
RESTART_LATENESS = 0.25
"""Lateness above which the schedule restarts instead of catching up [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Punctuality:
    """How well simulated time follows the wall clock."""

    real_time_factor: float = 0.0
    """Simulated time per wall time [1]."""
    missed_share: float = 0.0
    """Share of periods that were missed: their tick began a whole period late [1]."""
    worst_lateness: float = 0.0
    """Largest lateness of a tick [s]."""


class Clock:
    """Paces ticks at a chosen speed of simulated time, and measures their lateness."""

    def __init__(
        self,
        dt: float,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
        factor: float = 1.0,
    ) -> None:
        self._dt, self._now, self._sleep = dt, now, sleep
        self._recent: deque[tuple[float, float, bool]] = deque()
        self._tick = 0
        self.periods = self.missed = 0
        self.set_factor(factor)

    def set_factor(self, factor: float) -> None:
        """Let simulated time pass `factor` times as fast as the wall clock, or without a limit."""
        self.factor = factor
        self.restart()

    def restart(self) -> None:
        """Restart the schedule, after a pause."""
        period = self._dt / self.factor
        self._pace = Pace(period=period, now=self._now, sleep=self._sleep)
        self._tick = 0
        self._recent.clear()

    def wait(self) -> None:
        """Sleep until the next tick is due; not at all if the factor is infinite."""
        if self.factor == math.inf:
            return
        lateness = self._pace.wait(self._tick)
        missed = lateness > self._pace.period
        self.periods += 1
        self.missed += missed
        now = self._now()
        self._recent.append((now, lateness, missed))
        while now - self._recent[0][0] > LATENESS_WINDOW:
            self._recent.popleft()
        self._tick += 1
        if lateness > RESTART_LATENESS:
            self._pace = Pace(period=self._pace.period, now=self._now, sleep=self._sleep)
            self._tick = 0

    @property
    def punctuality(self) -> Punctuality:
        """Real-time factor and lateness over the last `LATENESS_WINDOW`."""
        recent = tuple(self._recent)
        if len(recent) < 2:
            return Punctuality()
        wall = recent[-1][0] - recent[0][0]
        return Punctuality(
            real_time_factor=(len(recent) - 1) * self._dt / wall if wall > 0.0 else 0.0,
            missed_share=sum(missed for _, _, missed in recent) / len(recent),
            worst_lateness=max(lateness for _, lateness, _ in recent),
        )


SWITCH_INTERVAL = 0.0005
"""Longest time that a thread keeps the interpreter while others wait for it [s]."""


class Priority(IntEnum):
    """Real-time priorities of threads; a higher number runs first."""

    PAGES = 1
    """Threads that serve pages or write files."""
    PHYSICS = 2
    """The thread that advances the simulation."""
    BOARD = 3
    """The process of a simulated board."""


def raise_priority(priority: Priority, process: int = 0) -> None:
    """Give the calling thread real-time priority (SCHED_RR), if the system allows it.

    Needs Linux, and root, CAP_SYS_NICE or an `rtprio` limit; otherwise nothing changes. Meant for
    threads that sleep most of the time. Children of the thread start with normal priority.

    Args:
        priority: The thread with the higher one runs first.
        process: Another process, whose main thread gets the priority instead.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))
    if sys.platform == "linux":
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        with contextlib.suppress(OSError):
            os.sched_setscheduler(process, policy, os.sched_param(priority))


@contextlib.contextmanager
def realtime_priority(priority: Priority) -> Iterator[None]:
    """Raise the priority of the calling thread within a `with` block."""
    interval = sys.getswitchinterval()
    raise_priority(priority)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@contextlib.contextmanager
def gc_frozen() -> Iterator[None]:
    """Collect garbage once, then freeze existing objects so that later collections are short.

    A full collection over the objects of large packages takes about 50 ms, at any time. Does
    nothing where the program has frozen objects itself: to unfreeze would undo that.
    """
    if gc.get_freeze_count() > 0:
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
