"""Turning geometry of a four-wheel skid-steered vehicle, from its wheel speeds.

After Zhou et al. (P2). Skidding wheels turn faster apart than the vehicle turns: eq 19 maps
the apparent difference of wheel speeds to the true one, from which follow the yaw rate and
the radius. The vehicle rotates about a point D ahead of its centre, so its centre drifts
outward. A robot without measured coefficients uses its steering efficiency as the slope.

The fit of eq 19 has an offset, measured between 0.04 and 1.3 m/s; nearer to straight driving
this model goes linearly to zero, so that a robot that drives straight does not turn. Left
out: inertia, obstacles, change of slip with speed.
"""

from dataclasses import dataclass
from typing import ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.laws.turning_geometry import true_speed_difference_signed
from grouser.models.effective_width import steering_efficiency
from grouser.models.kinematic import ENGINE, Integration, KinematicPlant, PlanarTwist
from grouser.models.parameters import Parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningModel(Parameters):
    """Yaw rate and drift from the difference of wheel speeds."""

    name: ClassVar[str] = "turning"
    summary: ClassVar[str] = "four-wheel turning geometry with slippage ratios"
    source: ClassVar[str] = "P2 Zhou et al. 2022, eqs 1-20"
    engine: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        gauge = robot.gauge
        measured = robot.turning
        if measured is None:
            slope, intercept, smallest, ahead = float(steering_efficiency(robot).eta), 0.0, 1.0, 0.0
        else:
            slope = measured.speed_difference_slope
            intercept = measured.speed_difference_intercept
            smallest = measured.smallest_speed_difference
            ahead = measured.offset_ahead

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            difference = true_speed_difference_signed(right - left, slope, intercept, smallest)
            yaw_rate = difference / gauge
            return 0.5 * (left + right), -yaw_rate * ahead, yaw_rate

        return KinematicPlant(twist, robot, course, pose, self.integration)
