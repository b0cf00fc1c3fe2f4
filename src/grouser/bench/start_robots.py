"""Robots that are ready to be timed."""

from dataclasses import dataclass

import numpy as np

from grouser.description import Robot, load_course
from grouser.geometry import Pose
from grouser.models import Command, Plant, command_sides, make_model, start_model

TICK = 0.01
"""How long one command holds [s]."""
SPEED = 0.1
"""Speed of the belts, where the robot can [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """One robot or many, with what they are asked for."""

    plant: Plant
    """What moves."""
    command: Command
    """What it is asked for."""
    step: float
    """Step of the model: that of its engine, or a whole tick [s]."""

    @property
    def has_engine(self) -> bool:
        """Whether an engine of contacts makes several steps in a tick."""
        return self.step < TICK


def start_robots(robot: Robot, reference: str, course: str = "flat", count: int = 1) -> Started:
    """Return robots that have obeyed one command, so that all that is compiled is.

    Args:
        robot: What moves.
        reference: Model.
        course: Where; many robots stand at its start with all headings.
        count: How many at once.

    Raises:
        GrouserError: The model cannot drive that robot, or there.
    """
    model, speed = make_model(reference), min(SPEED, robot.drive.speed_limit)
    if count == 1:
        plant = start_model(model, robot, load_course(course))
        command = command_sides(robot, speed, speed)
    else:
        random = np.random.default_rng(0)
        poses = Pose(x=np.zeros(count), yaw=random.uniform(-3.0, 3.0, count))
        plant = start_model(model, robot, load_course(course), poses)
        command = command_sides(robot, *random.uniform(0.5 * speed, speed, (2, count)))
    plant.advance(command, TICK)
    return Started(plant=plant, command=command, step=float(getattr(model, "timestep", TICK)))
