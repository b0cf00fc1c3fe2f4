"""Whether speeds and counts of a belt agree with each other, and with its set-points.

A board measures speeds from the edges that it counts, so that both are the same travel, and a belt
that is driven follows its set-points or its board stops with a fault. Each check compares a window
of states, as a single one says little: at 0.1 m/s one count of 0.42 mm passes in 4 ms.
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from grouser.hil.python_vehicle import WHEEL_RADIUS

SPANS = (0.3, 1.5)
"""Times over which travel is compared: the first finds a lie soon, the second at low speed [s]."""
WINDOW = max(SPANS)
"""Time that is kept: ten time constants of a belt [s]."""
BIN = 0.05
"""Time of states that are kept as one, so that a window of any rate takes the same time [s]."""
EDGES = 10
"""Counts by which an honest travel of speeds may differ: one of quantisation at each end, one that
starts a belt and has no earlier edge to measure from, and up to 7 when it stops at once. A measured
speed v then falls as one count per time, until it is 0 after T = 0.2 s: 1 + ln(v T / count), 6.5
counts at 0.5 m/s [1]."""
LAG = 0.05
"""Longest delay of a measured speed, by its filter and the period of the control loop [s]."""
SHARE = 0.25
"""Share of the travel by which it may differ: lines of a cheap encoder are uneven, and speeds of
intervals that are 30 % too short and too long in turn are 20 % too high in the mean [1]."""
OVERSHOOT, MARGIN = 1.25, 0.1
"""Largest speed at a set-point, relative to it, and in addition [1, m/s]."""
SLOWEST, FOLLOWED = 0.02, 0.1
"""Set-point from which a belt has to move, where the firmware's duty is above that of its stall
fault, and the least share of it [m/s, 1]. At the lowest battery, 5 V, a belt reaches 0.21 m/s: 42 %
of the largest set-point."""


_Comparison: TypeAlias = tuple[str, float, str]
"""Kind of a limit, the share of it that is reached [1], and the problem if that is above 1."""


class _Extremes(NamedTuple):
    """Largest values of a time, of one belt."""

    speed: float
    """Measured speed [m/s]."""
    back_speed: float
    """Measured speed backward [m/s]."""
    rate: float
    """Speed of the counts, one count added [m/s]."""
    back_rate: float
    """Speed of the counts backward, one count added [m/s]."""
    duration: float
    """Time between two states [s]."""
    setpoint: float
    """Set-point [m/s]."""
    back_setpoint: float
    """Set-point backward [m/s]."""
    is_free: bool
    """Whether the belt had no set-point."""

    def join(self, other: "_Extremes") -> "_Extremes":
        """Return the largest values of both."""
        return _Extremes(*map(max, self, other))  # type: ignore[arg-type]

    @property
    def change(self) -> float:
        """Largest change of speed, by speeds or counts: the smaller, as either may be false."""
        return min(self.speed + self.back_speed, self.rate + self.back_rate)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A state of one belt, and what its speeds and counts add up to since the first."""

    time: float
    """Time by the board's clock [s]."""
    count: int
    speed: float
    """Measured speed [m/s]."""
    said: tuple[float, float] = (0.0, 0.0)
    """Travel of the speeds, forward and backward [m]."""
    counted: tuple[float, float] = (0.0, 0.0)
    """Travel of the counts, forward and backward [m]."""


class BeltCheck:
    """Compares speeds, counts and set-points of one belt over the last seconds."""

    def __init__(self, name: str, counts_per_revolution: int) -> None:
        self._name = name
        self._count_length = 2.0 * math.pi * WHEEL_RADIUS / counts_per_revolution
        self._now: _Mark | None = None
        self._bins: deque[tuple[_Mark, _Extremes]] = deque()
        self.closest: dict[str, float] = {}
        """Largest share of each limit that was reached; above 1 is a problem [1]."""

    def find(self, time: float, count: int, speed: float, setpoint: float | None) -> str | None:
        """Store a new state; return what is inconsistent then, None if nothing is.

        `time` is the board's clock [s], `speed` the measured speed [m/s], `setpoint` that of the
        command which the board follows; None if it follows none [m/s].
        """
        last, self._now = self._now, _Mark(time, count, speed)
        if last is None or time <= last.time:
            return None
        self._now = now = self._add(last, self._now)
        self._keep(last, self._find_extremes(last, now, setpoint))
        found = None
        for kind, used, words in self._compare(now):
            self.closest[kind] = max(used, self.closest.get(kind, 0.0))
            if used > 1.0 and found is None:
                found = words
        return found

    def _add(self, last: _Mark, now: _Mark) -> _Mark:
        """Return a new state with the travel up to it."""
        half, travel = 0.5 * (now.time - last.time), self._count_length * (now.count - last.count)
        said = (
            last.said[0] + half * (max(last.speed, 0.0) + max(now.speed, 0.0)),
            last.said[1] + half * (max(-last.speed, 0.0) + max(-now.speed, 0.0)),
        )
        counted = last.counted[0] + max(travel, 0.0), last.counted[1] + max(-travel, 0.0)
        return _Mark(now.time, now.count, now.speed, said, counted)

    def _find_extremes(self, last: _Mark, now: _Mark, setpoint: float | None) -> _Extremes:
        duration, edges = now.time - last.time, now.count - last.count
        length = self._count_length / duration
        return _Extremes(
            speed=max(last.speed, now.speed),
            back_speed=max(-last.speed, -now.speed),
            rate=length * (edges + 1),
            back_rate=length * (1 - edges),
            duration=duration,
            setpoint=-math.inf if setpoint is None else setpoint,
            back_setpoint=-math.inf if setpoint is None else -setpoint,
            is_free=setpoint is None,
        )

    def _keep(self, begin: _Mark, extremes: _Extremes) -> None:
        """Add what follows a state to the last bin, or to a new one; drop what is too old."""
        if self._bins and begin.time < self._bins[-1][0].time + BIN:
            begin, others = self._bins.pop()
            extremes = extremes.join(others)
        self._bins.append((begin, extremes))
        while len(self._bins) > 1 and self._bins[1][0].time <= begin.time - WINDOW:
            self._bins.popleft()

    def _compare(self, now: _Mark) -> Iterator[_Comparison]:
        """Compare over each span; the last one is the whole window."""
        spans = list(SPANS)
        begin, extremes = self._bins[-1]
        for begin, others in reversed(self._bins):
            extremes = extremes.join(others)
            if now.time - begin.time >= spans[0]:
                yield from self._compare_travels(begin, now, extremes)
                del spans[0]
            if not spans:
                yield from self._compare_setpoints(begin, now, extremes)
                return
        yield from self._compare_travels(begin, now, extremes)

    def _compare_travels(
        self, begin: _Mark, now: _Mark, extremes: _Extremes
    ) -> Iterator[_Comparison]:
        """Compare the travel of the speeds with that of the counts, in each direction."""
        duration = now.time - begin.time
        slack = EDGES * self._count_length + (LAG + extremes.duration) * extremes.change
        for way, index in (("forward", 0), ("backward", 1)):
            said = now.said[index] - begin.said[index]
            counted = now.counted[index] - begin.counted[index]
            most = slack + SHARE * max(said, counted)
            words = (
                f"its {self._name} speeds are {said:.4f} m {way} in {duration:.2f} s, its counts "
                f"{counted:.4f} m; both may differ by {most:.4f} m"
            )
            yield "travel", abs(said - counted) / most, words

    def _compare_setpoints(
        self, begin: _Mark, now: _Mark, extremes: _Extremes
    ) -> Iterator[_Comparison]:
        """Compare speed and counts with the set-points, if there were some all the time."""
        if extremes.is_free:
            return
        lowest, highest = -extremes.back_setpoint, extremes.setpoint
        largest = max(-lowest, highest)
        reach = OVERSHOOT * largest + MARGIN
        words = (
            f"its {self._name} belt runs at {now.speed:.3f} m/s, set-points of {largest:.3f} m/s "
            f"at most allow {reach:.3f} m/s"
        )
        yield "speed", abs(now.speed) / reach, words
        if lowest < SLOWEST and highest > -SLOWEST:
            return
        way, least = (0, lowest) if lowest > 0.0 else (1, -highest)
        duration, moved = now.time - begin.time, now.counted[way] - begin.counted[way]
        words = (
            f"its {self._name} belt has moved {moved:.4f} m in {duration:.2f} s along set-points "
            f"of {least:.3f} m/s or more, and it has no fault"
        )
        yield "standstill", FOLLOWED * least * duration / max(moved, self._count_length), words
