"""Driving by hand: from sticks or keys to belt speeds and flipper angles."""

from dataclasses import dataclass

import numpy as np

from grouser.description import Robot
from grouser.description.flipper import Flipper
from grouser.geometry import clamp
from grouser.models import Command, command_sides


@dataclass(frozen=True, slots=True, kw_only=True)
class Sticks:
    """What a person asks for: each from -1 to 1, and 0 lets go."""

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
        """Whether nothing is asked for."""
        return not (self.forward or self.turn or self.front or self.rear)


GENTLE = 0.5
"""How much weaker a turn is at full speed than on the spot, so that keys give wide arcs [1]."""
LET_GO = Sticks()
"""Nobody drives."""


class Teleoperation:
    """Turns sticks into commands; remembers where the flippers were sent."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.flipper_angles = tuple(flipper.rest_angle for flipper in robot.flippers)
        """Where each flipper is asked to be [rad]."""

    def command(self, sticks: Sticks, speed: float, duration: float) -> Command:
        """Return what the robot is to do while the sticks are held for `duration` seconds.

        Args:
            sticks: What is asked for.
            speed: Belt speed of a stick that is pushed all the way [m/s].
            duration: For how long, which is how far flippers move [s].
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

    Turning takes from one side what it gives to the other, and the less the faster the robot
    drives; both are scaled down together, so that the curvature stays.
    """
    turn *= 1.0 - GENTLE * abs(forward)
    left, right = forward - turn, forward + turn
    scale = max(1.0, abs(left), abs(right))
    return left / scale, right / scale


def _move_flipper(flipper: Flipper, angle: float, sticks: Sticks, duration: float) -> float:
    sign = flipper.raising_sign
    rate = sign * (sticks.front if sign < 0.0 else sticks.rear)
    moved = angle + rate * flipper.speed_limit * duration
    return float(clamp(moved, *flipper.limits)) if np.isfinite(moved) else angle
