"""Sweeps: settings times axes, run as tasks."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.models import start_model
from grouser.papers.p4.step_climbing import climb_point
from grouser.sweep.maps import SweepMap, find_map
from grouser.sweep.outcomes import OUTCOMES, find_outcome
from grouser.sweep.setting import drive_point
from grouser.tasks import OnProgress, Task, Workers, content_hash, run_tasks
from grouser.version import VERSION

_OF_A_CLIMB = ("flippers.front_raised_deg", "course.height_m")


def sweep_tasks(chosen: SweepMap) -> list[Task]:
    """Return a task for each point of a map, row by row; its name tells all that it depends on.

    Everything is loaded once, so that nobody waits for a drive that cannot be.

    Raises:
        GrouserError: A parameter does not exist, or cannot have one of its values.
    """
    if chosen.experiment == "climb":
        return _climb_tasks(chosen)
    tasks: list[Task] = []
    for y in chosen.y.values:
        for x in chosen.x.values:
            setting = chosen.setting.changed(chosen.x, x).changed(chosen.y, y)
            robot, course, model = setting.load()
            setting.plan(robot, course)
            if not tasks:
                start_model(model, robot, course)  # whether the model can drive there at all
            hashes = robot.content_hash, course.content_hash
            # Results that lack an outcome are no longer what they should be.
            mark = content_hash(VERSION, model.engine, hashes, setting.content(), tuple(OUTCOMES))
            name = f"{chosen.x.key}={x:g}, {chosen.y.key}={y:g} ({mark})"
            arguments = {"setting": setting.content()}
            tasks.append(Task(name=name, function=drive_point, arguments=arguments))
    return tasks


def _climb_tasks(chosen: SweepMap) -> list[Task]:
    if (chosen.x.key, chosen.y.key) != _OF_A_CLIMB:
        required = f"be {_OF_A_CLIMB[0]} and {_OF_A_CLIMB[1]} for map 'step'"
        raise InvalidValue("--x and --y", f"{chosen.x.key} and {chosen.y.key}", required)
    given, own = chosen.setting, find_map("step").setting
    if replace(given, robot=own.robot, model=own.model) != own:
        required = "be left out for map 'step', which makes P4's attempt at a step"
        found = f"{given.course}, {given.drive}, {given.duration}"
        raise InvalidValue("--course, --drive and --duration", found, required)
    tasks: list[Task] = []
    for height in chosen.y.values:
        robot, course, model = chosen.setting.changed(chosen.y, height).load()
        if not robot.flippers:
            raise InvalidValue("robot", robot.name, "have flippers to raise")
        if not tasks:
            start_model(model, robot, course)  # whether the model can drive there at all
        for raised in chosen.x.values:
            arguments = {
                "robot": chosen.setting.robot,
                "model": chosen.setting.model,
                "height_m": height,
                "raised_deg": raised,
            }
            mark = content_hash(VERSION, model.engine, robot.content_hash, arguments)
            name = f"raised by {raised:g} deg, height {height:g} m ({mark})"
            tasks.append(Task(name=name, function=climb_point, arguments=arguments))
    return tasks


def run_sweep(
    chosen: SweepMap, workers: Workers, file: Path, tell: OnProgress = lambda *_: None
) -> NDArray[np.float64]:
    """Return what the map shows, a row for each y and a column for each x.

    Args:
        chosen: What is varied, driven and shown.
        workers: What runs the drives.
        file: Keeps results; what is in it is not driven again.
        tell: Called with each drive that is done.

    Raises:
        GrouserError: A parameter or outcome does not exist, or cannot be.
    """
    find_outcome(chosen.outcome, chosen.experiment)
    tasks = sweep_tasks(chosen)

    def fits(kept: Any) -> bool:
        return isinstance(kept, dict) and isinstance(kept.get(chosen.outcome), int | float)

    what = "results of a sweep"
    found = dict(run_tasks(tasks, workers, file=file, what=what, on_progress=tell, is_valid=fits))
    values = np.array([found[task.name][chosen.outcome] for task in tasks])
    return values.reshape(len(chosen.y.values), len(chosen.x.values))
