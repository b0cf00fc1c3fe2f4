"""Driving for tests."""

import numpy as np

from grouser.description import Course, Robot
from grouser.geometry import Pose
from grouser.models import Model, Motion, command_sides, start_model


def drive(
    model: Model,
    robot: Robot,
    course: Course,
    left,
    right,
    *,
    pose: Pose | None = None,
    duration: float = 2.0,
    dt: float = 0.01,
) -> Motion:
    """Return the motion after driving with constant belt speeds."""
    plant = start_model(model, robot, course, pose)
    for _ in range(round(duration / dt)):
        plant.advance(command_sides(robot, left, right), dt)
    return plant.motion


def numbers(motion: Motion) -> np.ndarray:
    """Return pose and twist of a motion as numbers."""
    parts = [motion.pose, motion.twist]
    return np.array([getattr(p, n) for p in parts for n in p.__dataclass_fields__])


def numbers_of_all(motion: Motion, count: int) -> np.ndarray:
    """Return pose and twist of the motion of many robots, a column for each."""
    parts = [motion.pose, motion.twist]
    values = [getattr(p, n) for p in parts for n in p.__dataclass_fields__]
    return np.stack([np.broadcast_to(value, count) for value in values])
