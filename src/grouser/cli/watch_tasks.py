"""Progress of many tasks, for whoever waits at a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from grouser.cli.terminal import Terminal
from grouser.tasks import OnProgress


@contextmanager
def watch_tasks(what: str) -> Iterator[OnProgress]:
    """Show how many of many tasks are done on stderr, if that is a terminal.

    Args:
        what: What the tasks are, to write beside the bar.
    """
    console = Terminal().err
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(what, total=None)

        def tell(name: str, done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield tell
