"""Two odometries that a robot can compute from its encoders, with covariance.

Wheel odometry takes the belts for wheels that roll: their mean is the speed, their difference over
the gauge the yaw rate. Compensated odometry gives the same travels to a kinematic model with the
slip that was identified for the robot. Neither sees how the robot is pushed or turned from outside.

Frames: both begin at zero, where the robot starts; x is its first heading. Both are planar.

Covariance: two kinds of unknowns.

Random: the slip ratio of each side that an odometry does not know of has the deviation s, alike
over a distance of one gauge B, so the variance of travels grows by s^2 B per metre. With F and G
the derivatives of a step by the pose before it and by travels

    P' = F P F^T + G diag(s^2 B |d_l|, s^2 B |d_r|) G^T

Constant: numbers u of ground and load that stay the same: yaw rate over what the model says, the
point about which the body turns, mean slip of each side, sideslip. Errors of the same sign add up
until their covariance is not linear any more. So the way is integrated with each of them one
deviation sigma_u higher and lower, and with the distances e of the poses that result

    covariance = P + sum over u of (e_high e_high^T + e_low e_low^T) / 2

sigma_u is what statics of the robot's shape and mass leaves open, friction across the belts and
unevenness of the load before all, together with the difference of what the model takes from what
statics says: slip that a file states was measured on a ground that need not be this one.

Reference:
    K. S. Chong, L. Kleeman, Accurate odometry and error modelling for a mobile robot, ICRA 1997
    (covariance in proportion to the distance travelled)
    J. L. Martinez et al., Approximating kinematics for tracked mobile robots, IJRR 2005 (turns)
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from grouser.description import Course, Robot, load_course
from grouser.description.slip import Slip
from grouser.errors import UnknownName
from grouser.geometry import Array, Pose, arc_displacement
from grouser.models import (
    CATALOGUE,
    Command,
    Plant,
    SideMeans,
    computed_turn,
    effective_width,
    track_icrs,
    turn_deviations,
    width_source,
)

UNKNOWN = 1e6
"""Variance of what a planar odometry does not measure: z, roll, pitch [m^2, rad^2]."""
EXACT = 1e-9
"""Variance of the truth; zeros would mean "unknown" to filters [m^2, rad^2]."""
KINEMATIC = ("ideal", "slip", "icr", "icr-slip", "icr-drift", "smooth", "turning")
"""Models that give a velocity for belt speeds at once, which an odometry needs."""
_FREE = {"speed_limit": 1e3, "acceleration_limit": 1e6}  # encoders have measured what was reached
_PLANAR = (0, 1, 5)  # x, y, yaw in a covariance of six


WHEEL_DEVIATION, COMPENSATED_DEVIATION = 0.3, 0.05
"""Standard deviation of the slip ratio that is not known: a robot that skids by a third in turns; a
model that explains all but a twentieth [1] [A]."""
KNOWN_RATE, KNOWN_PLACE = 0.03, 0.05
"""Deviations where slip was identified on this ground: of the yaw rate [1]; of the point about
which the body turns, over the gauge [1] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """What an odometry states at one time."""

    pose: Pose
    """Body frame in the frame of the odometry."""
    vx: float = 0.0
    """Forward speed [m/s]."""
    vy: float = 0.0
    """Leftward speed [m/s]."""
    yaw_rate: float = 0.0
    """Yaw rate [rad/s]."""
    pose_covariance: Array
    """Covariance of x, y and yaw (3, 3) [m and rad]."""
    twist_covariance: Array
    """Covariance of vx, vy and yaw rate (3, 3) [m/s and rad/s]."""


Travels: TypeAlias = tuple[float, ...]
"""Distance that the belt of each drive has run, by its encoder [m]."""


def default_model(robot: Robot) -> str:
    """Return the model whose parameters the robot's file has, for compensated odometry.

    Without any it is `icr`, with the centres of rotation that statics computes.
    """
    if robot.slip.smooth or robot.slip.icr:
        return "smooth"
    return "icr" if robot.slip == Slip() else "slip"


def wheel_odometry(robot: Robot, deviation: float = WHEEL_DEVIATION) -> "Odometry":
    """Return the odometry of a robot that knows its gauge and nothing of slip.

    Args:
        robot: The robot.
        deviation: Standard deviation of slip ratios, for the covariance [1].
    """
    return Odometry(robot, "ideal", deviation)


def compensated_odometry(
    robot: Robot,
    model: str = "",
    deviation: float = COMPENSATED_DEVIATION,
    *,
    ground_known: bool = False,
) -> "Odometry":
    """Return the odometry by a model of the catalogue with the parameters of the robot's file.

    Args:
        robot: The robot.
        model: Name of a kinematic model; `default_model` if empty.
        deviation: Standard deviation of slip ratios beside the model, for the covariance [1].
        ground_known: Whether the slip of the file was identified on the ground that is driven on.

    Raises:
        UnknownName: It is not a kinematic model.
    """
    return Odometry(robot, model or default_model(robot), deviation, ground_known=ground_known)


class _Turning(NamedTuple):
    """What a model takes for how a robot turns."""

    width: float
    """Distance of the tracks' centres of rotation [m]."""
    x: float = 0.0
    """Where they are along x [m]."""
    y: float = 0.0
    """Where the middle between them is [m]."""


def _turning(robot: Robot, model: str) -> _Turning:
    if model == "ideal":
        return _Turning(robot.gauge)
    if model == "slip":
        return _Turning(effective_width(robot))
    if model == "turning" and (measured := robot.turning) is not None:
        return _Turning(robot.gauge / measured.speed_difference_slope, measured.offset_ahead)
    icrs = track_icrs(robot)
    middle = 0.5 * (icrs.left_y + icrs.right_y)
    return _Turning(float(icrs.width), float(icrs.x), float(middle))


def _unknowns(robot: Robot, turning: _Turning, *, ground_known: bool) -> Array:
    """Return deviations of what is constant: yaw rate, y and x of the turn, slips, sideslip."""
    if ground_known:
        place = KNOWN_PLACE * robot.gauge
        return np.array([KNOWN_RATE, place, place, 0.0, 0.0, 0.0])
    slip, found = robot.slip, turn_deviations(robot, *turning)
    left, right, aside = (
        max(abs(straight), abs(turned))
        for straight, turned in (
            (slip.left, slip.turning_left), (slip.right, slip.turning_right),
            (slip.slip_angle, slip.turning_slip_angle),
        )
    )  # fmt: skip
    return np.array([found.rate, found.aside, found.ahead, left, right, aside])


def turning_remark(robot: Robot, model: str = "", *, ground_known: bool = False) -> str:
    """Return a sentence on how wide a robot turns with compensated odometry, and how sure it is.

    Args:
        robot: The robot.
        model: Name of a kinematic model; `default_model` if empty.
        ground_known: Whether the slip of the file was identified on the ground that is driven on.
    """
    turning, found = _turning(robot, model or default_model(robot)), computed_turn(robot)
    rate = 100.0 * float(_unknowns(robot, turning, ground_known=ground_known)[0])
    states = f"odom/compensated states a deviation of {rate:.0f} % of every turn"
    if found.doubt:
        words = f"it is not known how robot {robot.name!r} turns, because {found.doubt}"
        return f"{words}: {turning.width:.3g} m wide is a guess, and {states}"
    source = width_source(robot)
    words = f"robot {robot.name!r} turns as {turning.width:.3g} m wide, {source}"
    if not source.startswith("slip."):
        return f"{words} (no slip.icr, slip.wheelbase): {states}"
    other = "" if ground_known else f", even loads would turn as {found.icrs.width:.3g} m"
    return f"{words} of its file{other}: {states}"


class Odometry:
    """Integrates encoder travels by a kinematic model on level ground."""

    def __init__(
        self, robot: Robot, model: str, deviation: float, *, ground_known: bool = False
    ) -> None:
        if model not in KINEMATIC:
            raise UnknownName("model for odometry", model, KINEMATIC)
        free = robot.model_copy(update={"drive": robot.drive.model_copy(update=_FREE)})
        self._robot, self._deviation, self._sides = robot, deviation, SideMeans.of(robot)
        self._plant: Plant = CATALOGUE[model]().start(free, _level_course(), Pose())
        self._angles = tuple(flipper.rest_angle for flipper in robot.flippers)
        self._turning = _turning(robot, model)
        self._unknowns = _unknowns(robot, self._turning, ground_known=ground_known)
        self.reset()

    def reset(self) -> None:
        """Begin again at zero with the next travels."""
        self._plant.reset(Pose())
        self._travels: Travels | None = None
        self._time = 0.0
        self._random = np.zeros((3, 3))
        self._poses = np.zeros((1 + 2 * self._unknowns.size, 3))  # as it is, each higher, lower
        self.estimate = Estimate(
            pose=Pose(), pose_covariance=self._random, twist_covariance=np.eye(3) * EXACT
        )

    def update(self, time: float, travels: Travels) -> Estimate:
        """Return the estimate at a time [s], by the travels up to then; later than the last one."""
        before, duration = self._travels, time - self._time
        self._travels, self._time = travels, time
        if before is None or not duration > 0.0:
            return self.estimate
        runs = tuple(now - then for now, then in zip(travels, before, strict=True))
        yaw = float(self._plant.motion.pose.yaw)
        speeds = tuple(run / duration for run in runs)
        self._plant.advance(Command(belt_speeds=speeds, flipper_angles=self._angles), duration)
        motion = self._plant.motion
        twist, sides = motion.twist, tuple(float(run) for run in self._sides(runs))
        way = tuple(float(v) * duration for v in (twist.vx, twist.vy, twist.yaw_rate))
        others = self._step_by_unknowns(way, sides) * self._unknowns
        self._propagate(yaw, way, sides)
        self._spread(way, others)
        self.estimate = Estimate(
            pose=replace(motion.pose, z=0.0, roll=0.0, pitch=0.0),
            vx=float(twist.vx),
            vy=float(twist.vy),
            yaw_rate=float(twist.yaw_rate),
            pose_covariance=self._random + _second_moments(self._poses),
            twist_covariance=self._speed_covariance(sides, duration)
            + others @ others.T / duration**2,
        )
        return self.estimate

    def _step_by_unknowns(self, way: tuple[float, ...], sides: tuple[float, ...]) -> Array:
        """Return the derivatives of a step ahead, aside [m] and turned [rad] by the unknowns."""
        (ahead, _, turn), (width, x, y) = way, self._turning
        left, right = sides
        return np.array(
            (
                (y * turn, turn, 0.0, -0.5 * left, -0.5 * right, 0.0),
                (-x * turn, 0.0, -turn, 0.0, 0.0, ahead),
                (turn, 0.0, 0.0, left / width, -right / width, 0.0),
            )
        )

    def _spread(self, way: tuple[float, ...], others: Array) -> None:
        """Move the poses of all unknowns by a step ahead, aside [m] and turned [rad]."""
        ahead, aside, turn = np.concatenate(([way], way + others.T, way - others.T)).T
        dx, dy = arc_displacement(ahead, aside, turn, self._poses[:, 2], 1.0)
        self._poses += np.stack((dx, dy, turn), axis=1)

    def _propagate(self, yaw: float, way: tuple[float, ...], sides: tuple[float, ...]) -> None:
        middle, width = yaw + 0.5 * way[2], self._turning.width
        cos, sin = math.cos(middle), math.sin(middle)
        onward = np.eye(3)
        onward[:2, 2] = -sin * way[0] - cos * way[1], cos * way[0] - sin * way[1]
        spread = np.array(((cos / 2, cos / 2), (sin / 2, sin / 2), (-1.0 / width, 1.0 / width)))
        per_metre = self._deviation**2 * self._robot.gauge
        noise = np.diag([per_metre * abs(run) for run in sides])
        self._random = onward @ self._random @ onward.T + spread @ noise @ spread.T

    def _speed_covariance(self, sides: tuple[float, ...], duration: float) -> Array:
        """Return the covariance of the twist: unknown slip times speed, and one encoder step."""
        encoder, width = self._robot.sensors.encoder, self._turning.width
        step = 0.0 if encoder is None else encoder.travel_per_step("left") / duration
        left, right = (
            (self._deviation * run / duration) ** 2 + step**2 / 6.0 + EXACT for run in sides
        )
        along, turning = (left + right) / 4.0, (left + right) / width**2
        both = (right - left) / (2.0 * width)
        return np.array(((along, 0.0, both), (0.0, along, 0.0), (both, 0.0, turning)))


def _second_moments(poses: Array) -> Array:
    """Return the mean square distance of poses from the first, a pair for each unknown."""
    apart = poses[1:] - poses[0]
    return 0.5 * apart.T @ apart


def fill_covariance(planar: Array) -> list[float]:
    """Return 36 numbers, by rows: x, y, z, roll, pitch, yaw; what is not planar is unknown."""
    full = np.diag([0.0, 0.0, UNKNOWN, UNKNOWN, UNKNOWN, 0.0])
    full[np.ix_(_PLANAR, _PLANAR)] = planar
    full[_PLANAR, _PLANAR] = np.maximum(full[_PLANAR, _PLANAR], EXACT)
    return full.ravel().tolist()


def _level_course() -> Course:
    return load_course("flat")
