"""Clock of the page: when the next tick is due, and how late ticks are."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from grouser.simulation import Pace

WINDOW = 2.0
"""Length of the window over which `Timing` is measured [s]."""
MAX_CATCH_UP = 0.25
"""Delay above which missed ticks are not made up for: the schedule restarts [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How well simulated time kept up with the wall clock."""

    real_time_factor: float = 0.0
    """Simulated time per wall time [1]."""
    missed_share: float = 0.0
    """Share of ticks that began at least one period late [1]."""
    worst_delay: float = 0.0
    """Largest delay of a tick [s]."""


class Clock:
    """Waits until the next tick is due, and measures the delay of ticks."""

    def __init__(
        self,
        dt: float,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._dt, self._now, self._sleep = dt, now, sleep
        self._recent: deque[tuple[float, float, bool]] = deque()
        self._tick = 0
        self.factor = 1.0
        self.periods = self.missed = 0
        self.set_factor(1.0)

    def set_factor(self, factor: float) -> None:
        """Let simulated time pass `factor` times as fast as the wall clock."""
        self.factor = factor
        self.restart()

    def restart(self) -> None:
        """Restart the schedule, as after a pause."""
        period = self._dt / self.factor
        self._pace = Pace(period=period, now=self._now, sleep=self._sleep)
        self._tick = 0
        self._recent.clear()

    def wait(self) -> None:
        """Sleep until the next tick is due."""
        delay = self._pace.wait(self._tick)
        missed = delay > self._pace.period
        self.periods += 1
        self.missed += missed
        now = self._now()
        self._recent.append((now, delay, missed))
        while now - self._recent[0][0] > WINDOW:
            self._recent.popleft()
        self._tick += 1
        if delay > MAX_CATCH_UP:
            self._pace = Pace(period=self._pace.period, now=self._now, sleep=self._sleep)
            self._tick = 0

    @property
    def timing(self) -> Timing:
        """Real-time factor and delays in the last `WINDOW` seconds."""
        recent = tuple(self._recent)
        if len(recent) < 2:
            return Timing()
        wall = recent[-1][0] - recent[0][0]
        return Timing(
            real_time_factor=(len(recent) - 1) * self._dt / wall if wall > 0.0 else 0.0,
            missed_share=sum(missed for _, _, missed in recent) / len(recent),
            worst_delay=max(delay for _, delay, _ in recent),
        )
