"""From commands to belt speeds and flipper angles: limits of drives and servos, gains, steering.

The one place where the limits of a drive train act on a command and belt travel is added up, for
one robot or for many and for every engine. What a motor does against the ground is part of an
engine's step.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.geometry import Array
from grouser.models.contact.compiled import entry, inlined
from grouser.models.model import SideMeans

STEERING, GAINS = 2, 3
"""Numbers of a robot for steering (speed, yaw rate) and gains (linear, angular, efficiency)."""


class DriveTable:
    """Commands of robots and what they have become; a row for each robot, views by name.

    Columns: commanded, targets, travels and motors of each drive, asked and actual angles of each
    flipper, steering, gains.
    """

    def __init__(self, robot: Robot, values: Array) -> None:
        self.values, self._robot = values, robot
        drives, flippers = len(robot.drives), len(robot.flippers)
        starts = np.cumsum([0, *[drives] * 4, *[flippers] * 2, STEERING, GAINS])
        names = "commanded", "targets", "travels", "motors", "asked", "angles", "steering", "gains"
        views = {n: values[:, a:b] for n, a, b in zip(names, starts[:-1], starts[1:], strict=True)}
        self.commanded: Array = views["commanded"]
        """Commanded belt speeds (n, drives) [m/s]."""
        self.targets: Array = views["targets"]
        """Belt speeds within the limits of the drive train (n, drives) [m/s]."""
        self.travels: Array = views["travels"]
        """Distance that each belt has run since the start (n, drives) [m]."""
        self.motors: Array = views["motors"]
        """Speeds that the motors work towards, gains applied (n, drives) [m/s]."""
        self.asked: Array = views["asked"]
        """Commanded flipper angles (n, flippers) [rad]."""
        self.angles: Array = views["angles"]
        """Angles that the servos work towards (n, flippers) [rad]."""
        self.steering: Array = views["steering"]
        """Mean speed [m/s] and yaw rate [rad/s] of an ideal drive with the gains (n, 2)."""
        self.gains: Array = views["gains"]
        """Linear gain, angular gain, steering efficiency (n, 3) [1]."""

    @classmethod
    def at_rest(cls, count: int, robot: Robot) -> Self:
        """Return the table of robots that stand, flippers at rest."""
        drives, flippers = len(robot.drives), len(robot.flippers)
        table = cls(robot, np.zeros((count, 4 * drives + 2 * flippers + STEERING + GAINS)))
        table.asked[:] = table.angles[:] = [flipper.rest_angle for flipper in robot.flippers]
        table.gains[:] = 1.0
        return table

    def take(self, robots: NDArray[Any]) -> "DriveTable":
        """Return a copy of the rows of some robots."""
        return DriveTable(self._robot, self.values[robots])


def drive_limits(robot: Robot) -> Array:
    """Return the limits of a robot's drives as compiled code needs them.

    Count of drives and of flippers, largest belt speed [m/s], largest acceleration [m/s^2], gauge
    [m]; for each drive whether it is on the left; for each flipper least and greatest angle [rad]
    and largest speed [rad/s].
    """
    sides, drive = SideMeans.of(robot), robot.drive
    is_left = np.zeros(len(robot.drives))
    is_left[list(sides.left)] = 1.0
    head = [len(robot.drives), len(robot.flippers), drive.speed_limit, drive.acceleration_limit,
            robot.gauge]  # fmt: skip
    rows = [number for f in robot.flippers for number in (*f.limits, f.speed_limit)]
    return np.array([*head, *is_left, *rows], np.float64)


@inlined
def reach_robot(table: Any, limits: Any, i: int, duration: float) -> None:
    """Bring targets and angles of one robot towards its command, within the limits of a tick."""
    drives, flippers = int(limits[0]), int(limits[1])
    fastest, change, gauge = limits[2], limits[3] * duration, limits[4]
    left, right, lefts = 0.0, 0.0, 0.0
    for k in range(drives):
        now = table[i, drives + k]
        goal = min(max(table[i, k], -fastest), fastest)
        now = min(max(goal, now - change), now + change)
        table[i, drives + k] = now
        if limits[5 + k] > 0.0:
            left, lefts = left + now, lefts + 1.0
        else:
            right += now
    left, right = left / lefts, right / (drives - lefts)
    asked = 4 * drives
    steering = asked + 2 * flippers
    mean, linear, angular = 0.5 * (right + left), table[i, steering + 2], table[i, steering + 3]
    for k in range(drives):
        table[i, 3 * drives + k] = linear * mean + angular * (table[i, drives + k] - mean)
    table[i, steering] = linear * mean
    table[i, steering + 1] = table[i, steering + 4] * (angular * (right - left) / gauge)
    for k in range(flippers):
        at = 5 + drives + 3 * k
        step, now = limits[at + 2] * duration, table[i, asked + flippers + k]
        goal = min(max(table[i, asked + k], limits[at]), limits[at + 1])
        table[i, asked + flippers + k] = min(max(goal, now - step), now + step)


@entry
def reach_targets(table: Any, limits: Any, duration: float) -> None:
    """Bring targets and angles of all robots towards their commands [s]."""
    for i in range(table.shape[0]):
        reach_robot(table, limits, i, duration)


@inlined
def add_travel(table: Any, drives: int, i: int, k: int, speed: float, duration: float) -> None:
    """Add what a belt runs in a tick: its speed at the end times the length of the tick [m]."""
    table[i, 2 * drives + k] += speed * duration


@entry
def add_travels(table: Any, limits: Any, speeds: Any, duration: float) -> None:
    """Add what all belts run in a tick [m]."""
    drives = int(limits[0])
    for i in range(table.shape[0]):
        for k in range(drives):
            add_travel(table, drives, i, k, speeds[i, k], duration)
