"""Any driver, with flippers that move by the clock."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.models import Command, Motion
from grouser.simulation.simulation import Driver


class WithFlippers:
    """Adds flipper angles to what another driver commands: each holds until the next is due."""

    def __init__(
        self, driver: Driver, robot: Robot, schedule: Sequence[tuple[float, Sequence[float]]]
    ) -> None:
        """Follow a schedule.

        Args:
            driver: Says what the belts do.
            robot: Whose flippers move.
            schedule: Times [s] and the angles asked for from then on, one for each flipper in
                the robot's order [rad]; before the first time flippers stay at rest.

        Raises:
            InvalidValue: The schedule does not fit the robot, or is not in order.
        """
        names = ", ".join(flipper.name for flipper in robot.flippers) or "none"
        for time, angles in schedule:
            if len(angles) != len(robot.flippers) or not np.all(np.isfinite([time, *angles])):
                required = f"be a finite number for each flipper of {robot.name!r} ({names})"
                raise InvalidValue(f"flipper angles at {time:g} s", list(angles), required)
        self._times = np.array([time for time, _ in schedule])
        if np.any(np.diff(self._times) <= 0.0):
            raise InvalidValue("times of flipper angles", self._times.tolist(), "rise")
        self._driver = driver
        self._angles = [tuple(float(angle) for angle in angles) for _, angles in schedule]

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command with the angles of this time."""
        command = self._driver(time, motion)
        due = int(np.searchsorted(self._times, time + 1e-9, side="right")) - 1
        if command is None or due < 0:
            return command
        return replace(command, flipper_angles=self._angles[due])
