"""From actions to commands."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description.flipper import Flipper
from grouser.envs.quantity import Quantity
from grouser.envs.setting import Setting
from grouser.errors import InvalidValue
from grouser.models import Command, command_sides

RAISED = 0.5 * np.pi
"""How far a full action raises the tips of flippers from level [rad]."""


class Actuator:
    """Turns numbers from -1 to 1 into belt speeds and flipper angles; robots in rows.

    Left and right flippers of an end move together.
    """

    def __init__(self, setting: Setting) -> None:
        self._robot, self._top = setting.robot, setting.top_speed
        moved = setting.robot.flippers if setting.task.flippers else ()
        ends = {flipper.raising_sign: flipper for flipper in moved}
        self._column = {sign: 2 + index for index, sign in enumerate(sorted(ends))}
        self._moved = bool(moved)
        self.quantities = tuple(_quantities(setting.top_speed, ends))
        """What each number of an action means, at -1 and at 1."""

    def command(self, actions: NDArray[Any], gains: NDArray[np.float64]) -> Command:
        """Return what the robots are to do.

        Args:
            actions: A row for each robot; what is beyond -1 and 1 counts as these.
            gains: Factors on the belt speeds of the left and of the right, a row for each robot.

        Raises:
            InvalidValue: There are not as many numbers as quantities, or one is not finite.
        """
        if actions.shape != (len(gains), len(self.quantities)) or not np.isfinite(actions).all():
            required = f"be {len(self.quantities)} finite numbers for each robot"
            raise InvalidValue("action", np.asarray(actions).tolist(), required)
        asked = np.clip(actions.astype(np.float64), -1.0, 1.0)
        belts = command_sides(self._robot, *(asked[:, :2] * self._top * gains).T)
        if not self._moved:
            return belts
        angles = tuple(
            flipper.raising_sign * RAISED * asked[:, self._column[flipper.raising_sign]]
            for flipper in self._robot.flippers
        )
        return Command(belt_speeds=belts.belt_speeds, flipper_angles=angles)


def _quantities(top_speed: float, ends: dict[float, Flipper]) -> list[Quantity]:
    found = [
        Quantity(name=f"belt_{side}", unit="m/s", low=-top_speed, high=top_speed,
                 meaning=f"belt speed on the {side}, positive drives forward")
        for side in ("left", "right")
    ]  # fmt: skip
    names = {-1.0: "front", 1.0: "rear"}
    for sign in sorted(ends):
        found.append(
            Quantity(name=f"tips_{names[sign]}", unit="rad", low=-RAISED, high=RAISED,
                     meaning=f"how far the tips of the {names[sign]} flippers are raised")
        )  # fmt: skip
    return found
