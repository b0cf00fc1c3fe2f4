"""Skid steering with constant instantaneous centres of rotation of the tracks.

After Martínez et al. (2005), as used by Pecka et al. (P1): slip moves each track's centre of
rotation outward, so the robot turns like a wider one. Where a robot's file gives no centres,
they follow from its equivalent wheelbase. Left out: inertia, obstacles, and that the centres
move with speed and terrain.
"""

from dataclasses import dataclass
from typing import ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.laws.icr import icr_twist
from grouser.models.effective_width import track_icrs
from grouser.models.kinematic import ENGINE, Integration, KinematicPlant, PlanarTwist
from grouser.models.slipperiness import Slipperiness


@dataclass(frozen=True, slots=True, kw_only=True)
class IcrModel:
    """Skid steering by the track centres of rotation of the robot's file."""

    name: ClassVar[str] = "icr"
    summary: ClassVar[str] = "instantaneous centres of rotation, steering efficiency"
    source: ClassVar[str] = "P1 Pecka et al. 2017; Martínez et al. 2005"
    engine: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    width_ratio: Scalar | None = None
    """Effective over true width; by the robot's file where not given [1]."""
    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        icrs = track_icrs(robot, self.width_ratio)
        slipperiness = Slipperiness(course.terrain)
        half_gauge = robot.gauge / 2.0

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            # A slippery surface pushes the centres further out than the tracks themselves are.
            factor = slipperiness.at(pose)
            left_y = half_gauge + (icrs.left_y - half_gauge) * factor
            right_y = -half_gauge + (icrs.right_y + half_gauge) * factor
            return icr_twist(left, right, left_y, right_y, icrs.x)

        return KinematicPlant(twist, robot, course, pose, self.integration)
