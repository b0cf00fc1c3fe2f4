"""How far a long work is, for whoever waits at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import Progress

from grouser.cli.terminal import Terminal


@contextmanager
def show_progress(terminal: Terminal, title: str) -> Iterator[Callable[[float], None]]:
    """Yield what shows a share of the work on stderr, if that is a terminal."""
    console = terminal.err
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=1.0)
        yield lambda share: progress.update(task, completed=share)
