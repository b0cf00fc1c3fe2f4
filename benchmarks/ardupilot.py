"""Endurance of the lock step with a stand-in for ArduPilot, and how far the clocks are apart."""

import time
from collections.abc import Callable

from tests.plugs.ardupilot.soak import BAD, GOOD, WORST, SoakRow, soak

CASES = (
    ("good", GOOD, "csm"),
    ("1 % lost, 1 % late, frames twice", BAD, "csm"),
    ("the same, and replies twice", WORST, "slip"),
)
"""Name of a network, the network, and the model that drives."""


def measure_lock_step(minutes: float, tell: Callable[[str], None]) -> list[SoakRow]:
    """Return a line for each network: so many simulated minutes, with a restart each minute."""
    rows = []
    for case, weather, model in CASES:
        began = time.perf_counter()
        restarts = max(1, round(minutes) - 1)
        rows.append(
            soak(weather, seconds=60.0 * minutes, model=model, restarts=restarts, case=case)
        )
        tell(f"{case}: {time.perf_counter() - began:.0f} s of work")
    return rows
