"""On-line estimation of pose and slip, as an observer of a simulation."""

from collections.abc import Sequence

import numpy as np

from grouser.control import FusionSettings, SlipFilter
from grouser.description import Rig, Robot
from grouser.errors import InvalidValue
from grouser.identify.fused_columns import FUSED, fused_numbers
from grouser.models import Motion, SideMeans
from grouser.simulation import OverheadCamera, Reading


class SlipObserver:
    """Feeds a filter with what encoders, gyroscope and a camera say, tick by tick.

    It looks at the motion only through the camera. Columns are `fused.NAME` and
    `fused.NAME_deviation` for each state.
    """

    columns: tuple[tuple[str, str], ...] = FUSED

    def __init__(
        self,
        robot: Robot,
        rig: Rig | None,
        *,
        settings: FusionSettings | None = None,
        seed: int = 0,
    ) -> None:
        """Prepare.

        Args:
            robot: Whose sensors are read.
            rig: The camera; None to do without one.
            settings: How well everything is measured; by the robot's file if not given.
            seed: Seed of the camera's noise.

        Raises:
            InvalidValue: The robot has no encoders.
        """
        if robot.sensors.encoder is None:
            raise InvalidValue("robot", robot.name, "have encoders ([sensors.encoder])")
        self._settings = settings or FusionSettings.of(robot)
        generator = np.random.default_rng([seed, 1])
        self._camera = None if rig is None else OverheadCamera(rig, generator)
        self._sides = SideMeans.of(robot)
        self._has_gyro = robot.sensors.imu is not None
        self.filter: SlipFilter | None = None
        """The filter; None before the first tick."""

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return mean and deviation of each state."""
        if self.filter is None:
            # Whoever puts a robot down knows about where: the camera soon knows better.
            self.filter = SlipFilter(self._settings, self._settings.start(motion.pose), time)
        else:
            left, right = self._sides(reading.belt_speeds)
            gyro = reading.angular_rates[2] if self._has_gyro else None
            self.filter.advance(time, left, right, gyro)
        if self._camera is not None:
            for sighting in self._camera.look(time, motion):
                self.filter.see(sighting.time, sighting.pose, sighting.deviations)
        return fused_numbers(self.filter.belief)
