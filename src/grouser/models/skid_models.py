"""Kinematic models with the slip that logs of skid-steer robots show: icr-slip, icr-drift, smooth.

Their law is `laws.smooth_slip`; `grouser identify` has a family of the same name for each.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from grouser.description import Course, Robot
from grouser.description.slip import Smooth
from grouser.description.terrain import Terrain
from grouser.geometry import Pose, Scalar, clamp
from grouser.laws.smooth_slip import (
    DrivenRange,
    SkidConstants,
    WayRange,
    smooth_twist,
    speed_and_contrast,
)
from grouser.models.assumptions import (
    Assumption,
    TurningBasis,
    assume_centres,
    assume_slip_factor,
    assume_slip_ratios,
    assume_smooth_terms,
)
from grouser.models.kinematic import (
    ENGINE,
    Integration,
    KinematicPlant,
    PlanarTwist,
    SurfaceSlip,
    TwistLaw,
)
from grouser.models.model import CATALOGUE, Command, SideMeans
from grouser.models.parameters import Parameters
from grouser.models.turn_centres import icr_basis, track_icrs
from grouser.notices import LOGGER


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class IcrSlipModel(Parameters):
    """Skid steering by centres of rotation and a slip ratio for each side.

    Martínez et al. (2005) with belt speeds that the slip ratios `left` and `right` of `[slip]`
    reduce. A ratio also holds what a wheel radius is off by, so it may be negative, and a slippery
    surface leaves it as it is; such a surface moves the centres of `[slip.icr]` outward. Where the
    file has no centres, they follow from the equivalent wheelbase. Left out: inertia, obstacles,
    and that slip and centres change with speed, curvature and load.
    """

    name: ClassVar[str] = "icr-slip"
    summary: ClassVar[str] = "centres of rotation, and a slip ratio for each side"
    source: ClassVar[str] = "Martínez et al. 2005, with slip ratios"
    computed_by: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        law = _constant_law(replace(skid_constants(robot), drift=0.0), robot, course)
        return KinematicPlant(law, robot, course, pose, self.integration)

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of slip and centres of rotation."""
        return _assume_constants(robot, course, "x")

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the distance of the centres of rotation."""
        return icr_basis(robot)


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class IcrDriftModel(Parameters):
    """`icr-slip` with a sideslip that grows with the yaw rate.

    In a turn the body drifts outward by the angle `drift_s` of `[slip.icr]` times the yaw rate.
    Left out: what `icr-slip` leaves out, except the drift.
    """

    name: ClassVar[str] = "icr-drift"
    summary: ClassVar[str] = "centres of rotation, slip ratios, and drift in turns"
    source: ClassVar[str] = "Martínez et al. 2005, with slip ratios and drift"
    computed_by: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        law = _constant_law(skid_constants(robot), robot, course)
        return KinematicPlant(law, robot, course, pose, self.integration)

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of slip, centres of rotation and drift."""
        return _assume_constants(robot, course, "x", "drift")

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the distance of the centres of rotation."""
        return icr_basis(robot)


@CATALOGUE.register
@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothModel(Parameters):
    """Slip that is smooth in speed and curvature, within the range that was driven.

    The terms of `[slip.smooth]` hold up to its fastest speed and within its contrasts; beyond, the
    model goes over into the constants of `[slip]` and `[slip.icr]`, those of `icr-drift`, and a
    run that does so reports it once. A robot without `[slip.smooth]` moves as `icr-drift` does. A
    slippery surface widens the robot by as much as it does in `icr-drift`. Left out: inertia,
    obstacles, and how slip changes with load.
    """

    name: ClassVar[str] = "smooth"
    summary: ClassVar[str] = "slip and drift smooth in speed and curvature, as fitted to logs"
    source: ClassVar[str] = "Martínez et al. 2005, with smooth terms"
    computed_by: ClassVar[str] = ENGINE
    features: ClassVar[frozenset[str]] = frozenset({"slopes", "rough", "flippers"})

    integration: Integration = "arc"
    """Exact arcs (`arc`), or the plain step of a game engine (`euler`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> KinematicPlant:
        """Put the robot on the course."""
        smooth, constants = robot.slip.smooth, skid_constants(robot)
        if smooth is None:
            law = _constant_law(constants, robot, course)
            return KinematicPlant(law, robot, course, pose, self.integration)
        law = _smooth_law(smooth, constants, robot, course)
        watch = RangeWatch(robot, _range_of(smooth))
        return WatchedPlant(watch, law, robot, course, pose, self.integration)

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed where smooth terms are missing, or driven beyond their range."""
        return (*assume_smooth_terms(robot), *_assume_constants(robot, course, "x", "drift"))

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the smooth terms, or the distance of the centres of rotation."""
        has_terms = robot.slip.smooth is not None
        return TurningBasis(None, "slip.smooth") if has_terms else icr_basis(robot)


def _assume_constants(
    robot: Robot, course: Course | None, *of_centres: str
) -> tuple[Assumption, ...]:
    return (
        *assume_slip_ratios(robot, in_turns=False),
        *assume_centres(robot, icr_basis(robot), *of_centres),
        *assume_slip_factor(course),
    )


def skid_constants(robot: Robot) -> SkidConstants:
    """Return slip ratios, centres of rotation and drift of a robot's file."""
    icrs, icr = track_icrs(robot), robot.slip.icr
    return SkidConstants(
        slip_left=robot.slip.left,
        slip_right=robot.slip.right,
        left_y=icrs.left_y,
        right_y=icrs.right_y,
        x=icrs.x,
        drift=0.0 if icr is None else icr.drift,
    )


def driven_range(robot: Robot) -> DrivenRange | None:
    """Return the range of belt speeds of the robot's smooth terms; None if it has none."""
    smooth = robot.slip.smooth
    return None if smooth is None else _range_of(smooth)


def _range_of(smooth: Smooth) -> DrivenRange:
    ways = {"ahead": smooth.ahead, "back": smooth.back, "spot": smooth.spot}
    return DrivenRange(
        speed=smooth.fastest,
        contrast_low=smooth.contrast_low,
        contrast_high=smooth.contrast_high,
        **{
            name: WayRange(speed=way.fastest, right=way.right, left=way.left)
            for name, way in ways.items()
            if way is not None
        },
    )


class _ConstantsOnGround:
    """Constants on the surface under a robot: a slippery one moves the centres outward."""

    def __init__(self, constants: SkidConstants, terrain: Terrain, gauge: float) -> None:
        self._constants, self._half_gauge = constants, gauge / 2.0
        self._surface_slip = SurfaceSlip(terrain)
        self._kept: tuple[Scalar, SkidConstants] | None = None

    def at(self, pose: Pose) -> SkidConstants:
        """Return the constants at a pose."""
        factor = self._surface_slip.at(pose)
        if self._kept is None or self._kept[0] is not factor:  # once where all surfaces agree
            half, constants = self._half_gauge, self._constants
            left_y = half + (constants.left_y - half) * factor
            right_y = -half + (constants.right_y + half) * factor
            self._kept = factor, replace(constants, left_y=left_y, right_y=right_y)
        return self._kept[1]


def _constant_law(constants: SkidConstants, robot: Robot, course: Course) -> TwistLaw:
    on_ground = _ConstantsOnGround(constants, course.terrain, robot.gauge)

    def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
        return on_ground.at(pose).twist(left, right)

    return twist


def _smooth_law(smooth: Smooth, constants: SkidConstants, robot: Robot, course: Course) -> TwistLaw:
    on_ground = _ConstantsOnGround(constants, course.terrain, robot.gauge)
    driven, gauge = _range_of(smooth), robot.gauge
    width = constants.left_y - constants.right_y

    def twist(left: Scalar, right: Scalar, pose: Pose) -> PlanarTwist:
        here = on_ground.at(pose)
        share = width / (here.left_y - here.right_y)
        yaw, leftward = (tuple([share * c for c in part]) for part in (smooth.yaw, smooth.leftward))
        return smooth_twist(left, right, (smooth.forward, yaw, leftward), here, driven, gauge)

    return twist


SLOW = 0.05
"""Share of the fastest speed below which belts have no contrast worth a remark [1] [A]."""
TOLERANCE = 0.01
"""How far speed over the fastest, and contrast, may be beyond without a remark [1] [A]."""


class RangeWatch:
    """Reports, once, that a robot is commanded beyond the range that smooth terms were fitted to.

    Commands count, not the belts that follow them: a start passes through other contrasts.
    """

    def __init__(self, robot: Robot, driven: DrivenRange) -> None:
        self._robot, self._driven = robot, driven
        self._limit, self._sides = robot.drive.speed_limit, SideMeans.of(robot)
        self._has_reported = False

    def look(self, command: Command) -> None:
        """Report it if this command is the first beyond the range."""
        if self._has_reported:
            return
        left, right = (
            clamp(v, -self._limit, self._limit) for v in self._sides(command.belt_speeds)
        )
        driven = self._driven
        speed = np.maximum(abs(left), abs(right))
        beyond = (driven.beyond(left, right) > TOLERANCE) & (speed > SLOW * driven.speed)
        if np.any(beyond):
            first = np.argmax(beyond)
            self._report(
                *(float(np.ravel(side)[first]) for side in np.broadcast_arrays(left, right))
            )

    def _report(self, left: float, right: float) -> None:
        self._has_reported, driven = True, self._driven
        speed, contrast = speed_and_contrast(left, right)
        LOGGER.warning(
            "model smooth of robot %r was fitted to belt speeds up to %.3g m/s with contrasts from "
            "%.3g to %.3g%s, and is driven beyond that, %sat %.3g m/s with a contrast of %.3g: "
            "there it goes over into the constants of [slip] and [slip.icr]",
            self._robot.name, driven.speed, driven.contrast_low, driven.contrast_high,
            "".join(_words(driven)), "in reverse " if left + right < 0.0 else "", speed,
            abs(contrast) if not any(_words(driven)) else contrast,
        )  # fmt: skip


def _words(driven: DrivenRange) -> Iterator[str]:
    """Yield what is known of each way of driving, in words."""
    ways = {"ahead": driven.ahead, "in reverse": driven.back, "on the spot": driven.spot}
    for name, way in ways.items():
        if way is not None and way.speed <= 0.0:
            yield f", never {name}"
        elif way is not None:
            yield f", {name} up to {way.speed:.3g} m/s from {way.right:.3g} to {way.left:.3g}"


class WatchedPlant(KinematicPlant):
    """A kinematic plant whose commands are watched."""

    def __init__(
        self,
        watch: RangeWatch,
        law: TwistLaw,
        robot: Robot,
        course: Course,
        pose: Pose | None = None,
        integration: Integration = "arc",
    ) -> None:
        super().__init__(law, robot, course, pose, integration)
        self._watch = watch

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds."""
        self._watch.look(command)
        super().advance(command, duration)
