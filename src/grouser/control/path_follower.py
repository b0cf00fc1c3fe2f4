"""Driving along a path: a law of steering, a rule for speed, and the slip taken into account."""

import numpy as np

from grouser.control.progress import PathProgress
from grouser.control.steering import LookAhead, Steering
from grouser.description import Robot
from grouser.description.path import Path
from grouser.errors import InvalidValue
from grouser.geometry import clamp
from grouser.laws.slip_odometry import wheel_speeds_for
from grouser.models import Command, Motion, command_sides, effective_width

SHARP_TURN = np.deg2rad(60.0)
"""Heading error above which the robot turns on the spot (assumed for P0's controller) [rad]."""
TURNED = np.deg2rad(3.0)
"""Heading error below which a turn on the spot is over [rad]."""
LARGEST_YAW_RATE = 1.2
"""Yaw rate that is never asked for more than (assumed for P0's controller) [rad/s]."""


class PathFollower:
    """A driver that follows a path and is done at its end.

    Speed falls with the cosine of the heading error; sharp turns are made on the spot, to the
    end. Belt speeds are those that the robot's
    slip parameters say are needed, scaled down together where a drive would be too fast, so
    that the curvature stays.
    """

    def __init__(
        self,
        robot: Robot,
        path: Path | None,
        speed: float = 0.1,
        steering: Steering | None = None,
    ) -> None:
        if path is None:
            raise InvalidValue("path", None, "be there; choose a course that has one")
        if not 0.0 < speed <= robot.drive.speed_limit:
            required = f"be above 0 and within the limit of robot {robot.name!r}"
            raise InvalidValue("speed", speed, required)
        self._robot, self._path, self._speed = robot, path, speed
        self._steering = LookAhead() if steering is None else steering
        self._width = effective_width(robot)
        self._on_the_spot = False
        self.progress = PathProgress(path)

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the next command; None at the end of the path."""
        pose, progress = motion.pose, self.progress
        progress.update(pose)
        if progress.is_done(pose):
            return None
        error, yaw_rate = self._steering(
            pose, self._path, progress.s, progress.leg_end, self._speed
        )
        yaw_rate = clamp(yaw_rate, -LARGEST_YAW_RATE, LARGEST_YAW_RATE)
        self._on_the_spot = abs(error) > (TURNED if self._on_the_spot else SHARP_TURN)
        speed = 0.0 if self._on_the_spot else self._speed * max(0.0, np.cos(error))
        slip = self._robot.slip
        left, right = wheel_speeds_for(speed, yaw_rate, slip.left, slip.right, self._width)
        return command_sides(self._robot, *self._limit(float(left), float(right)))

    def _limit(self, left: float, right: float) -> tuple[float, float]:
        limit = self._robot.drive.speed_limit
        fastest = max(abs(left), abs(right))
        if fastest <= limit:
            return left, right
        return left * limit / fastest, right * limit / fastest
