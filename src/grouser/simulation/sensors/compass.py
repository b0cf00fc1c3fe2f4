"""A magnetometer in the field of the earth, and the heading that it gives.

Left out: iron in the surroundings, fields of motors that change with their current, soft iron.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Compass
from grouser.geometry import Array
from grouser.laws.inertial import turn_matrix
from grouser.log.declaration import Declaration
from grouser.simulation.sensors.imu import diagonal
from grouser.simulation.sensors.mounting import Mounting
from grouser.simulation.sensors.sensor import Moment, Sensor


class Magnetometer(Sensor):
    """Magnetic field along the sensor's axes [T], and the heading of the robot [rad].

    The heading is that of body x, counter-clockwise from world x: the measured field is levelled by
    the true roll and pitch, as an ideal inclinometer would, and declination and mounting are known.
    The robot's own field is not: `hard_iron_uT` turns the heading.
    """

    def __init__(
        self, robot: Robot, course: Course | None, table: Compass, generator: Generator
    ) -> None:
        self.name, self.rate, self.latency = table.name, table.rate, table.latency
        self._generator, self._noise = generator, table.noise
        self._mounting, self._hard_iron = Mounting(table), np.array(table.hard_iron)
        self._field, self._north = field_in_world(table), north_in_world(table)
        axes = [f"{self.name}_{axis}" for axis in "xyz"]
        self.columns = (*((axis, "T") for axis in axes), (f"{self.name}_heading", "rad"))
        fields = {f"magnetic_field.{axis}": name for axis, name in zip("xyz", axes, strict=True)}
        self.declarations = (
            Declaration(
                topic=self.name,
                kind="sensor_msgs/msg/MagneticField",
                frame=self._mounting.frame,
                columns=fields,
                constants={"magnetic_field_covariance": diagonal([table.noise] * 3)},
            ),
        )

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return the field along x, y, z of the sensor [T], and the heading [rad]."""
        pose = moment.motion.pose
        turn = turn_matrix(pose) @ self._mounting.turn_to_body
        noise = self._generator.normal(0.0, self._noise, 3)
        shown = turn.T @ self._field + self._hard_iron + noise
        level = turn @ shown
        # Seen from the levelled robot, north appears where it is less the yaw.
        apparent = math.atan2(float(level[1]), float(level[0])) - float(pose.yaw)
        heading = self._north - apparent
        return (*shown.tolist(), math.remainder(heading, 2.0 * math.pi))


def north_in_world(table: Compass) -> float:
    """Return the direction of magnetic north, counter-clockwise from world x [rad]."""
    return 0.5 * math.pi - table.declination - table.x_from_east


def field_in_world(table: Compass) -> Array:
    """Return the field of the earth in the world [T]."""
    level, north = table.strength * math.cos(table.inclination), north_in_world(table)
    down = table.strength * math.sin(table.inclination)
    return np.array((level * math.cos(north), level * math.sin(north), -down))
