"""Tasks done by a crew; what is done stays done."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from grouser.errors import InvalidValue, TaskFailed
from grouser.spread.crew import Crew
from grouser.spread.kept_results import KeptResults
from grouser.spread.task import Answer, Task

Tell: TypeAlias = Callable[[str, int, int], None]
"""Is told what was done last, how much is done, and how much there is."""
ATTEMPTS = 3
"""How often a task is tried whose process dies."""


def spread(
    tasks: Sequence[Task],
    crew: Crew | None = None,
    *,
    file: Path | None = None,
    what: str = "results",
    tell: Tell = lambda *_: None,
    fits: Callable[[Any], bool] = lambda _: True,
) -> Iterator[tuple[str, Any]]:
    """Yield name and result of each task: first those that are known, then others as they come.

    Whoever stops listening, by an interrupt too, loses only what is being done at that moment.

    Args:
        tasks: What to do; the order in which they are done is open.
        crew: Who does it; all cores of this machine if not given.
        file: Where results are kept, and looked up; None for nowhere. What is kept must be
            plain: numbers, words, lists, tables. Numbers may be infinite or not a number.
        what: What the file holds, for messages.
        tell: Is told of each task that is done.
        fits: Whether a result that the file holds can be what a task returns.

    Raises:
        InvalidValue: Two tasks have the same name.
        Unreadable: The file holds something else.
        TaskFailed: A task raised something, or its process died again and again.
        ClusterLost: The cluster is not there, or no longer.
        MissingExtra: There should be a cluster, and distributed is not installed.
    """
    repeated = [name for name, count in Counter(t.name for t in tasks).items() if count > 1]
    if repeated:
        raise InvalidValue("name of a task", repeated[0], "be given once")
    kept = KeptResults(file, what)
    known = [task.name for task in tasks if task.name in kept.by_name]
    kept.check(known, fits)
    for name in known:
        yield name, kept.by_name[name]
    done = len(known)
    waiting = [task for task in tasks if task.name not in kept.by_name]
    tell("", done, len(tasks))
    try:
        for task, value in _work(waiting, crew or Crew()):
            done += 1
            result = kept.keep(task.name, value)
            tell(task.name, done, len(tasks))
            yield task.name, result
    finally:
        kept.write()


def _work(tasks: list[Task], crew: Crew) -> Iterator[tuple[Task, Any]]:
    deaths: Counter[str] = Counter()
    while tasks:
        lost = []
        for task, answer in crew.work(tasks):
            if answer.is_lost:
                lost.append(_check_deaths(task, deaths))
            else:
                yield task, _check(task, answer)
        tasks = lost


def _check_deaths(task: Task, deaths: Counter[str]) -> Task:
    deaths[task.name] += 1
    if deaths[task.name] >= ATTEMPTS:
        raise TaskFailed(task.name, f"the process that did it died, {ATTEMPTS} times")
    return task


def _check(task: Task, answer: Answer) -> Any:
    if answer.problem:
        raise TaskFailed(task.name, answer.problem) from RuntimeError(answer.details)
    return answer.value
