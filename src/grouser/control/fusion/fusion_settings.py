"""How well sensors measure, how slip wanders, and what is known at the start."""

import math
from dataclasses import dataclass

import numpy as np

from grouser.control.fusion.belief import (
    ANGLE,
    BIAS,
    EXCESS_L,
    EXCESS_R,
    SIZE,
    SLIP_L,
    SLIP_R,
    YAW,
    Belief,
    X,
    Y,
)
from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.kinematic_models import effective_width

GATE = 16.27
"""Squared distance that one of a thousand good poses exceeds: chi-square, three numbers [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionSettings:
    """Standard deviations that a filter reckons with."""

    width: float
    """Equivalent wheelbase, P0 eq 7 [m]."""
    belt_noise: float = 0.0
    """Of a measured belt speed, new in each step: its error grows with the way [m/s]."""
    travel_noise: float = 0.0
    """Of the way that an encoder has counted: does not grow with the way [m]."""
    gyro_noise: float = 0.001
    """Of a reading of the gyroscope [rad/s]."""
    speed_wander: float = 0.0005
    """How far the way strays from the slip model in a second [m/s^0.5]."""
    side_wander: float = 0.0002
    """How far the robot strays to its side in a second [m/s^0.5]."""
    turn_wander: float = 0.001
    """How far the heading strays from the slip model in a second [rad/s^0.5]."""
    slip_wander: float = 0.002
    """How far a slip ratio wanders in a second [1/s^0.5]."""
    angle_wander: float = 0.001
    """How far the slip angle wanders in a second [rad/s^0.5]."""
    bias_wander: float = 1e-5
    """How far the gyroscope's bias wanders in a second [rad/s^1.5]."""
    first_slip: float = 0.2
    """Of a slip ratio at the start, which is then taken as 0 [1]."""
    first_angle: float = 0.02
    """Of the slip angle at the start, which is then taken as 0 [rad]."""
    first_bias: float = 0.01
    """Of the gyroscope's bias at the start, which is then taken as 0 [rad/s]."""
    gate: float = GATE
    """Squared distance, in standard deviations, above which a pose is an outlier [1]."""

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not (math.isfinite(value) or name == "gate") or value < 0.0:
                raise InvalidValue(f"fusion.{name}", value, "be zero or more")
        if not self.width > 0.0:
            raise InvalidValue("fusion.width", self.width, "be positive")

    @classmethod
    def of(cls, robot: Robot, **changes: float) -> "FusionSettings":
        """Return what a robot's file says about its sensors; `changes` count more."""
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
        """Return what is believed at the start.

        Args:
            pose: Where the robot stands.
            position: Standard deviation of its x and y [m].
            yaw: Standard deviation of its yaw [rad].
        """
        mean, deviations = np.zeros(SIZE), np.zeros(SIZE)
        mean[[X, Y, YAW]] = pose.x, pose.y, pose.yaw
        deviations[[X, Y]], deviations[YAW] = position, yaw
        deviations[BIAS] = self.first_bias
        deviations[[SLIP_L, SLIP_R]], deviations[ANGLE] = self.first_slip, self.first_angle
        # A counter starts anywhere within a step, at its lower end if it was reset.
        deviations[[EXCESS_L, EXCESS_R]] = math.sqrt(3.0) * self.travel_noise
        return Belief(mean=mean, covariance=np.diag(deviations**2))
