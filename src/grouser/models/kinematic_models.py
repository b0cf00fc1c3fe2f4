"""Models whose belts impose a velocity at once: ideal, slip, icr, turning.

Those with slip fitted to logs are in `skid_models`. A new one is a class with
`@CATALOGUE.register`; identification of its parameters is a class in
`identify/families/kinematic.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.laws.icr import IcrMotion, icr_twist, moving_icrs
from grouser.laws.slip_odometry import is_straight, slip_twist
from grouser.laws.slope import slope_slip
from grouser.laws.turning_geometry import true_speed_difference_signed
from grouser.limits import LENGTH
from grouser.models.assumptions import (
    Assumption,
    TurningBasis,
    assume_centres,
    assume_sideslip,
    assume_slip_factor,
    assume_slip_ratios,
    assume_slope_slip,
    assume_width,
    lacking_width,
    unstated,
)
from grouser.models.climbing import ClimbingPlant
from grouser.models.kinematic import (
    ENGINE,
    Integration,
    KinematicPlant,
    PlanarTwist,
    SurfaceSlip,
    TwistLaw,
)
from grouser.models.model import CATALOGUE, Command, Plant, command_sides
from grouser.models.parameters import Parameters, Range
from grouser.models.turn_centres import (
    effective_width,
    icr_basis,
    icr_motion,
    steering_efficiency,
    track_icrs,
    width_source,
)
from grouser.units import is_number


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class IdealModel(Parameters):
    """A differential drive as wide as the robot's gauge.

    The baseline. Left out: slip of any kind, inertia, obstacles. Slopes only tilt
    the robot and shorten its way in plan.
    """

    name: ClassVar[str] = "ideal"
    summary: ClassVar[str] = "differential drive without slip"
    source: ClassVar[str] = "textbook baseline"
    computed_by: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        gauge = robot.gauge

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            return 0.5 * (left + right), 0.0, (right - left) / gauge

        return KinematicPlant(twist, robot, course, pose, self.integration)

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the gauge."""
        return TurningBasis(robot.gauge, "gauge, as if nothing skidded")


RAMP_SLOPE = np.deg2rad(2.0)
"""Slope above which the ramp's slip ratios apply [rad] (P0 via its terrain rule)."""


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class SlipModel(Parameters):
    """Skid steering with slip ratios, ramps and step climbing.

    After Low et al. (P0). Which function moves the robot depends on the terrain, as in the
    source: on level ground skid steering with slip ratios (eqs 1-5); above 2 degrees of slope the
    ratios grow with the slope; a riser within reach of a wheel starts the step-climbing function,
    which lasts until the robot has crossed the edge. Left out: inertia, oblique climbing (the side
    view along the heading decides), the change of slip with speed, and steering while climbing.
    """

    name: ClassVar[str] = "slip"
    summary: ClassVar[str] = "slip-compensated kinematics, ramps, step climbing and crossing"
    source: ClassVar[str] = "P0 Low et al., eqs 1-7 and step climbing"
    computed_by: ClassVar[str] = ENGINE
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

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of slip and width."""
        is_given = self.slip_left is not None and self.slip_right is not None
        return (
            *(() if is_given else assume_slip_ratios(robot, in_turns=True)),
            *assume_sideslip(robot),
            *(() if self.width is not None else assume_width(robot, self.turning_basis(robot))),
            *assume_slope_slip(robot, course),
            *(assume_slip_factor(course) if self._slips(robot) else ()),
        )

    def _slips(self, robot: Robot) -> bool:
        slip = robot.slip
        ratios = [slip.left, slip.right, slip.turning_left, slip.turning_right]
        ratios += [given for given in (self.slip_left, self.slip_right) if given is not None]
        return any(np.any(ratio) for ratio in ratios)

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the equivalent wheelbase."""
        if self.width is not None:
            return TurningBasis(float(np.mean(self.width)), "parameter width")
        return TurningBasis(effective_width(robot), width_source(robot))

    def _twist_law(self, robot: Robot, course: Course) -> TwistLaw:
        slip = robot.slip
        width = effective_width(robot) if self.width is None else self.width
        surface_slip = SurfaceSlip(course.terrain)
        on_slopes = not course.terrain.is_flat
        # P0 eq 2 with the tangents taken once, not at every step.
        pick_drift = _pick(float(np.tan(slip.slip_angle)), float(np.tan(slip.turning_slip_angle)))
        pick_slips = (
            _pick(slip.left, slip.turning_left, self.slip_left),
            _pick(slip.right, slip.turning_right, self.slip_right),
        )

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            straight = is_straight(left, right)
            factor = surface_slip.at(pose)
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
    """Return a function that selects a parameter by whether a robot drives straight."""
    if always is not None or straight == turning:
        constant = straight if always is None else always
        return lambda is_straight: constant
    return lambda is_straight: turning + (straight - turning) * is_straight


def _slope_ahead(left: Scalar, right: Scalar, pose: Pose) -> Scalar:
    """Return the slope in the direction of travel, uphill positive; 0 below the ramp rule."""
    slope = -pose.pitch * np.sign(left + right)
    return np.where(np.abs(slope) > RAMP_SLOPE, slope, 0.0)


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class IcrModel(Parameters):
    """Skid steering by the track centres of rotation of the robot's file.

    After Martínez et al. (2005), as used by Pecka et al. (P1): slip moves each track's centre of
    rotation outward, so the robot turns like a wider one. Where a robot's file gives no centres,
    they follow from its equivalent wheelbase. They stay, or move with speed and curvature as the
    file says. Left out: inertia, obstacles, and that the centres move with load.
    """

    name: ClassVar[str] = "icr"
    summary: ClassVar[str] = "instantaneous centres of rotation, steering efficiency"
    source: ClassVar[str] = "P1 Pecka et al. 2017; Martínez et al. 2005"
    computed_by: ClassVar[str] = ENGINE
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
        surface_slip = SurfaceSlip(course.terrain)
        half_gauge = robot.gauge / 2.0

        def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
            # A slippery surface moves the centres further out.
            factor = surface_slip.at(pose)
            left_y, right_y, x = icrs.left_y, icrs.right_y, icrs.x
            if moves:
                left_y, right_y, x = moving_icrs(left, right, icrs, motion, robot.gauge)
            left_y = half_gauge + (left_y - half_gauge) * factor
            right_y = -half_gauge + (right_y + half_gauge) * factor
            return icr_twist(left, right, left_y, right_y, x)

        return KinematicPlant(twist, robot, course, pose, self.integration)

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of the centres of rotation."""
        if self.width_ratio is not None:
            return tuple(assume_slip_factor(course))
        moving = [field.name for field in fields(IcrMotion)]
        centres = assume_centres(robot, icr_basis(robot), "x", *moving)
        return (*centres, *assume_slip_factor(course))

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the distance of the centres of rotation."""
        if self.width_ratio is not None:
            return TurningBasis(float(np.mean(self.width_ratio)) * robot.gauge, "width_ratio")
        return icr_basis(robot)


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class TurningModel(Parameters):
    """Yaw rate and drift from the difference of wheel speeds.

    After Zhou et al. (P2). Skidding wheels turn faster apart than the vehicle turns: eq 19 maps
    the apparent difference of wheel speeds to the true one, from which follow the yaw rate and
    the radius. The vehicle rotates about a point D ahead of its centre, so its centre drifts
    outward. A robot without measured coefficients uses its steering efficiency as the slope.

    The fit of eq 19 has an offset, measured between 0.04 and 1.3 m/s; nearer to straight driving
    this model goes linearly to zero, so that a robot that drives straight does not turn. Left
    out: inertia, obstacles, change of slip with speed.
    """

    name: ClassVar[str] = "turning"
    summary: ClassVar[str] = "four-wheel turning geometry with slippage ratios"
    source: ClassVar[str] = "P2 Zhou et al. 2022, eqs 1-20"
    computed_by: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        gauge = robot.gauge
        measured = robot.turning
        if measured is None:
            slope, ahead = float(steering_efficiency(robot).eta), float(track_icrs(robot).x)
            intercept, smallest = 0.0, 1.0
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

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of P2's coefficients."""
        if robot.turning is None:
            return (
                Assumption(
                    quantity="true over apparent difference of speeds",
                    value=float(steering_efficiency(robot).eta),
                    unit="1",
                    basis=f"width of icr: {icr_basis(robot).words}",
                    keys=("turning", *lacking_width(robot)),
                ),
            )
        names = [name for name in type(robot.turning).model_fields if name != "offset_ahead"]
        keys = unstated(robot.turning, "turning", *names)
        words = "true difference of speeds"
        return (Assumption(quantity=words, basis="as the wheels'", keys=keys),) if keys else ()

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the gauge over the slope of eq 19."""
        if robot.turning is None:
            return icr_basis(robot)
        return TurningBasis(robot.gauge / robot.turning.speed_difference_slope, "[turning]")


def command_twist(
    robot: Robot, forward: Scalar, yaw_rate: Scalar, width: Scalar | None = None
) -> Command:
    """Return the command that drives the robot at a forward speed and a yaw rate.

    Belts run at forward - yaw_rate y, with y of the tracks' centres of rotation. Where a side would
    be faster than the drive's limit, both are slowed down together, which keeps the curvature.
    Flippers are at their rest angle.

    Args:
        robot: Robot to drive.
        forward: Forward speed of the body's origin; negative is backward [m/s].
        yaw_rate: Yaw rate, positive to the left [rad/s].
        width: Width of the differential drive that turns like the robot; None for its tracks'
            centres of rotation, `track_icrs` [m].

    Raises:
        InvalidValue: A number is not finite, or the width is not above 0.
    """
    given = {"forward": forward, "yaw_rate": yaw_rate} | ({} if width is None else {"width": width})
    for name, value in given.items():
        if not (is_number(value) or (np.ndim(value) and np.all(np.isfinite(value)))):
            raise InvalidValue(name, value, "be finite")
    if width is not None and not np.all(np.greater(width, 0.0)):
        raise InvalidValue("width", width, "be above 0")
    if width is None:
        icrs = track_icrs(robot)
        left_y, right_y = icrs.left_y, icrs.right_y
    else:
        left_y, right_y = 0.5 * width, -0.5 * width
    left, right = forward - yaw_rate * left_y, forward - yaw_rate * right_y
    fastest = np.maximum(np.abs(left), np.abs(right))
    limit = robot.drive.speed_limit
    scale = limit / np.maximum(fastest, limit)
    return command_sides(robot, (left * scale)[()], (right * scale)[()])
