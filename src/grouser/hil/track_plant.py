"""A motor behind its driver, the belt it moves, and the encoder on the belt's wheel.

All numbers are assumptions for a small crawler: first-order lag, a dead band of the duty, the drop
of an L293D, and 360 counts per turn of a wheel of 24 mm.
"""

import math
from dataclasses import dataclass

LAG = 0.15
"""Time in which a belt comes within 1/e of its speed [s]."""
DEAD_BAND = 0.15
"""Duty below which nothing moves [1]."""
SUPPLY, BRIDGE_DROP = 7.4, 1.4
"""Voltage of the battery, and what the driver takes of it [V]."""
TOP_SPEED = 0.35
"""Belt speed at full duty and full battery [m/s]."""
COUNTS_PER_REVOLUTION = 360
"""Counts of the encoder per turn of the wheel [1]."""
WHEEL_RADIUS = 0.024
"""Radius of the wheel that the encoder counts [m]."""
COUNT_LENGTH = 2.0 * math.pi * WHEEL_RADIUS / COUNTS_PER_REVOLUTION
"""Belt travel per count [m]."""


@dataclass(slots=True)
class TrackPlant:
    """One track: belt speed and travel, and what its encoder says."""

    speed: float = 0.0
    """True belt speed [m/s]."""
    travel: float = 0.0
    """True belt travel since the start [m]."""
    count: int = 0
    """What the encoder has counted."""
    since_edge: float = 0.0
    """Time since the last edge that the encoder counted [s]."""
    counts_as: int = 1
    """-1 for an encoder whose leads are swapped, 0 for one that is stuck."""
    drives_as: int = 1
    """-1 for a motor whose leads are swapped."""
    is_blocked: bool = False
    """Whether the belt cannot move."""
    _whole: int = 0

    def advance(self, duty: float, battery: float, duration: float) -> None:
        """Let time pass.

        Args:
            duty: Duty of the driver, -1 to 1; 0 when it is off [1].
            battery: Voltage of the battery [V].
            duration: How long [s].
        """
        size = min(max((abs(duty) - DEAD_BAND) / (1.0 - DEAD_BAND), 0.0), 1.0)
        voltage = max(battery - BRIDGE_DROP, 0.0) / (SUPPLY - BRIDGE_DROP)
        goal = math.copysign(size * voltage * TOP_SPEED, duty * self.drives_as)
        before = self.speed
        self.speed = goal + (before - goal) * math.exp(-duration / LAG)
        if self.is_blocked:
            self.speed = 0.0
        self.travel += 0.5 * (before + self.speed) * duration
        self.since_edge += duration
        whole = math.floor(self.travel / COUNT_LENGTH)
        if whole != self._whole and self.counts_as:
            edge = whole if whole > self._whole else whole + 1
            passed = abs(self.travel - edge * COUNT_LENGTH)
            self.since_edge = min(duration, passed / max(abs(self.speed), 1e-6))
        self.count += (whole - self._whole) * self.counts_as
        self._whole = whole
