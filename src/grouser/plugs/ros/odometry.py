"""Two odometries that a robot can compute from its encoders, with covariance.

Wheel odometry takes the belts for wheels that roll: their mean is the speed, their difference over
the gauge the yaw rate. Compensated odometry gives the same travels to a kinematic model with the
slip that was identified for the robot. Neither sees how the robot is pushed or turned from outside.

Frames: both begin at zero, where the robot starts; x is its first heading. Both are planar.

Covariance: the slip ratio of each side that an odometry does not know of is a random number with
the deviation s, alike over a distance of one gauge B. The variance of travels then grows by s^2 B
per metre, independent on both sides, which is propagated into the pose:

    P' = F P F^T + G diag(s^2 B |d_l|, s^2 B |d_r|) G^T

Left out: errors that always have the same sign, such as a wrong gauge. They grow faster than P.

Reference:
    K. S. Chong, L. Kleeman, Accurate odometry and error modelling for a mobile robot, ICRA 1997
    (covariance in proportion to the distance travelled)
"""

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from grouser.description import Course, Robot, load_course
from grouser.errors import UnknownName
from grouser.geometry import Array, Pose
from grouser.models import CATALOGUE, Command, Plant, SideMeans

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
    """Return the model whose parameters the robot's file has, for compensated odometry."""
    return "smooth" if robot.slip.smooth or robot.slip.icr else "slip"


def wheel_odometry(robot: Robot, deviation: float = WHEEL_DEVIATION) -> "Odometry":
    """Return the odometry of a robot that knows its gauge and nothing of slip.

    Args:
        robot: The robot.
        deviation: Standard deviation of slip ratios, for the covariance [1].
    """
    return Odometry(robot, "ideal", deviation)


def compensated_odometry(
    robot: Robot, model: str = "", deviation: float = COMPENSATED_DEVIATION
) -> "Odometry":
    """Return the odometry by a model of the catalogue with the parameters of the robot's file.

    Args:
        robot: The robot.
        model: Name of a kinematic model; `default_model` if empty.
        deviation: Standard deviation of slip ratios beside the model, for the covariance [1].

    Raises:
        UnknownName: It is not a kinematic model.
    """
    return Odometry(robot, model or default_model(robot), deviation)


class Odometry:
    """Integrates encoder travels by a kinematic model on level ground."""

    def __init__(self, robot: Robot, model: str, deviation: float) -> None:
        if model not in KINEMATIC:
            raise UnknownName("model for odometry", model, KINEMATIC)
        free = robot.model_copy(update={"drive": robot.drive.model_copy(update=_FREE)})
        self._robot, self._deviation, self._sides = robot, deviation, SideMeans.of(robot)
        self._plant: Plant = CATALOGUE[model]().start(free, _level_course(), Pose())
        self._angles = tuple(flipper.rest_angle for flipper in robot.flippers)
        self.reset()

    def reset(self) -> None:
        """Begin again at zero with the next travels."""
        self._plant.reset(Pose())
        self._travels: Travels | None = None
        self._time = 0.0
        self._covariance = np.zeros((3, 3))
        self.estimate = Estimate(
            pose=Pose(), pose_covariance=self._covariance, twist_covariance=np.eye(3) * EXACT
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
        twist, left_right = motion.twist, tuple(float(run) for run in self._sides(runs))
        self._propagate(yaw, float(twist.vx) * duration, float(twist.vy) * duration, left_right)
        self.estimate = Estimate(
            pose=replace(motion.pose, z=0.0, roll=0.0, pitch=0.0),
            vx=float(twist.vx),
            vy=float(twist.vy),
            yaw_rate=float(twist.yaw_rate),
            pose_covariance=self._covariance,
            twist_covariance=self._speed_covariance(left_right, duration),
        )
        return self.estimate

    def _propagate(self, yaw: float, ahead: float, aside: float, runs: tuple[float, ...]) -> None:
        middle = 0.5 * (yaw + float(self._plant.motion.pose.yaw))
        cos, sin, gauge = math.cos(middle), math.sin(middle), self._robot.gauge
        onward = np.array(
            (
                (1.0, 0.0, -ahead * sin - aside * cos),
                (0.0, 1.0, ahead * cos - aside * sin),
                (0.0, 0.0, 1.0),
            )
        )
        spread = np.array(((cos / 2, cos / 2), (sin / 2, sin / 2), (-1.0 / gauge, 1.0 / gauge)))
        per_metre = self._deviation**2 * gauge
        noise = np.diag([per_metre * abs(run) for run in runs])
        self._covariance = onward @ self._covariance @ onward.T + spread @ noise @ spread.T

    def _speed_covariance(self, runs: tuple[float, ...], duration: float) -> Array:
        """Return the covariance of the twist: unknown slip times speed, and one encoder step."""
        encoder, gauge = self._robot.sensors.encoder, self._robot.gauge
        step = 0.0 if encoder is None else encoder.travel_per_step("left") / duration
        left, right = (
            (self._deviation * run / duration) ** 2 + step**2 / 6.0 + EXACT for run in runs
        )
        along, turning = (left + right) / 4.0, (left + right) / gauge**2
        both = (right - left) / (2.0 * gauge)
        return np.array(((along, 0.0, both), (0.0, along, 0.0), (both, 0.0, turning)))


def fill_covariance(planar: Array) -> list[float]:
    """Return 36 numbers, by rows: x, y, z, roll, pitch, yaw; what is not planar is unknown."""
    full = np.diag([0.0, 0.0, UNKNOWN, UNKNOWN, UNKNOWN, 0.0])
    full[np.ix_(_PLANAR, _PLANAR)] = planar
    full[_PLANAR, _PLANAR] = np.maximum(full[_PLANAR, _PLANAR], EXACT)
    return full.ravel().tolist()


def _level_course() -> Course:
    return load_course("flat")
