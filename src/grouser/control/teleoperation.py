"""Manual control: sticks or keys to belt speeds and flipper angles."""

from dataclasses import dataclass

import numpy as np

from grouser.description import Robot
from grouser.description.track import Flipper
from grouser.geometry import clamp
from grouser.models import Command, command_sides


@dataclass(frozen=True, slots=True, kw_only=True)
class Sticks:
    """Positions of the sticks, each from -1 to 1; 0 is released."""

    forward: float = 0.0
    """Forward, or backward if negative [1]."""
    turn: float = 0.0
    """To the left, or to the right if negative [1]."""
    front: float = 0.0
    """Raise the tips of the flippers that point ahead, or lower them if negative [1]."""
    rear: float = 0.0
    """Raise the tips of the flippers that point backward, or lower them if negative [1]."""

    @property
    def is_released(self) -> bool:
        """Whether all sticks are released."""
        return not (self.forward or self.turn or self.front or self.rear)


TURN_REDUCTION = 0.5
"""Share by which turning is reduced at full speed, so that keys give wide arcs [1]."""
LET_GO = Sticks()
"""All sticks released."""


class Teleoperation:
    """Converts stick positions to commands; integrates flipper angles."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.flipper_angles = tuple(flipper.rest_angle for flipper in robot.flippers)
        """Commanded angle of each flipper [rad]."""

    def command(self, sticks: Sticks, speed: float, duration: float) -> Command:
        """Return the command while the sticks are held for `duration` seconds.

        Args:
            sticks: Positions of the sticks.
            speed: Belt speed at full deflection [m/s].
            duration: Time by which flippers move on [s].
        """
        self.flipper_angles = tuple(
            _move_flipper(flipper, angle, sticks, duration)
            for flipper, angle in zip(self._robot.flippers, self.flipper_angles, strict=True)
        )
        left, right = mix_sides(sticks.forward, sticks.turn)
        belts = command_sides(self._robot, speed * left, speed * right)
        return Command(belt_speeds=belts.belt_speeds, flipper_angles=self.flipper_angles)


def mix_sides(forward: float, turn: float) -> tuple[float, float]:
    """Return the shares of full speed of the left and of the right side, from -1 to 1.

    Turning is added to one side and subtracted from the other, reduced with speed; both sides are
    scaled down together where one exceeds full speed, which keeps the curvature.
    """
    turn *= 1.0 - TURN_REDUCTION * abs(forward)
    left, right = forward - turn, forward + turn
    scale = max(1.0, abs(left), abs(right))
    return left / scale, right / scale


def _move_flipper(flipper: Flipper, angle: float, sticks: Sticks, duration: float) -> float:
    sign = flipper.raising_sign
    rate = sign * (sticks.front if sign < 0.0 else sticks.rear)
    moved = angle + rate * flipper.speed_limit * duration
    return float(clamp(moved, *flipper.limits)) if np.isfinite(moved) else angle
