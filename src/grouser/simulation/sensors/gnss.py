"""A satellite receiver: position of its antenna with noise, slow errors and outages.

Left out: satellites, their number and geometry, multipath and shadows of obstacles, velocity.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Gnss
from grouser.laws.geodesy import Datum
from grouser.laws.sensor_noise import CorrelatedNoise
from grouser.log.declaration import Declaration
from grouser.simulation.sensors.mounting import Mounting
from grouser.simulation.sensors.sensor import Moment, Sensor

NO_FIX, FIX = -1.0, 0.0
"""States of sensor_msgs/NavSatStatus."""
DIAGONAL_KNOWN = 2
"""Covariance type of sensor_msgs/NavSatFix: variances along the axes are known."""


class GnssReceiver(Sensor):
    """Position in the world [m], and on the earth [deg, m]; NaN during an outage."""

    def __init__(
        self, robot: Robot, course: Course | None, table: Gnss, generator: Generator
    ) -> None:
        self.name, self.rate, self.latency = table.name, table.rate, table.latency
        self._mounting = Mounting(table)
        self._datum = Datum(table.latitude, table.longitude, table.altitude, table.x_from_east)
        self._deviations = np.array((table.noise, table.noise, table.vertical_noise))
        # Generators of their own: an outage does not change the noise after it.
        self._generator, slow, outages = generator.spawn(3)
        self._slow = CorrelatedNoise(table.slow_noise, table.slow_time, slow, size=3)
        self._outages = _Outages(table.outage_every, table.outage_time, outages)
        # Degrees, as messages and maps have them; logs have no unit for those.
        units = {"x": "m", "y": "m", "z": "m", "latitude_deg": "1", "longitude_deg": "1"}
        units |= {"altitude": "m", "fix": "1"}
        self.columns = tuple((f"{self.name}_{word}", unit) for word, unit in units.items())
        variances = np.square(self._deviations) + table.slow_noise**2
        fields = {word: f"{self.name}_{word}_deg" for word in ("latitude", "longitude")}
        fields["altitude"] = f"{self.name}_altitude"
        self.declarations = (
            Declaration(
                topic=table.topic("fix"),
                kind="sensor_msgs/msg/NavSatFix",
                frame=self._mounting.frame,
                columns=fields | {"status.status": f"{self.name}_fix"},
                constants={
                    "status.service": 1,
                    "position_covariance": np.diag(variances).ravel().tolist(),
                    "position_covariance_type": DIAGONAL_KNOWN,
                },
            ),
        )

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return x, y, z [m], latitude, longitude [deg], height [m], and whether it is a fix."""
        place, _ = self._mounting.in_world(moment.motion)
        slow = self._slow.advance(moment.duration)
        place = place + slow + self._generator.normal(0.0, self._deviations)
        if self._outages.is_on(moment.time):
            return (*[math.nan] * 6, NO_FIX)
        latitude, longitude, altitude = self._datum.to_earth(place)
        on_earth = math.degrees(latitude), math.degrees(longitude), altitude
        return (*place.tolist(), *on_earth, FIX)


class _Outages:
    """Outages of random length at random times, both exponentially distributed."""

    def __init__(self, every: float, duration: float, generator: Generator) -> None:
        self._every, self._duration, self._generator = every, duration, generator
        self._is_on = False
        self._until = generator.exponential(every) if every > 0.0 else math.inf

    def is_on(self, time: float) -> bool:
        """Return whether there is an outage; times only grow [s]."""
        while time >= self._until:
            self._is_on = not self._is_on
            mean = self._duration if self._is_on else self._every
            self._until += self._generator.exponential(mean)
        return self._is_on
