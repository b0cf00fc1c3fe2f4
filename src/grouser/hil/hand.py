"""A person drives a board: the newest sticks become belt speeds, old ones count as released."""

import math
import time
from collections.abc import Callable
from dataclasses import replace

from grouser.control import LET_GO, Sticks, Teleoperation
from grouser.description import Robot
from grouser.drivers import DriverPlan
from grouser.live import Held
from grouser.models import Command, Motion
from grouser.scenario.run import Loaded

PERSON = "person"
"""Name of the driver that is a person."""
TIMEOUT = 0.25
"""Time after which sticks that nobody repeats count as released [s]."""


class HandDrive:
    """A driver that is steered from another thread, such as that of a page.

    The page passes the sticks a hundred times a second. If it stops, the robot stands.
    """

    def __init__(self, robot: Robot, now: Callable[[], float] = time.monotonic) -> None:
        self._teleoperation, self._now = Teleoperation(robot), now
        self._steered: Held[tuple[Sticks, float]] = Held(TIMEOUT)
        self._time = 0.0

    def steer(self, sticks: Sticks, speed: float) -> None:
        """Set the sticks, and the belt speed of one at its end stop [m/s]."""
        self._steered.put((sticks, speed), self._now())

    def __call__(self, time: float, motion: Motion) -> Command:
        """Return the command for the newest sticks."""
        sticks, speed = self._steered.take(self._now()) or (LET_GO, 0.0)
        elapsed, self._time = max(time - self._time, 0.0), time
        return self._teleoperation.command(sticks, speed, elapsed)


def drive_by_hand(loaded: Loaded, hand: HandDrive) -> Loaded:
    """Return a run that a person drives; it has no end of its own."""
    plan = DriverPlan(driver=loaded.equip(hand), duration=math.inf)
    return replace(loaded, plan=plan)
