"""Long work of the engine in short turns, and what the engine warns of.

Python hears an interrupt only between two calls of compiled code. So no call makes more than
some steps, and threads that work for a batch end at their next turn.

The engine writes its warnings to a file in the current folder unless it is given somebody to
tell; it counts them for each robot, too, and here they become sentences.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from time import perf_counter
from typing import Any

import mujoco
import numpy as np

from grouser.errors import InvalidValue
from grouser.models.contact.workspace import MOST_CONTACTS, Memory
from grouser.notices import LOGGER

STEPS_AT_ONCE, STEPS_AT_ONCE_HELD = 200, 20
"""Steps of the engine in one call of compiled code: about 0.1 s; fewer for belts of plates, of
which the finest take 10 ms a step [1]."""
TURN = 0.1
"""About how long a thread of a batch works before it looks up [s]."""
SLICES_PER_THREAD = 4
"""Into how many slices each thread's share is cut, as some robots take longer than others [1]."""
_WARNING = mujoco.mjtWarning
_BAD = [
    int(kind)
    for kind in (
        _WARNING.mjWARN_BADQPOS,
        _WARNING.mjWARN_BADQVEL,
        _WARNING.mjWARN_BADQACC,
        _WARNING.mjWARN_BADCTRL,
    )
]
_FULL = [int(_WARNING.mjWARN_CONTACTFULL), int(_WARNING.mjWARN_CNSTRFULL)]

if mujoco.get_mju_user_warning() is None:
    mujoco.set_mju_user_warning(LOGGER.debug)


class Turns:
    """Divides steps into turns, for one robot or for all threads of a batch."""

    def __init__(self, *, held: bool) -> None:
        """Begin.

        Args:
            held: Whether constraints hold parts of the robot together, as they do belts of plates.
        """
        self.most = STEPS_AT_ONCE_HELD if held else STEPS_AT_ONCE
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
    """Threads that share the work of a batch, and end it when they are interrupted."""

    def __init__(self, count: int | None, turns: Turns) -> None:
        self.count = count or os.cpu_count() or 1
        self.turns = turns
        self._pool = ThreadPoolExecutor(self.count)

    def map(self, work: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
        """Return what the work makes of each of the arguments."""
        self.turns.are_over = False
        tasks = [self._pool.submit(work, *each) for each in zip(*arguments, strict=True)]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            self.turns.are_over = True
            for task in tasks:
                task.cancel()
            wait(tasks)
            raise

    def slice(self, count: int, steps: int, advance: Callable[[int, int, int], None]) -> None:
        """Advance many robots by some steps each.

        Args:
            count: How many robots.
            steps: How many steps each of them makes.
            advance: Advances those from a first to an end by a number of steps.
        """
        slices = min(count, self.count * SLICES_PER_THREAD)
        edges = np.linspace(0, count, slices + 1).astype(int).tolist()

        def work(first: int, end: int) -> None:
            robots = 1
            while first < end:
                began, last = perf_counter(), min(first + robots, end)
                for turn in self.turns.of(steps):
                    advance(first, last, turn)
                first = last
                if steps <= self.turns.most:
                    robots = max(int(robots * TURN / (perf_counter() - began)), 1)

        self.map(work, edges[:-1], edges[1:])


def heed_warnings(data: mujoco.MjData, memory: Memory, robot: str) -> None:
    """Make sentences of what the engine counted during the last steps.

    A robot whose numbers are huge or not finite is nowhere from then on, for the guard to see.

    Raises:
        InvalidValue: There are more contacts than fit, or masses that cannot be moved.
    """
    counted = data.warning.number
    if not counted.any() and memory.count[0] < MOST_CONTACTS:
        return
    full = bool(counted[_FULL].any()) or memory.count[0] >= MOST_CONTACTS
    bad, singular = bool(counted[_BAD].any()), bool(counted[int(_WARNING.mjWARN_INERTIA)])
    counted[:] = 0
    if bad:
        data.qpos[:] = data.qvel[:] = float("nan")
    elif full:
        required = "be few enough for the engine; fewer boxes, wheels or plates would do"
        raise InvalidValue(f"contacts of robot {robot!r}", f"{data.ncon} or more", required)
    elif singular:
        required = "be large enough, none of them far smaller than the others"
        raise InvalidValue(f"masses and inertias of robot {robot!r}", "all but zero", required)
