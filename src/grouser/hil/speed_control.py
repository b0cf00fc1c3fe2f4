"""Speed control of one track, as the board does it: edges of the encoder in, duty out."""

from collections import deque

from grouser.hil.track_plant import COUNT_LENGTH, DEAD_BAND, TOP_SPEED

WINDOW_US = 60_000
"""Time over which edges are averaged [us]."""
STANDING_US = 100_000
"""Time without an edge after which a belt stands [us]."""
KP, KI = 2.0, 12.0
"""Duty per error of speed [s/m], and per second of it [1/m]."""
STALL_US, RUNAWAY_US = 250_000, 150_000
"""How long a belt may stand, or run against its duty, before it is a fault [us]."""
WORTH = 0.30
"""Duty from which a belt must move [1]."""
AGAINST = 0.010
"""Belt speed against the duty above which it counts as running away [m/s]."""


class SpeedControl:
    """Measures the speed of a belt by the time between edges, and holds it."""

    def __init__(self) -> None:
        self.speed = self.duty = 0.0
        self._edges: deque[tuple[int, int]] = deque()
        self._integral = 0.0
        self._stalled_us = self._against_us = 0

    def measure(self, count: int, now_us: int) -> None:
        """Look at the encoder."""
        edges = self._edges
        if not edges or edges[-1][1] != count:
            edges.append((now_us, count))
        while len(edges) > 2 and edges[1][0] <= now_us - WINDOW_US:
            edges.popleft()
        if len(edges) < 2 or now_us - edges[-1][0] > STANDING_US:
            self.speed = 0.0
            return
        (then_us, then), (last_us, last) = edges[0], edges[-1]
        # No edge for longer than between edges: the belt slows down.
        span_us = max(last_us - then_us, (now_us - last_us) * abs(last - then), 1)
        self.speed = (last - then) * COUNT_LENGTH / (span_us * 1e-6)

    def hold(self, setpoint: float, duration: float) -> None:
        """Set the duty for a belt speed [m/s]."""
        if setpoint == 0.0:
            self.release()
            return
        error = setpoint - self.speed
        sign = 1.0 if setpoint > 0.0 else -1.0
        forward = sign * DEAD_BAND + setpoint * (1.0 - DEAD_BAND) / TOP_SPEED
        wanted = forward + KP * error + self._integral
        self.duty = min(max(wanted, -1.0), 1.0)
        if wanted == self.duty:  # no more windup while the duty is at its end
            self._integral += KI * error * duration

    def release(self) -> None:
        """Let the belt run out."""
        self.duty = self._integral = 0.0

    def check(self, duration_us: int) -> tuple[bool, bool]:
        """Return whether the belt stalls, and whether it runs against its duty."""
        strong = abs(self.duty) >= WORTH
        self._stalled_us = self._stalled_us + duration_us if strong and not self.speed else 0
        against = strong and self.speed * self.duty < -AGAINST * abs(self.duty)
        self._against_us = self._against_us + duration_us if against else 0
        return self._stalled_us >= STALL_US, self._against_us >= RUNAWAY_US
