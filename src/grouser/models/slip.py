"""Slip-compensated kinematics with slopes and steps.

After Low et al. (P0). Which function moves the robot depends on the terrain, as in the
source: on level ground skid steering with slip ratios (eqs 1-5); above 2 degrees of slope the
ratios grow with the slope; a riser within reach of a wheel starts the step-climbing function,
which lasts until the robot has crossed the edge. Left out: inertia, oblique climbing (the side
view along the heading decides), the change of slip with speed, and steering while climbing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.laws.slip_odometry import is_straight, slip_twist
from grouser.laws.slope_slip import slope_slip
from grouser.limits import LENGTH
from grouser.models.climbing import ClimbingPlant
from grouser.models.effective_width import effective_width
from grouser.models.kinematic import ENGINE, Integration, KinematicPlant, PlanarTwist, TwistLaw
from grouser.models.model import Plant
from grouser.models.parameters import Parameters, Range
from grouser.models.slipperiness import Slipperiness

RAMP_SLOPE = np.deg2rad(2.0)
"""Slope above which the ramp's slip ratios apply [rad] (P0 via its terrain rule)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipModel(Parameters):
    """Skid steering with slip ratios, ramps and step climbing."""

    name: ClassVar[str] = "slip"
    summary: ClassVar[str] = "slip-compensated kinematics, ramps, step climbing and crossing"
    source: ClassVar[str] = "P0 Low et al., eqs 1-7 and step climbing"
    engine: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "steps", "flippers"})

    step_mode: Literal["exact", "paper"] = "exact"
    """Step climbing without slip at the edge (`exact`), or with the source's simplification."""
    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""
    slip_left: Annotated[Scalar | None, Range(-10.0, 10.0)] = None
    """Slip ratio of the left side on level ground; by the robot's file where not given [1]."""
    slip_right: Annotated[Scalar | None, Range(-10.0, 10.0)] = None
    """Slip ratio of the right side on level ground; by the robot's file where not given [1]."""
    width: Annotated[Scalar | None, Range(1e-3, LENGTH, "m")] = None
    """Equivalent wheelbase; by the robot's file where not given [m]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course."""
        plant = KinematicPlant(
            self._twist_law(robot, course), robot, course, pose, self.integration
        )
        if not course.terrain.risers:
            return plant
        return ClimbingPlant(plant, robot, course, self.step_mode)

    def _twist_law(self, robot: Robot, course: Course) -> TwistLaw:
        slip = robot.slip
        width = effective_width(robot) if self.width is None else self.width
        slipperiness = Slipperiness(course.terrain)
        on_slopes = not course.terrain.is_flat
        # P0 eq 2 with the tangents taken once, not at every step.
        pick_drift = _pick(float(np.tan(slip.slip_angle)), float(np.tan(slip.turning_slip_angle)))
        pick_slips = (
            _pick(slip.left, slip.turning_left, self.slip_left),
            _pick(slip.right, slip.turning_right, self.slip_right),
        )

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            straight = is_straight(left, right)
            factor = slipperiness.at(pose)
            slope = _slope_ahead(left, right, pose) if on_slopes else None
            slips = [pick(straight) for pick in pick_slips]
            slip_left, slip_right = (
                ratio * factor
                if slope is None
                else slope_slip(ratio * factor, slip.slope_coefficient, slope)
                for ratio in slips
            )
            vx, _, yaw_rate = slip_twist(left, right, slip_left, slip_right, 0.0, width)
            return vx, vx * pick_drift(straight), yaw_rate

        return twist


def _pick(straight: float, turning: float, always: Scalar | None = None) -> Callable[[Any], Scalar]:
    """Return what picks a parameter by whether a robot drives straight."""
    if always is not None or straight == turning:
        constant = straight if always is None else always
        return lambda is_straight: constant
    return lambda is_straight: turning + (straight - turning) * is_straight


def _slope_ahead(left: Scalar, right: Scalar, pose: Pose) -> Scalar:
    """Return the slope in the direction of travel, uphill positive; 0 below the ramp rule."""
    slope = -pose.pitch * np.sign(left + right)
    return np.where(np.abs(slope) > RAMP_SLOPE, slope, 0.0)
