"""Long work of compiled code in short turns, on several threads.

Python notices an interrupt only between two calls of compiled code. So no call makes more than some
steps, and threads that work on many robots end at their next turn.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from itertools import count
from typing import Any

from grouser import interrupts

STEPS_AT_ONCE = 200
"""Steps in one call of compiled code, by default [1]."""
BLOCKS_AT_ONCE = 8
"""Blocks of robots in one call at most [1]."""


class Turns:
    """Divides steps into turns, for one robot or for all threads of a batch."""

    def __init__(self, most: int = STEPS_AT_ONCE) -> None:
        self.most = most
        """Steps of a turn at most [1]."""
        self.are_over = False
        """Whether threads shall end at their next turn."""

    def of(self, steps: int) -> Iterator[int]:
        """Yield how many steps each turn has; at least one turn.

        Raises:
            KeyboardInterrupt: The turns are over, or a signal was noted.
        """
        while True:
            interrupts.check()
            if self.are_over:
                raise KeyboardInterrupt
            yield min(steps, self.most)
            steps -= self.most
            if steps <= 0:
                return


class Threads:
    """Threads that share robots, and end when they are interrupted."""

    def __init__(self, number: int | None, turns: Turns) -> None:
        self.count = number or os.cpu_count() or 1
        self.turns = turns
        self._pool = ThreadPoolExecutor(self.count) if self.count > 1 else None

    def share(
        self, items: int, steps: int, advance: Callable[[int, int, int, int, int], None]
    ) -> None:
        """Advance many items by some steps each, in turns on all threads.

        `advance(thread, first, end, turn, done)` makes `turn` steps of the items from `first` to
        `end`, which have made `done` before.
        """
        threads = min(self.count, items)
        size = max(1, min(BLOCKS_AT_ONCE, -(-items // (4 * threads))))
        numbers = count()
        self.turns.are_over = False

        def work(thread: int) -> None:
            while (first := next(numbers) * size) < items:
                done = 0
                for turn in self.turns.of(steps):
                    advance(thread, first, min(first + size, items), turn, done)
                    done += turn

        if threads == 1 or self._pool is None:
            work(0)
            return
        tasks: list[Any] = [self._pool.submit(work, thread) for thread in range(threads)]
        try:
            for task in wait(tasks, return_when=FIRST_EXCEPTION).done:
                task.result()
        except BaseException:
            self.turns.are_over = True
            wait(tasks)
            raise
