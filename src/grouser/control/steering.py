"""How to steer back to a path: three laws with one signature.

Each returns the heading error that tells how far to slow down [rad], and the yaw rate to ask
for [rad/s].
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from grouser.control.pd import Pd
from grouser.description.path import Path
from grouser.geometry import Pose, wrap_angle


class Steering(Protocol):
    """A law of steering."""

    def __call__(
        self, pose: Pose, path: Path, s: float, leg_end: float, speed: float
    ) -> tuple[float, float]:
        """Return the heading error [rad] and the yaw rate to ask for [rad/s].

        Args:
            pose: Where the robot is.
            path: What it follows.
            s: Path length of the nearest point [m].
            leg_end: Path length that must not be looked beyond [m].
            speed: Speed at which the robot drives when on the path [m/s].
        """
        ...


def bearing_error(pose: Pose, path: Path, s: float) -> tuple[float, float]:
    """Return the angle from the heading to a point of the path [rad], and its distance [m]."""
    x, y, _ = path.at(s)
    bearing = np.arctan2(y - pose.y, x - pose.x)
    return float(wrap_angle(bearing - pose.yaw)), float(np.hypot(x - pose.x, y - pose.y))


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAhead:
    """Turns towards a point ahead on the path, in proportion to its bearing (P0's controller).

    yaw rate = clamp(2.0 e, +-1.2 rad/s), e = bearing of the point - yaw; the source says only
    that a desired yaw is computed, the numbers are assumptions.
    """

    distance: float = 0.12
    """How far ahead on the path [m]."""
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
    """Drives the arc that is tangent to the heading and passes through a point ahead.

    yaw rate = speed 2 sin(e) / distance to the point (Coulter 1992)
    """

    distance: float = 0.12
    """How far ahead on the path [m]."""

    def __call__(
        self, pose: Pose, path: Path, s: float, leg_end: float, speed: float
    ) -> tuple[float, float]:
        """Return heading error and yaw rate."""
        error, away = bearing_error(pose, path, _ahead(path, s, leg_end, self.distance))
        # Near the end the point comes close; the arc must not become a pirouette.
        return error, speed * 2.0 * np.sin(error) / max(away, 0.5 * self.distance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stanley:
    """Turns along the path, and towards it the more the farther off it is.

    yaw rate = rate (e + atan(gain c / speed)), e = path heading - yaw, c = offset to the right
    of the path (Hoffmann et al. 2007, for a robot that steers its yaw rate).
    """

    gain: float = 1.0
    """How sharply to turn to the path [1/s]."""
    rate: float = 2.0
    """Yaw rate per angle [1/s]."""

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
    """Return the path length of the point ahead, not beyond the leg."""
    return min(s + distance, leg_end, path.length)


STEERINGS: dict[str, Callable[..., Steering]] = {
    "follow": LookAhead,
    "pursuit": PurePursuit,
    "stanley": Stanley,
}
"""The laws by name."""
