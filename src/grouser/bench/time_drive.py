"""How long a plant takes to obey."""

import time
from collections.abc import Callable

from grouser.models import Command, Plant


def time_drive(
    plant: Plant,
    command: Command,
    duration: float,
    *,
    tick: float = 0.01,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the time that a plant takes to obey a command for a while [s].

    Args:
        plant: What moves.
        command: What it is asked for, all the time.
        duration: Simulated time [s].
        tick: How long one command holds [s].
        clock: Processor time, which others on the machine do not stretch; or another [s].
    """
    begin = clock()
    for _ in range(round(duration / tick)):
        plant.advance(command, tick)
    return max(clock() - begin, 1e-9)  # some clocks stand still for milliseconds
