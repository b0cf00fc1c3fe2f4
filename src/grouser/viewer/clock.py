"""Time on the page: at the speed that the viewer wants, with its lateness known."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from grouser.simulation import Pace

WINDOW = 2.0
"""Over how long the real-time factor and the share of missed periods are taken [s]."""
GIVE_UP = 0.25
"""Lateness that is not caught up with: the schedule starts anew [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Punctuality:
    """How well simulated time kept step with the wall clock."""

    real_time_factor: float = 0.0
    """Simulated time per wall time [1]."""
    missed_share: float = 0.0
    """Share of periods that were missed: their tick began a whole period late [1]."""
    worst_lateness: float = 0.0
    """Largest lateness of a tick [s]."""


class Clock:
    """Says when the next tick is due, and remembers how late ticks were."""

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
        """Begin the schedule anew, after a stop."""
        period = self._dt / self.factor
        self._pace = Pace(period=period, now=self._now, sleep=self._sleep)
        self._tick = 0
        self._recent.clear()

    def wait(self) -> None:
        """Sleep until the next tick is due."""
        lateness = self._pace.wait(self._tick)
        missed = lateness > self._pace.period
        self.periods += 1
        self.missed += missed
        now = self._now()
        self._recent.append((now, lateness, missed))
        while now - self._recent[0][0] > WINDOW:
            self._recent.popleft()
        self._tick += 1
        if lateness > GIVE_UP:
            self._pace = Pace(period=self._pace.period, now=self._now, sleep=self._sleep)
            self._tick = 0

    @property
    def punctuality(self) -> Punctuality:
        """How punctual the last seconds were."""
        recent = tuple(self._recent)
        if len(recent) < 2:
            return Punctuality()
        wall = recent[-1][0] - recent[0][0]
        return Punctuality(
            real_time_factor=(len(recent) - 1) * self._dt / wall if wall > 0.0 else 0.0,
            missed_share=sum(missed for _, _, missed in recent) / len(recent),
            worst_lateness=max(lateness for _, lateness, _ in recent),
        )
