"""Ideal differential drive: belts that never slip.

The baseline of the ladder. Left out: slip of any kind, inertia, obstacles. Slopes only tilt
the robot and shorten its way in plan.
"""

from dataclasses import dataclass
from typing import ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.kinematic import ENGINE, Integration, KinematicPlant, PlanarTwist
from grouser.models.parameters import Parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class IdealModel(Parameters):
    """A differential drive as wide as the robot's gauge."""

    name: ClassVar[str] = "ideal"
    summary: ClassVar[str] = "differential drive without slip"
    source: ClassVar[str] = "textbook baseline"
    engine: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        gauge = robot.gauge

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            return 0.5 * (left + right), 0.0, (right - left) / gauge

        return KinematicPlant(twist, robot, course, pose, self.integration)
