"""Turning that the virtual robot cannot follow is taken back by the real one."""

from collections.abc import Sequence
from dataclasses import replace

from grouser.description import Robot
from grouser.geometry import Scalar, clamp
from grouser.laws.slip_odometry import slip_twist, wheel_speeds_for
from grouser.models import Command, Motion, command_sides, effective_width
from grouser.simulation import Driver

GAIN = 5.0
"""Yaw rate per angle that is to be taken back [1/s]."""
LEAD = 0.25
"""How far ahead the angle is looked at, since belts obey late [s]."""
LARGEST_YAW_RATE = 0.6
"""Yaw rate that is never asked for more than [rad/s]."""


class StraightClimb:
    """A driver whose robot keeps its heading while its model climbs an obstacle.

    Model `slip` holds the heading while it climbs (`Motion.phase`); the real robot on its level
    floor would turn meanwhile: by what the controller asks, and by what its belts were still
    turning when the climb began. What the measured belts turn during a climb is added up, and
    steered back before it is over.
    """

    def __init__(self, driver: Driver, robot: Robot) -> None:
        self._driver, self._robot = driver, robot
        self._width = effective_width(robot)
        self._owed = self._time = 0.0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command; with steering of its own where the model cannot turn."""
        passed, self._time = time - self._time, time
        command = self._driver(time, motion)
        if command is None or not motion.phase:
            return command
        _, turning = self._twist(motion.belt_speeds)
        self._owed += turning * passed
        forward, _ = self._twist(command.belt_speeds)
        coming = self._owed + LEAD * turning
        back = float(clamp(-GAIN * coming, -LARGEST_YAW_RATE, LARGEST_YAW_RATE))
        slip = self._robot.slip
        left, right = wheel_speeds_for(forward, back, slip.left, slip.right, self._width)
        speeds = command_sides(self._robot, float(left), float(right)).belt_speeds
        return replace(command, belt_speeds=speeds)

    def _twist(self, belt_speeds: Sequence[Scalar]) -> tuple[float, float]:
        """Return forward speed [m/s] and yaw rate [rad/s] of these belts on level ground."""
        sides: dict[str, list[float]] = {"left": [], "right": []}
        for drive, speed in zip(self._robot.drives, belt_speeds, strict=True):
            sides[drive.side].append(float(speed))
        left, right = (sum(speeds) / max(len(speeds), 1) for speeds in sides.values())
        slip = self._robot.slip
        forward, _, yaw_rate = slip_twist(left, right, slip.left, slip.right, 0.0, self._width)
        return float(forward), float(yaw_rate)
