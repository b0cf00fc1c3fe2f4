"""The last seconds, for the charts."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.models import SideMeans
from grouser.simulation.pace import Punctuality
from grouser.viewer.snapshot import Snapshot

SPAN = 20.0
"""How much simulated time the charts show [s]."""
SPACING = 0.05
"""Simulated time between two points of a chart [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the instruments show at one moment."""

    time: float
    """Simulated time [s]."""
    speed_commanded: float
    """Mean belt speed that was asked for [m/s]."""
    speed: float
    """Forward speed [m/s]."""
    yaw_rate_commanded: float
    """Yaw rate that the belts would give without slip [rad/s]."""
    yaw_rate: float
    """Yaw rate, positive to the left [rad/s]."""
    slip_left: float
    """Mean slip ratio of the left drives [1]."""
    slip_right: float
    """Mean slip ratio of the right drives [1]."""
    pitch: float
    """Pitch, positive is nose down [rad]."""
    roll: float
    """Roll, positive is right side down [rad]."""
    real_time_factor: float
    """Simulated time per wall time [1]."""


def take_reading(snapshot: Snapshot, robot: Robot, punctuality: Punctuality) -> Reading:
    """Return what the instruments show of a moment."""
    motion = snapshot.motion
    sides = SideMeans.of(robot)
    left, right = sides(motion.belt_speeds_commanded)
    slip_left, slip_right = sides(motion.slips)
    return Reading(
        time=snapshot.time,
        speed_commanded=0.5 * (left + right),
        speed=float(motion.twist.vx),
        yaw_rate_commanded=(right - left) / robot.gauge,
        yaw_rate=float(motion.twist.yaw_rate),
        slip_left=slip_left,
        slip_right=slip_right,
        pitch=float(motion.pose.pitch),
        roll=float(motion.pose.roll),
        real_time_factor=punctuality.real_time_factor,
    )


class History:
    """Readings of the last seconds; a new run begins anew."""

    def __init__(self) -> None:
        self._readings: deque[Reading] = deque(maxlen=round(SPAN / SPACING))
        self._run: int | None = None

    def add(self, reading: Reading, run: int) -> None:
        """Remember a reading, if enough time has passed since the last."""
        if run != self._run or (self._readings and reading.time < self._readings[-1].time):
            self._readings.clear()
            self._run = run
        if not self._readings or reading.time >= self._readings[-1].time + SPACING - 1e-9:
            self._readings.append(reading)

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one quantity of all readings, by its name in `Reading`."""
        return np.array([getattr(reading, name) for reading in self._readings])

    def __len__(self) -> int:
        return len(self._readings)
