"""State, noise, prediction and corrections of the slip filter.

| state | unit | what |
|---|---|---|
| `x` `y` `yaw` | m, rad | pose of the body on the floor |
| `v` `yaw_rate` | m/s, rad/s | forward speed and yaw rate over the last step |
| `gyro_bias` | rad/s | bias of the gyroscope |
| `slip_left` `slip_right` | 1 | slip ratio of each side, 1 - ground speed / belt speed |
| `slip_angle` | rad | from the body's x axis to its velocity, positive drifts left |

Two more states are internal: the rounding error of each side's encoder count, less than one count,
which does not grow with the distance.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, arc_displacement, wrap_angle
from grouser.models import effective_width

STATE_UNITS = {
    "x": "m",
    "y": "m",
    "yaw": "rad",
    "v": "m/s",
    "yaw_rate": "rad/s",
    "gyro_bias": "rad/s",
    "slip_left": "1",
    "slip_right": "1",
    "slip_angle": "rad",
}
"""Unit of each public state."""
STATE_NAMES = tuple(STATE_UNITS)
"""The public states, in their order."""
X, Y, YAW, V, RATE, BIAS, SLIP_L, SLIP_R, ANGLE, EXCESS_L, EXCESS_R = range(11)
"""Index of each state."""
SIZE = 11
"""Number of states."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belief:
    """Gaussian estimate of the state of one robot or many; leading axes count robots."""

    mean: NDArray[np.float64]
    """Mean (..., 11) [units as `STATE_UNITS`, m for the last two]."""
    covariance: NDArray[np.float64]
    """Covariance (..., 11, 11) [products of those units]."""

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviation of each state (..., 11) [units as of the mean]."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))

    def value(self, name: str) -> NDArray[np.float64]:
        """Return the mean of a state [unit as `STATE_UNITS`]."""
        return self.mean[..., STATE_NAMES.index(name)]

    def deviation(self, name: str) -> NDArray[np.float64]:
        """Return the standard deviation of a state [unit as `STATE_UNITS`]."""
        return self.deviations[..., STATE_NAMES.index(name)]


GATE = 16.27
"""Squared Mahalanobis distance of an outlier: 99.9 % of chi-square, 3 degrees of freedom [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionSettings:
    """Standard deviations that the filter assumes."""

    width: float
    """Equivalent wheelbase, P0 eq 7 [m]."""
    belt_noise: float = 0.0
    """White noise of a measured belt speed [m/s]."""
    travel_noise: float = 0.0
    """Quantisation error of an encoder's travel, which does not accumulate [m]."""
    gyro_noise: float = 0.001
    """White noise of the gyroscope [rad/s]."""
    speed_wander: float = 0.0005
    """Random walk of the distance about the slip model [m/s^0.5]."""
    side_wander: float = 0.0002
    """Random walk of the lateral position [m/s^0.5]."""
    turn_wander: float = 0.001
    """Random walk of the heading about the slip model [rad/s^0.5]."""
    slip_wander: float = 0.002
    """Random walk of a slip ratio [1/s^0.5]."""
    angle_wander: float = 0.001
    """Random walk of the slip angle [rad/s^0.5]."""
    bias_wander: float = 1e-5
    """Random walk of the gyroscope's bias [rad/s^1.5]."""
    first_slip: float = 0.2
    """Initial deviation of a slip ratio, with mean 0 [1]."""
    first_angle: float = 0.02
    """Initial deviation of the slip angle, with mean 0 [rad]."""
    first_bias: float = 0.01
    """Initial deviation of the gyroscope's bias, with mean 0 [rad/s]."""
    gate: float = GATE
    """Squared Mahalanobis distance above which a pose is an outlier [1]."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not (math.isfinite(value) or name == "gate") or value < 0.0:
                raise InvalidValue(f"fusion.{name}", value, "be zero or more")
        if not self.width > 0.0:
            raise InvalidValue("fusion.width", self.width, "be positive")

    @classmethod
    def of(cls, robot: Robot, **changes: float) -> "FusionSettings":
        """Return the settings from a robot's sensors, overridden by `changes`."""
        known: dict[str, float] = {"width": effective_width(robot)}
        encoder, imu = robot.sensors.encoder, robot.sensors.imu
        if encoder is not None:
            step = 2.0 * math.pi * encoder.wheel_radius / encoder.ticks_per_revolution
            known |= {"belt_noise": encoder.speed_noise, "travel_noise": step / math.sqrt(12.0)}
        if imu is not None:
            step = 2.0 * imu.gyro_range / 2.0**imu.gyro_bits
            known["gyro_noise"] = math.hypot(imu.gyro_noise, step / math.sqrt(12.0))
            known["first_bias"] = imu.gyro_bias / math.sqrt(3.0)
        return cls(**{**known, **changes})

    def start(self, pose: Pose, position: float = 0.01, yaw: float = 0.05) -> Belief:
        """Return the initial estimate.

        Args:
            pose: Pose of the robot.
            position: Standard deviation of x and y [m].
            yaw: Standard deviation of yaw [rad].
        """
        mean, deviations = np.zeros(SIZE), np.zeros(SIZE)
        mean[[X, Y, YAW]] = pose.x, pose.y, pose.yaw
        deviations[[X, Y]], deviations[YAW] = position, yaw
        deviations[BIAS] = self.first_bias
        deviations[[SLIP_L, SLIP_R]], deviations[ANGLE] = self.first_slip, self.first_angle
        # A counter starts anywhere within a count, at its lower end if it was reset.
        deviations[[EXCESS_L, EXCESS_R]] = math.sqrt(3.0) * self.travel_noise
        return Belief(mean=mean, covariance=np.diag(deviations**2))


def carry_pose(
    mean: NDArray[np.float64], duration: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the pose (..., 3) after a duration, and its Jacobian (..., 3, 11).

    P0 eqs 2 to 5 along an arc. The Jacobian neglects the curvature within the step, an error below
    (yaw_rate duration)^2 / 24.

    Args:
        mean: State (..., 11).
        duration: Time step, negative for an earlier pose [s].
    """
    yaw, v, rate, angle = (mean[..., k] for k in (YAW, V, RATE, ANGLE))
    drift = np.tan(angle)
    dx, dy = arc_displacement(v, v * drift, rate, yaw, duration)
    pose = np.stack((mean[..., X] + dx, mean[..., Y] + dy, yaw + rate * duration), axis=-1)
    half = yaw + 0.5 * rate * duration
    cos, sin = np.cos(half), np.sin(half)
    jacobian = np.zeros((*mean.shape[:-1], 3, SIZE))
    jacobian[..., 0, X] = jacobian[..., 1, Y] = jacobian[..., 2, YAW] = 1.0
    jacobian[..., 2, RATE] = duration
    along, across = cos - drift * sin, sin + drift * cos
    for row, by_speed, by_yaw, by_angle in ((0, along, -across, -sin), (1, across, along, cos)):
        jacobian[..., row, V] = duration * by_speed
        jacobian[..., row, YAW] = duration * v * by_yaw
        jacobian[..., row, RATE] = 0.5 * duration**2 * v * by_yaw
        jacobian[..., row, ANGLE] = duration * v * (1.0 + drift**2) * by_angle
    return pose, jacobian


_SIDES = ((SLIP_L, EXCESS_L, -1.0), (SLIP_R, EXCESS_R, 1.0))
_WANDERING = (BIAS, SLIP_L, SLIP_R, ANGLE)


def predict_belief(
    belief: Belief, left: Scalar, right: Scalar, duration: float, settings: FusionSettings
) -> Belief:
    """Return the estimate after a time step.

    If an encoder's count was too large by e and is now too large by n, the measured belt speed is
    too large by (n - e) / dt. With corrected belt speeds, P0 eqs 1 and 5 give speed and yaw rate,
    and an arc gives the new pose.

    Args:
        belief: Estimate before the step.
        left: Measured belt speed on the left over the step [m/s].
        right: Measured belt speed on the right over the step [m/s].
        duration: Length of the step [s].
        settings: Noise of the measurements.
    """
    moved, jacobian, noise = _speeds(belief.mean, left, right, duration, settings)
    pose, carried = carry_pose(moved, duration)
    mean = moved.copy()
    mean[..., [X, Y, YAW]] = pose
    # Chain rule: speed and yaw rate first, then the pose.
    jacobian[..., [X, Y, YAW], :] = carried @ jacobian
    spread = noise.copy()
    spread[..., [X, Y, YAW], :] = carried @ noise
    sideways = settings.side_wander * np.sqrt(duration)
    spread[..., X, -1] = -sideways * np.sin(moved[..., YAW])
    spread[..., Y, -1] = sideways * np.cos(moved[..., YAW])
    covariance = jacobian @ belief.covariance @ _transposed(jacobian) + spread @ _transposed(spread)
    wander = (settings.bias_wander, *2 * (settings.slip_wander,), settings.angle_wander)
    covariance[..., _WANDERING, _WANDERING] += duration * np.square(wander)
    return Belief(mean=mean, covariance=covariance)


def _speeds(
    mean: NDArray[np.float64],
    left: Scalar,
    right: Scalar,
    duration: float,
    settings: FusionSettings,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the state with new speeds, its Jacobian, and its noise input matrix.

    Columns of the noise matrix (..., 11, 7), scaled by standard deviations: two encoder counts,
    two belt speeds, speed, yaw rate, lateral shift (pose only).
    """
    moved, shape = mean.copy(), mean.shape[:-1]
    jacobian = np.broadcast_to(np.eye(SIZE), (*shape, SIZE, SIZE)).copy()
    noise = np.zeros((*shape, SIZE, 7))
    for row in (V, RATE, EXCESS_L, EXCESS_R):
        jacobian[..., row, :] = 0.0
        moved[..., row] = 0.0
    for side, ((slip, excess, sign), belt) in enumerate(zip(_SIDES, (left, right), strict=True)):
        speed = belt + mean[..., excess] / duration
        grip = 1.0 - mean[..., slip]
        for row, share in ((V, 0.5), (RATE, sign / settings.width)):
            moved[..., row] += share * speed * grip
            jacobian[..., row, slip] = -share * speed
            jacobian[..., row, excess] = share * grip / duration
            noise[..., row, side] = -share * grip / duration * settings.travel_noise
            noise[..., row, 2 + side] = share * grip * settings.belt_noise
        noise[..., excess, side] = settings.travel_noise
    noise[..., V, 4] = settings.speed_wander / np.sqrt(duration)
    noise[..., RATE, 5] = settings.turn_wander / np.sqrt(duration)
    return moved, jacobian, noise


def _transposed(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.swapaxes(matrix, -1, -2)


def correct_by_gyro(belief: Belief, rate: Scalar, settings: FusionSettings) -> Belief:
    """Return the estimate corrected by a yaw rate from the gyroscope [rad/s]."""
    jacobian = np.zeros((1, SIZE))
    jacobian[0, [RATE, BIAS]] = 1.0
    residual = rate - belief.mean[..., RATE] - belief.mean[..., BIAS]
    noise = np.array([[settings.gyro_noise**2]])
    corrected, _ = _correct(belief, np.asarray(residual)[..., None], jacobian, noise)
    return corrected


def correct_by_pose(
    belief: Belief,
    pose: NDArray[np.float64],
    deviations: NDArray[np.float64],
    age: float,
    gate: float,
) -> tuple[Belief, NDArray[np.bool_]]:
    """Return the estimate corrected by a camera pose, and whether the pose was accepted.

    Args:
        belief: Current estimate.
        pose: Measured x, y and yaw (..., 3) [m and rad].
        deviations: Their standard deviations (..., 3) [m and rad].
        age: Age of the measurement, within the last step [s].
        gate: Squared Mahalanobis distance above which it is rejected [1].
    """
    expected, jacobian = carry_pose(belief.mean, -age)
    residual = pose - expected
    residual[..., 2] = wrap_angle(residual[..., 2])
    noise = np.eye(3) * np.square(deviations)[..., None, :]
    corrected, distance = _correct(belief, residual, jacobian, noise)
    accepted = distance <= gate
    return Belief(
        mean=np.where(accepted[..., None], corrected.mean, belief.mean),
        covariance=np.where(accepted[..., None, None], corrected.covariance, belief.covariance),
    ), accepted


def _correct(
    belief: Belief,
    residual: NDArray[np.float64],
    jacobian: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> tuple[Belief, NDArray[np.float64]]:
    """Return the corrected estimate, and the squared Mahalanobis distance of the innovation [1]."""
    covariance = belief.covariance
    back = np.swapaxes(jacobian, -1, -2)
    innovation = jacobian @ covariance @ back + noise
    gain = np.swapaxes(np.linalg.solve(innovation, jacobian @ covariance), -1, -2)
    mean = belief.mean + (gain @ residual[..., None])[..., 0]
    kept = np.eye(SIZE) - gain @ jacobian
    # Joseph form: stays symmetric and positive definite despite rounding.
    updated = kept @ covariance @ np.swapaxes(kept, -1, -2)
    updated = updated + gain @ noise @ np.swapaxes(gain, -1, -2)
    weighted = np.linalg.solve(innovation, residual[..., None])[..., 0]
    return Belief(mean=mean, covariance=updated), np.sum(residual * weighted, axis=-1)
