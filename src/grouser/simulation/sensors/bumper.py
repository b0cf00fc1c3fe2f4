"""A bumper: a strip ahead of the robot's end, pressed by walls and steps that reach its height.

Rays look ahead from places along the strip; what is nearer than its travel presses it. This works
alike in all models, also in those whose robots nothing stops. Left out: the force that it takes,
what touches the strip from above or from the side, and other robots.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import Bumper
from grouser.errors import InvalidValue
from grouser.laws.inertial import turn_matrix
from grouser.log.declaration import Declaration
from grouser.models.rays import ray_scene
from grouser.simulation.sensors.mounting import place_of
from grouser.simulation.sensors.sensor import Moment, Sensor

DEPTH = 0.05
"""How far inside the robot's end rays start: what has come past the end still counts [m]."""


class BumperStrip(Sensor):
    """Whether the strip is pressed, 1 or 0."""

    def __init__(
        self, robot: Robot, course: Course | None, table: Bumper, generator: Generator
    ) -> None:
        if course is None:
            raise InvalidValue("course", course, "be given for a bumper")
        self.name, self.rate, self.latency = table.name, table.rate, table.latency
        self._scene, self._reach = ray_scene(course), DEPTH + table.travel
        ahead = 1.0 if table.side == "front" else -1.0
        end = robot.front - DEPTH if table.side == "front" else robot.rear + DEPTH
        width = robot.body.size[1] if table.width is None else table.width
        height = robot.body.centre[2] if table.height is None else table.height
        across = np.linspace(-0.5 * width, 0.5 * width, table.rays)
        self._places = np.column_stack(
            (np.full(table.rays, end), across, np.full(table.rays, height))
        )
        self._direction = np.array((ahead, 0.0, 0.0))
        self.columns = ((f"{self.name}_pressed", "1"),)
        self.declarations = (
            Declaration(
                topic=self.name,
                kind="std_msgs/msg/Bool",
                columns={"data": self.columns[0][0]},
            ),
        )

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return 1 if something presses the strip, else 0."""
        turn = turn_matrix(moment.motion.pose)
        origins = place_of(moment.motion) + self._places @ turn.T
        rays = np.broadcast_to(turn @ self._direction, origins.shape)
        if not np.isfinite(origins).all():
            return [np.nan]  # of a robot that is nowhere
        found = self._scene.cast(origins, rays, self._reach)
        return [float(np.isfinite(found).any())]
