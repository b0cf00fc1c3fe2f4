"""Encoders: whole counts of belt travel. They are free of slip by nature: they measure belts."""

import math
from collections.abc import Sequence

from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Encoder
from grouser.geometry import Scalar
from grouser.simulation.sensors.sensor import Moment, Sensor


class Encoders(Sensor):
    """Whole counts of belt travel; the speed is the difference of two counts.

    Counts are rounded from the belt's whole travel, so no step is ever lost.
    """

    def __init__(
        self, robot: Robot, course: Course | None, table: Encoder, generator: Generator
    ) -> None:
        self.name, self.latency = table.name, table.latency
        self._steps = [table.travel_per_step(drive.side) for drive in robot.drives]
        self._noise = table.speed_noise
        self._generator = generator
        self.counts = tuple(0.0 for _ in robot.drives)
        families = (("encoder", "1"), ("belt_speed_measured", "m/s"))
        self.columns = tuple(
            (f"{family}.{drive.name}", unit) for family, unit in families for drive in robot.drives
        )

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return counts since the start [1], then mean speeds since the last sample [m/s]."""
        speeds = self.read(moment.motion.belt_travels, moment.duration)
        return *self.counts, *speeds

    def read(self, belt_travels: Sequence[Scalar], duration: float) -> tuple[float, ...]:
        """Return the measured belt speeds over the last `duration` seconds [m/s].

        Args:
            belt_travels: Travel of each belt since the start [m].
            duration: Time since the last reading [s].
        """
        before = self.counts
        lengths = zip(belt_travels, self._steps, strict=True)
        self.counts = tuple([_floor(float(travel) / step) for travel, step in lengths])
        changes = zip(self.counts, before, self._steps, strict=True)
        speeds = [(now - then) * step / duration for now, then, step in changes]
        if self._noise > 0.0:
            speeds = [speed + self._generator.normal(0.0, self._noise) for speed in speeds]
        return tuple(speeds)


def _floor(number: float) -> float:
    return number // 1.0 if math.isfinite(number) else number
