"""Many robots at once: the same plant, with an array where one robot has a number."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import Command, Model, Motion, start_model
from grouser.simulation.guard import check_tick, count_ticks


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRun:
    """Paths of many robots; the first axis counts samples, the second robots."""

    time: NDArray[np.float64]
    """Time of each sample [s]."""
    x: NDArray[np.float64]
    """World x of each robot [m]."""
    y: NDArray[np.float64]
    """World y of each robot [m]."""
    yaw: NDArray[np.float64]
    """Heading of each robot [rad]."""
    motion: Motion
    """The motion at the end, with arrays."""


def run_batch(
    model: Model,
    robot: Robot,
    course: Course,
    poses: Pose,
    program: Callable[[float, Motion], Command],
    *,
    duration: float,
    dt: float = 0.01,
    every: int = 10,
) -> BatchRun:
    """Drive as many robots as `poses` has, each with its own column of the commands.

    Args:
        model: How they move; its parameters may be arrays too.
        robot: What moves.
        course: Where they move.
        poses: Where each starts: at least one field is an array.
        program: Returns the command of a tick; its speeds may be arrays.
        duration: Simulated time [s].
        dt: Length of one tick [s].
        every: How many ticks lie between two samples.
    """
    if every < 1:
        raise InvalidValue("every", every, "be at least 1")
    check_tick(dt)
    ticks = count_ticks(duration, dt)
    plant = start_model(model, robot, course, poses)
    samples: list[Motion] = [plant.motion]
    times = [0.0]
    for tick in range(ticks):
        plant.advance(program(tick * dt, plant.motion), dt)
        if (tick + 1) % every == 0:
            samples.append(plant.motion)
            times.append((tick + 1) * dt)
    count = np.broadcast_shapes(*(np.shape(s.pose.x) + () for s in samples), np.shape(poses.yaw))
    x, y, yaw = (
        np.stack([np.broadcast_to(getattr(s.pose, name), count) for s in samples])
        for name in ("x", "y", "yaw")
    )
    return BatchRun(time=np.array(times), x=x, y=y, yaw=yaw, motion=plant.motion)
