"""Progress of a drive, for whoever waits at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import Progress

from grouser.cli.terminal import Terminal
from grouser.drivers import Plan
from grouser.models import Command, Motion

EVERY = 50
"""How many ticks lie between two looks at the progress."""


class Watched:
    """A driver that says how far it is."""

    def __init__(self, plan: Plan, limit: float, show: Callable[[float], None]) -> None:
        """Drive as `plan` does; `show` is told the share of `limit` [s], or of the path."""
        self._plan, self._limit, self._show = plan, limit, show
        self._calls = 0
        self.is_done = False
        """Whether the driver has said that it is done."""

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command of the driver."""
        if self._calls % EVERY == 0:
            along = self._plan.progress() if self._plan.progress else 0.0
            self._show(max(along, time / self._limit))
        self._calls += 1
        command = self._plan.driver(time, motion)
        self.is_done = command is None
        return command


@contextmanager
def watch(plan: Plan, limit: float, title: str) -> Iterator[Watched]:
    """Show the progress of a driver on stderr, if that is a terminal, while it drives.

    Args:
        plan: The driver.
        limit: Simulated time at which it is stopped [s].
        title: What to write beside the bar.
    """
    console = Terminal().err
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=1.0)
        yield Watched(plan, limit, lambda share: progress.update(task, completed=share))
