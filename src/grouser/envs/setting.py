"""A task with everything that its names stand for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grouser.description import Course, Path, Robot, load_course, load_robot
from grouser.envs.randomisation import Draw, Randomisation
from grouser.envs.task import TASKS, Task
from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import Pose
from grouser.models import Model, check_course, make_model, vary_model

TICK = 0.05
"""Length of a tick of the simulation [s]."""
TICKS_PER_STEP = 2
"""Ticks for which an action holds."""
PERIOD = TICK * TICKS_PER_STEP
"""Time between two actions [s]."""
FASTEST = 2.0
"""Belt speed of a full action, in reference speeds; a robot's own limit counts, too [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Robot, model and course of a task, ready to drive."""

    task: Task
    """What is to be done."""
    robot: Robot
    """What drives."""
    model: Model
    """How it moves."""
    course: Course
    """Where it drives."""
    path: Path
    """What it follows."""
    speed: float
    """Reference speed along the path [m/s]."""
    top_speed: float
    """Belt speed of a full action [m/s]."""
    goal: float
    """Path length of the goal [m]."""

    @property
    def length(self) -> float:
        """How long the robot is, flippers not counted [m]."""
        return self.robot.front - self.robot.rear

    @property
    def most_steps(self) -> int:
        """Most steps of an episode."""
        return round(self.task.duration / PERIOD)

    def start_pose(self, draw: Draw) -> Pose:
        """Return where an episode begins."""
        start = self.course.start
        return Pose(
            x=start.x - draw.offset * float(np.sin(start.yaw)),
            y=start.y + draw.offset * float(np.cos(start.yaw)),
            yaw=start.yaw + draw.yaw,
        )


def make_setting(task: str | Task, **changes: Any) -> Setting:
    """Return the setting of a task, with what is given in place of the task's own.

    Args:
        task: Its name, or a task.
        changes: Fields of `Task`. A course of another name is followed to its end, at its own
            speed, unless `goal` and `speed` are given, too.

    Raises:
        UnknownName: No task, robot, model, course or field has that name.
        InvalidValue: A course without a path, or a number out of its range.
        Unsupported: The model cannot drive the course, or cannot vary what is to be drawn.
    """
    chosen = _change(_find(task), changes)
    robot, course = load_robot(chosen.robot), load_course(chosen.course)
    model = make_model(chosen.model)
    check_course(model, course)
    ranges = chosen.randomisation
    vary_model(model, friction=np.array(ranges.friction), mass=np.array(ranges.mass))
    if course.path is None:
        raise InvalidValue(f"course {course.name!r}", "none", "have a path to follow")
    speed = course.speed if chosen.speed is None else chosen.speed
    limit = robot.drive.speed_limit
    if speed * ranges.speed[1] > limit:
        required = f"be within {limit:g} m/s, the limit of robot {robot.name!r}"
        raise InvalidValue("reference speed", speed * ranges.speed[1], required)
    return Setting(
        task=chosen,
        robot=robot,
        model=model,
        course=course,
        path=course.path,
        speed=speed,
        top_speed=min(limit, FASTEST * speed),
        goal=course.path.length if chosen.goal is None else min(chosen.goal, course.path.length),
    )


def _find(task: str | Task) -> Task:
    if isinstance(task, Task):
        return task
    return TASKS.find(str(task))


def _change(task: Task, changes: Mapping[str, Any]) -> Task:
    for name in changes:
        if name not in Task.__dataclass_fields__ or name in ("name", "summary"):
            known = set(Task.__dataclass_fields__) - {"name", "summary"}
            raise UnknownName("option of an environment", str(name), known)
    changes = dict(changes)
    if changes.get("course", task.course) != task.course:
        task = replace(task, goal=None, speed=None)
    if isinstance(ranges := changes.get("randomisation"), Mapping):
        known = Randomisation.__dataclass_fields__
        for name in ranges:
            if name not in known:
                raise UnknownName("range", str(name), known)
        changes["randomisation"] = replace(task.randomisation, **ranges)
    return replace(task, **changes)
