"""Skid steering with instantaneous centres of rotation of the tracks.

After Martínez et al. (2005), as used by Pecka et al. (P1): slip moves each track's centre of
rotation outward, so the robot turns like a wider one. Where a robot's file gives no centres,
they follow from its equivalent wheelbase. They stay, or move with speed and curvature as the file
says. Left out: inertia, obstacles, and that the centres move with load.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.laws.icr import icr_twist
from grouser.laws.moving_icrs import IcrMotion, moving_icrs
from grouser.models.effective_width import icr_motion, track_icrs
from grouser.models.kinematic import ENGINE, Integration, KinematicPlant, PlanarTwist
from grouser.models.parameters import Parameters, Range
from grouser.models.slipperiness import Slipperiness


@dataclass(frozen=True, slots=True, kw_only=True)
class IcrModel(Parameters):
    """Skid steering by the track centres of rotation of the robot's file."""

    name: ClassVar[str] = "icr"
    summary: ClassVar[str] = "instantaneous centres of rotation, steering efficiency"
    source: ClassVar[str] = "P1 Pecka et al. 2017; Martínez et al. 2005"
    engine: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    width_ratio: Annotated[Scalar | None, Range(0.01, 1e3)] = None
    """Effective over true width; by the robot's file where not given [1]."""
    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        icrs = track_icrs(robot, self.width_ratio)
        motion = icr_motion(robot) if self.width_ratio is None else IcrMotion()
        moves = motion != IcrMotion()
        slipperiness = Slipperiness(course.terrain)
        half_gauge = robot.gauge / 2.0

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            # A slippery surface pushes the centres further out than the tracks themselves are.
            factor = slipperiness.at(pose)
            left_y, right_y, x = icrs.left_y, icrs.right_y, icrs.x
            if moves:
                left_y, right_y, x = moving_icrs(left, right, icrs, motion, robot.gauge)
            left_y = half_gauge + (left_y - half_gauge) * factor
            right_y = -half_gauge + (right_y + half_gauge) * factor
            return icr_twist(left, right, left_y, right_y, x)

        return KinematicPlant(twist, robot, course, pose, self.integration)
