"""Belts do not jump: what speed a drive reaches when it is asked for one."""

from dataclasses import dataclass

from grouser.description import Robot
from grouser.geometry import Scalar, clamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Drivetrain:
    """Limits of every drive of a robot. Left out: load, voltage, gear play."""

    speed_limit: float
    """Largest belt speed, forward and backward [m/s]."""
    acceleration_limit: float
    """Largest change of belt speed per second [m/s^2]."""

    @classmethod
    def of(cls, robot: Robot) -> "Drivetrain":
        """Return the drive train that the robot's file describes."""
        drive = robot.drive
        return cls(speed_limit=drive.speed_limit, acceleration_limit=drive.acceleration_limit)

    def reach(
        self, now: tuple[Scalar, ...], asked: tuple[Scalar, ...], duration: float
    ) -> tuple[Scalar, ...]:
        """Return the belt speeds that are reached after `duration` [m/s]."""
        change = self.acceleration_limit * duration
        limit = self.speed_limit
        return tuple(
            clamp(clamp(goal, -limit, limit), speed - change, speed + change)
            for speed, goal in zip(now, asked, strict=True)
        )
