"""Keeping step with the wall clock."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Pace:
    """An absolute schedule: tick k is due at start + k * period, whatever happened before.

    Waiting relative to the last wake-up would add every oversleep to all later ticks.
    """

    period: float
    """Wall time of one tick [s]."""
    now: Callable[[], float] = time.perf_counter
    """The clock."""
    sleep: Callable[[float], None] = time.sleep
    """How to wait."""
    start: float | None = None
    """When tick 0 was; the first wait sets it [s]."""
    late_ticks: int = 0
    """How many ticks began late."""
    worst_lateness: float = 0.0
    """Largest delay of a tick so far [s]."""

    def wait(self, tick: int) -> float:
        """Sleep until `tick` is due; return how late it is, or zero [s]."""
        if self.start is None:
            self.start = self.now() - tick * self.period
        early = self.start + tick * self.period - self.now()
        if early > 0.0:
            self.sleep(early)
            return 0.0
        self.late_ticks += early < 0.0
        self.worst_lateness = max(self.worst_lateness, -early)
        return -early
