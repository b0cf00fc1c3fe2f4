"""The tables of an environment, for people."""

from collections.abc import Sequence
from typing import Any

from grouser.envs.actuator import Actuator
from grouser.envs.observer import Observer
from grouser.envs.quantity import Quantity
from grouser.envs.setting import make_setting
from grouser.envs.task import Task


def describe_task(task: str | Task, **changes: Any) -> str:
    """Return what is observed and what is acted on, as two tables in Markdown.

    Args:
        task: Its name, or a task.
        changes: What differs from the task, as for `TrackedEnv`.
    """
    setting = make_setting(task, **changes)
    chosen = setting.task
    about = (
        f"Robot `{chosen.robot}`, model `{chosen.model}`, course `{chosen.course}`.\n"
        f"Reference speed {setting.speed:g} m/s, goal after {setting.goal:.3g} m, "
        f"corridor {chosen.corridor:g} m, at most {chosen.duration:g} s."
    )
    tables = (
        ("action", Actuator(setting).quantities),
        ("observation", Observer(setting).quantities),
    )
    return "\n\n".join([about, *(_table(kind, rows) for kind, rows in tables)])


def _table(kind: str, quantities: Sequence[Quantity]) -> str:
    lines = [f"| | {kind} | unit | from | to | what |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {k} | `{q.name}` | {q.unit} | {q.low:.4g} | {q.high:.4g} | {q.meaning} |"
        for k, q in enumerate(quantities)
    ]
    return "\n".join(lines)
