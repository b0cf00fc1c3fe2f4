"""Following a path: progress along it, steering laws, and the driver that uses both."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from grouser.description import Robot
from grouser.description.path import Path
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, clamp, wrap_angle
from grouser.laws.slip_odometry import wheel_speeds_for
from grouser.models import Command, Motion, command_sides, effective_width


@dataclass(frozen=True, slots=True, kw_only=True)
class Pd:
    """PD control of one quantity: u = clamp(kp e - kd r, +-limit).

    The derivative acts on the measured rate r, so that a step of the reference causes no spike.
    """

    kp: float
    """Proportional gain [output/error]."""
    kd: float = 0.0
    """Derivative gain, on the measured rate [output s/error]."""
    limit: float = float("inf")
    """Largest absolute output [output]."""

    def __call__(self, error: Scalar, rate: Scalar = 0.0) -> Scalar:
        """Return the output for an error and a measured rate of the quantity."""
        return clamp(self.kp * error - self.kd * rate, -self.limit, self.limit)


class PathProgress:
    """Path length of the point nearest to the robot, tracked leg by leg.

    A path with turns in place has legs between its corners. Only the current leg is searched, so
    progress neither skips a corner nor jumps between legs that lie close together.
    """

    corner_tolerance = 0.01
    """Distance along the path within which a corner is reached [m]."""
    goal_tolerance = 0.03
    """Distance within which the end is reached (P0) [m]."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends = (*(corner.at for corner in path.corners), path.length)
        self._leg = 0
        self.s = 0.0
        """Path length of the nearest point [m]."""

    @property
    def leg_end(self) -> float:
        """Path length at the end of the current leg [m]."""
        return self._ends[self._leg]

    def update(self, pose: Pose) -> None:
        """Update progress from the robot's pose."""
        start = self._ends[self._leg - 1] if self._leg else 0.0
        near = self._path.nearest(pose.x, pose.y, near=self.s)
        self.s = min(max(float(near), start), self.leg_end)
        last = self._leg == len(self._ends) - 1
        if not last and self.leg_end - self.s < self.corner_tolerance:
            self._leg += 1
            self.s = self._ends[self._leg - 1]

    def is_done(self, pose: Pose) -> bool:
        """Return whether the robot is at the end of the path, or abeam of it."""
        left = self._path.length - self.s
        x, y, _ = self._path.at(self._path.length)
        away = float(((pose.x - x) ** 2 + (pose.y - y) ** 2) ** 0.5)
        return left < 1e-3 or (left < 2 * self.goal_tolerance and away < self.goal_tolerance)


class Steering(Protocol):
    """A steering law."""

    def __call__(
        self, pose: Pose, path: Path, s: float, leg_end: float, speed: float
    ) -> tuple[float, float]:
        """Return the heading error [rad] and the commanded yaw rate [rad/s].

        Args:
            pose: Pose of the robot.
            path: The path to follow.
            s: Path length of the nearest point [m].
            leg_end: Path length at the end of the current leg [m].
            speed: Speed at which the robot drives when on the path [m/s].
        """
        ...


def bearing_error(pose: Pose, path: Path, s: float) -> tuple[float, float]:
    """Return bearing, from the heading [rad], and distance [m] of the path point at `s`."""
    x, y, _ = path.at(s)
    bearing = np.arctan2(y - pose.y, x - pose.x)
    return float(wrap_angle(bearing - pose.yaw)), float(np.hypot(x - pose.x, y - pose.y))


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAhead:
    """Yaw rate in proportion to the bearing of a point ahead on the path (P0's controller).

    yaw rate = clamp(2.0 e, +-1.2 rad/s), e = bearing of the point - yaw. The source only states
    that a desired yaw is computed; the numbers are assumptions.
    """

    distance: float = 0.12
    """Look-ahead distance along the path [m]."""
    control: Pd = field(default=Pd(kp=2.0, limit=1.2))
    """From heading error [rad] to yaw rate [rad/s]."""

    def __call__(
        self, pose: Pose, path: Path, s: float, leg_end: float, speed: float
    ) -> tuple[float, float]:
        """Return heading error and yaw rate."""
        error, _ = bearing_error(pose, path, _ahead(path, s, leg_end, self.distance))
        return error, float(self.control(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class PurePursuit:
    """Pure pursuit: the arc tangent to the heading through a point ahead on the path.

    yaw rate = speed 2 sin(e) / distance to the point (Coulter 1992)
    """

    distance: float = 0.12
    """Look-ahead distance along the path [m]."""

    def __call__(
        self, pose: Pose, path: Path, s: float, leg_end: float, speed: float
    ) -> tuple[float, float]:
        """Return heading error and yaw rate."""
        error, away = bearing_error(pose, path, _ahead(path, s, leg_end, self.distance))
        # Near the end the point comes close: limit the curvature.
        return error, speed * 2.0 * np.sin(error) / max(away, 0.5 * self.distance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stanley:
    """Stanley controller: aligns with the path and steers towards it by the lateral offset.

    yaw rate = rate (e + atan(gain c / speed)), e = path heading - yaw, c = offset to the right
    of the path (Hoffmann et al. 2007, for a robot that steers its yaw rate).
    """

    gain: float = 1.0
    """Gain on the lateral offset [1/s]."""
    rate: float = 2.0
    """Yaw rate per heading error [1/s]."""

    def __call__(
        self, pose: Pose, path: Path, s: float, leg_end: float, speed: float
    ) -> tuple[float, float]:
        """Return heading error and yaw rate."""
        # Just inside the leg: at a corner the path has two headings.
        x, y, heading = path.at(min(s + 1e-6, path.length))
        to_right = (pose.x - x) * np.sin(heading) - (pose.y - y) * np.cos(heading)
        along = float(wrap_angle(heading - pose.yaw))
        error = float(wrap_angle(along + np.arctan2(self.gain * to_right, speed)))
        return error, self.rate * error


def _ahead(path: Path, s: float, leg_end: float, distance: float) -> float:
    """Return the path length of the look-ahead point, at most the end of the leg [m]."""
    return min(s + distance, leg_end, path.length)


STEERINGS: dict[str, Callable[..., Steering]] = {
    "follow": LookAhead,
    "pursuit": PurePursuit,
    "stanley": Stanley,
}
"""Steering laws by name."""


SHARP_TURN = np.deg2rad(60.0)
"""Heading error above which the robot turns in place (assumed for P0's controller) [rad]."""
TURNED = np.deg2rad(3.0)
"""Heading error below which a turn in place ends [rad]."""
LARGEST_YAW_RATE = 1.2
"""Largest commanded yaw rate (assumed for P0's controller) [rad/s]."""


class PathFollower:
    """A driver that follows a path and is done at its end.

    Speed falls with the cosine of the heading error; large heading errors are corrected in
    place. Belt speeds are compensated by the robot's slip parameters, and scaled down together
    where one exceeds the limit, which keeps the curvature.
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
        self._turns_in_place = False
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
        self._turns_in_place = abs(error) > (TURNED if self._turns_in_place else SHARP_TURN)
        speed = 0.0 if self._turns_in_place else self._speed * max(0.0, np.cos(error))
        slip = self._robot.slip
        left, right = wheel_speeds_for(speed, yaw_rate, slip.left, slip.right, self._width)
        return command_sides(self._robot, *self._limit(float(left), float(right)))

    def _limit(self, left: float, right: float) -> tuple[float, float]:
        limit = self._robot.drive.speed_limit
        fastest = max(abs(left), abs(right))
        if fastest <= limit:
            return left, right
        return left * limit / fastest, right * limit / fastest
