"""From commands to belt speeds and flipper angles: limits of drives and servos, gains, steering.

The one place where the limits of a drive train act on a command, for one robot or for many and
for every engine. What a motor does against the ground is part of an engine's step.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.models.contact.compiled import compiled
from grouser.models.model import SideMeans


class DriveLimits(NamedTuple):
    """Limits of a robot's drives and servos, as compiled code needs them."""

    numbers: NDArray[np.float64]
    """Largest belt speed [m/s], largest acceleration [m/s^2], gauge [m]."""
    is_left: NDArray[np.bool_]
    """Whether each drive is on the left."""
    angles: NDArray[np.float64]
    """A row per flipper: smallest angle, largest angle [rad], largest speed [rad/s]."""

    @classmethod
    def of(cls, robot: Robot) -> "DriveLimits":
        """Return the limits that a robot's file has."""
        sides, drive = SideMeans.of(robot), robot.drive
        is_left = np.zeros(len(robot.drives), np.bool_)
        is_left[list(sides.left)] = True
        rows = [(*flipper.limits, flipper.speed_limit) for flipper in robot.flippers]
        return cls(
            numbers=np.array([drive.speed_limit, drive.acceleration_limit, robot.gauge]),
            is_left=is_left,
            angles=np.array(rows, np.float64).reshape(-1, 3),
        )


class DriveState(NamedTuple):
    """Commands and what they have become; robots along the first axis."""

    commanded: NDArray[np.float64]
    """Commanded belt speeds (n, drives) [m/s]."""
    targets: NDArray[np.float64]
    """Belt speeds within the limits of the drive train (n, drives) [m/s]."""
    travels: NDArray[np.float64]
    """Distance that each belt has run since the start (n, drives) [m]."""
    asked: NDArray[np.float64]
    """Commanded flipper angles (n, flippers) [rad]."""
    angles: NDArray[np.float64]
    """Angles that the servos work towards (n, flippers) [rad]."""
    motors: NDArray[np.float64]
    """Speeds that the motors work towards, gains applied (n, drives) [m/s]."""
    steering: NDArray[np.float64]
    """Mean speed [m/s] and yaw rate [rad/s] of an ideal drive with the gains (n, 2)."""
    gains: NDArray[np.float64]
    """Linear gain, angular gain, steering efficiency (n, 3) [1]."""

    @classmethod
    def at_rest(cls, count: int, robot: Robot) -> "DriveState":
        """Return the state of robots that stand, flippers at rest."""
        drives, rest = len(robot.drives), [flipper.rest_angle for flipper in robot.flippers]
        belts = [np.zeros((count, drives)) for _ in range(4)]
        angles = [np.tile(np.array(rest, np.float64), (count, 1)) for _ in range(2)]
        return cls(
            commanded=belts[0],
            targets=belts[1],
            travels=belts[2],
            asked=angles[0],
            angles=angles[1],
            motors=belts[3],
            steering=np.zeros((count, 2)),
            gains=np.ones((count, 3)),
        )


@compiled
def reach_targets(state: Any, limits: Any, duration: float) -> None:
    """Bring targets and angles towards what is commanded, within the limits of a tick [s]."""
    fastest, change = limits.numbers[0], limits.numbers[1] * duration
    drives = limits.is_left.size
    lefts = 0
    for k in range(drives):
        lefts += limits.is_left[k]
    for i in range(state.targets.shape[0]):
        left, right = 0.0, 0.0
        for k in range(drives):
            now = state.targets[i, k]
            goal = min(max(state.commanded[i, k], -fastest), fastest)
            now = min(max(goal, now - change), now + change)
            state.targets[i, k] = now
            if limits.is_left[k]:
                left += now
            else:
                right += now
        left, right = left / lefts, right / (drives - lefts)
        mean, linear, angular = 0.5 * (right + left), state.gains[i, 0], state.gains[i, 1]
        for k in range(drives):
            state.motors[i, k] = linear * mean + angular * (state.targets[i, k] - mean)
        rate = angular * (right - left) / limits.numbers[2]
        state.steering[i, 0], state.steering[i, 1] = linear * mean, state.gains[i, 2] * rate
        for k in range(limits.angles.shape[0]):
            step, now = limits.angles[k, 2] * duration, state.angles[i, k]
            goal = min(max(state.asked[i, k], limits.angles[k, 0]), limits.angles[k, 1])
            state.angles[i, k] = min(max(goal, now - step), now + step)


@compiled
def add_travels(state: Any, speeds: Any, duration: float) -> None:
    """Add what belts run in a tick: their speed at its end times its length [m]."""
    for i in range(state.travels.shape[0]):
        for k in range(state.travels.shape[1]):
            state.travels[i, k] += speeds[i, k] * duration
