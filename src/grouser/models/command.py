"""Command of one tick, and quantities by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.geometry import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One speed per drive and one angle per flipper, in the robot's order."""

    belt_speeds: tuple[Scalar, ...]
    """Speed of each track's belt or wheel's rim, positive drives forward [m/s]."""
    flipper_angles: tuple[Scalar, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    motor_voltages: tuple[Scalar, ...] = ()
    """Voltage of each drive's motor, for models that have motors [V]."""


def command_sides(robot: Robot, left: Scalar, right: Scalar) -> Command:
    """Return the command that drives every left drive at `left` and every right one at `right`.

    Flippers are commanded to their rest angle.

    Args:
        robot: Whose drives to command.
        left: Belt speed on the left [m/s].
        right: Belt speed on the right [m/s].
    """
    by_side = {"left": left, "right": right}
    return Command(
        belt_speeds=tuple(by_side[drive.side] for drive in robot.drives),
        flipper_angles=tuple(flipper.rest_angle for flipper in robot.flippers),
    )


@dataclass(frozen=True, slots=True)
class SideMeans:
    """Mean over the drives of the left side, and of the right side, of a quantity of each drive."""

    left: tuple[int, ...]
    """Positions of the left drives in the robot's order."""
    right: tuple[int, ...]
    """Positions of the right drives."""

    @classmethod
    def of(cls, robot: Robot) -> "SideMeans":
        """Return the means for a robot, which has drives on both sides."""
        sides = [drive.side for drive in robot.drives]
        left = tuple(i for i, side in enumerate(sides) if side == "left")
        return cls(left, tuple(i for i, side in enumerate(sides) if side == "right"))

    def __call__(self, values: Sequence[Any] | NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the left and the right mean of one value or array per drive."""
        return _mean(values, self.left), _mean(values, self.right)


def _mean(values: Sequence[Any] | NDArray[np.float64], places: tuple[int, ...]) -> Any:
    total = values[places[0]]
    for place in places[1:]:
        total = total + values[place]
    return total if len(places) == 1 else total / len(places)
