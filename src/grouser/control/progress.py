"""How far a robot is on its path, leg by leg."""

from grouser.description.path import Path
from grouser.geometry import Pose


class PathProgress:
    """Follows the nearest point of the path, never ahead of a corner that is still to be made.

    A path that turns in place has legs between its corners. Only the leg under way is looked
    at, so a robot cuts no corner, and does not jump between legs that lie close together.
    """

    corner_tolerance = 0.01
    """Distance along the path at which a corner counts as reached [m]."""
    goal_tolerance = 0.03
    """Distance at which the end counts as reached (P0) [m]."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends = (*(corner.at for corner in path.corners), path.length)
        self._leg = 0
        self.s = 0.0
        """Path length of the nearest point [m]."""

    @property
    def leg_end(self) -> float:
        """Path length at the end of the leg under way [m]."""
        return self._ends[self._leg]

    def update(self, pose: Pose) -> None:
        """Move on to the point that is nearest to the robot now."""
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
