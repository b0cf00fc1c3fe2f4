"""A push from outside, to see whether a controller recovers."""

from dataclasses import dataclass

from grouser.description import Course
from grouser.description.path import Path
from grouser.models import Plant


@dataclass(frozen=True, slots=True)
class YawKick:
    """Turns the robot once, when it first passes a place of the reference path."""

    path: Path
    """The reference path."""
    at_path: float
    """Where on the path [m]."""
    yaw: float
    """How far the robot is turned [rad]."""

    @classmethod
    def of(cls, course: Course) -> "YawKick | None":
        """Return the disturbance that the course describes, if it does."""
        if course.disturbance is None or course.path is None:
            return None
        return cls(course.path, course.disturbance.at, course.disturbance.yaw)

    def apply(self, plant: Plant) -> "YawKick | None":
        """Turn the robot if it is there; return what is still to come."""
        pose = plant.motion.pose
        if self.path.nearest(pose.x, pose.y) < self.at_path:
            return self
        plant.turn(self.yaw)
        return None
