"""Runs tasks here or on a cluster; results are stored in a file, so that nothing is run twice."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from grouser.errors import InvalidValue, TaskFailed
from grouser.tasks.dask import run_on_cluster
from grouser.tasks.pool import Task, TaskResult, call_task, run_locally
from grouser.tasks.results import ResultStore

OnProgress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of the task that ended last, the number that ended, and the total."""
ATTEMPTS = 3
"""How often a task is tried whose process dies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Processes of this machine, or a Dask cluster that is already running."""

    count: int | None = None
    """Number of processes on this machine: one for each core if not given; 1 is this one."""
    cluster: str | None = None
    """Address of a Dask scheduler, as in tcp://127.0.0.1:8786; None for this machine alone. It must
    be trusted: tasks and results are pickled."""

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 1:
            raise InvalidValue("number of workers", self.count, "be at least 1")
        if self.cluster is not None and self.count is not None:
            required = "be left out with a cluster, which has its own workers"
            raise InvalidValue("number of workers", self.count, required)

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, TaskResult]]:
        """Yield tasks as they end, in any order; a lost one must be run again.

        Raises:
            MissingExtra: There is an address of a cluster, and distributed is not installed.
            ClusterLost: The cluster does not answer, or no longer.
        """
        if not tasks:
            return iter(())
        if self.cluster is not None:
            return run_on_cluster(tasks, self.cluster)
        if self.count == 1:
            return ((task, call_task(task.function, task.arguments)) for task in tasks)
        return run_locally(tasks, self.count or _count_cores())


SERIAL = Workers(count=1)
"""This process, one task after the other."""


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_tasks(
    tasks: Sequence[Task],
    workers: Workers | None = None,
    *,
    file: Path | None = None,
    what: str = "results",
    on_progress: OnProgress = lambda *_: None,
    is_valid: Callable[[Any], bool] = lambda _: True,
) -> Iterator[tuple[str, Any]]:
    """Yield name and result of each task: first those in the file, then others as they end.

    A caller that stops iterating, also by an interrupt, loses only the tasks that run then.

    Args:
        tasks: What to run; the order in which they run is open.
        workers: What runs them; all cores of this machine if not given.
        file: Where results are stored and looked up; None for nowhere. What is stored must be
            plain: numbers, strings, lists, tables. Numbers may be infinite or NaN.
        what: What the file holds, for messages.
        on_progress: Called after each task.
        is_valid: Whether a value in the file can be the result of a task.

    Raises:
        InvalidValue: Two tasks have the same name.
        Unreadable: The file holds something else.
        TaskFailed: A task raised something, or its process died again and again.
        ClusterLost: The cluster does not answer, or no longer.
        MissingExtra: There is an address of a cluster, and distributed is not installed.
    """
    repeated = [name for name, count in Counter(t.name for t in tasks).items() if count > 1]
    if repeated:
        raise InvalidValue("name of a task", repeated[0], "be given once")
    store = ResultStore(file, what)
    known = [task.name for task in tasks if task.name in store.by_name]
    store.check(known, is_valid)
    for name in known:
        yield name, store.by_name[name]
    done = len(known)
    waiting = [task for task in tasks if task.name not in store.by_name]
    on_progress("", done, len(tasks))
    try:
        for task, value in _run_until_done(waiting, workers or Workers()):
            done += 1
            result = store.keep(task.name, value)
            on_progress(task.name, done, len(tasks))
            yield task.name, result
    finally:
        store.sync()


def _run_until_done(tasks: list[Task], workers: Workers) -> Iterator[tuple[Task, Any]]:
    deaths: Counter[str] = Counter()
    while tasks:
        lost = []
        for task, result in workers.run(tasks):
            if result.is_lost:
                lost.append(_count_death(task, deaths))
            else:
                yield task, _value_of(task, result)
        tasks = lost


def _count_death(task: Task, deaths: Counter[str]) -> Task:
    deaths[task.name] += 1
    if deaths[task.name] >= ATTEMPTS:
        raise TaskFailed(task.name, f"the process that ran it died, {ATTEMPTS} times")
    return task


def _value_of(task: Task, result: TaskResult) -> Any:
    if result.problem:
        raise TaskFailed(task.name, result.problem) from RuntimeError(result.details)
    return result.value


def content_hash(*content: Any) -> str:
    """Return a short hash of whatever a result depends on, to be part of a task's name."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
