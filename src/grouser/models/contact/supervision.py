"""Long work of an engine in short turns, shared by threads.

Python handles an interrupt only between two calls of compiled code. So no call makes more than
some steps, and threads that work for many robots end at their next turn.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

STEPS_AT_ONCE = 200
"""Steps in one call of compiled code: about 0.1 s [1]."""


class Turns:
    """Divides steps into turns, for one robot or for all threads of many."""

    def __init__(self, most: int = STEPS_AT_ONCE) -> None:
        """Begin, with at most some steps in a turn."""
        self.most = most
        self.are_over = False
        """Whether threads shall end at their next turn."""

    def of(self, steps: int) -> Iterator[int]:
        """Yield how many steps each turn has.

        Raises:
            KeyboardInterrupt: The turns are over.
        """
        while steps > 0:
            if self.are_over:
                raise KeyboardInterrupt
            yield min(steps, self.most)
            steps -= self.most


class Threads:
    """Threads that share the work of many robots, and end it when they are interrupted."""

    def __init__(self, count: int | None, turns: Turns) -> None:
        self.count = count or os.cpu_count() or 1
        self.turns = turns
        self._pool: ThreadPoolExecutor | None = None

    def map(self, work: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
        """Return what the work makes of each of the arguments."""
        self._pool = self._pool or ThreadPoolExecutor(self.count)
        self.turns.are_over = False
        tasks = [self._pool.submit(work, *each) for each in zip(*arguments, strict=True)]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            self.turns.are_over = True
            for task in tasks:
                task.cancel()
            wait(tasks)
            self.turns.are_over = False
            raise
