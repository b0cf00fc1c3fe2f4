"""Sweeps: settings times axes, run as tasks."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.models import start_model
from grouser.sweep.maps import SweepMap
from grouser.sweep.outcomes import OUTCOMES
from grouser.sweep.setting import drive_point
from grouser.tasks import OnProgress, Task, Workers, content_hash, run_tasks
from grouser.version import VERSION


def sweep_tasks(chosen: SweepMap) -> list[Task]:
    """Return a task for each point of a map, row by row; its name tells all that it depends on.

    Everything is loaded once, so that nobody waits for a drive that cannot be.

    Raises:
        GrouserError: A parameter does not exist, or cannot have one of its values.
    """
    if chosen.experiment is not None:
        return chosen.experiment.make_tasks(chosen)
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
    chosen.find_outcome()
    tasks = sweep_tasks(chosen)

    def fits(kept: Any) -> bool:
        return isinstance(kept, dict) and isinstance(kept.get(chosen.outcome), int | float)

    what = "results of a sweep"
    found = dict(run_tasks(tasks, workers, file=file, what=what, on_progress=tell, is_valid=fits))
    values = np.array([found[task.name][chosen.outcome] for task in tasks])
    return values.reshape(len(chosen.y.values), len(chosen.x.values))
