"""Many robots at once, beside one alone."""

import os
import time
from collections.abc import Callable

from grouser.bench.case import Case, Probe, Sample
from grouser.bench.choice import Choice
from grouser.bench.start_robots import TICK, start_robots
from grouser.bench.time_drive import time_drive

SIZES = {
    "slip": {1: 10.0, 100: 10.0, 10_000: 0.5},
    "tankbot": {1: 5.0, 10: 1.0, 100: 0.2},
    "csm:boxes=1": {1: 1.0, 8: 0.2, 32: 0.1},
}
"""Robots at once, and how long they drive, by model [s]."""


def batch_cases(choice: Choice) -> list[Case]:
    """Return each model alone, and as more and more robots at once."""
    return [
        Case(
            name=f"{model} x {count:,}",
            reference=f"{model} x 1",
            start=_start(choice, model, count, duration),
        )
        for model, sizes in SIZES.items()
        for count, duration in sizes.items()
    ]


def _start(choice: Choice, reference: str, count: int, usual: float) -> Callable[[], Probe]:
    def start() -> Probe:
        started = start_robots(choice.load(), reference, count=count)
        duration = max(choice.share * usual, TICK)
        # Only robots of the engine are shared out among threads.
        threads = f", {os.cpu_count()} threads" if count > 1 and started.has_engine else ""

        def measure() -> Sample:
            wall = time_drive(
                started.plant, started.command, duration, tick=TICK, clock=time.perf_counter
            )
            factor = count * duration / wall
            note = f"{1e3 * started.step:g} ms{threads}"
            return Sample(value=factor, step=started.step / factor, note=note)

        return measure

    return start
