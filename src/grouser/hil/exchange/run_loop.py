"""Keeping an exchange going, in step with the wall clock."""

import math
from typing import Protocol

from grouser.simulation import Pace


class Loop(Protocol):
    """One side of an exchange, tick by tick."""

    silence: float
    """Age of what the other side said last [s]."""

    @property
    def period(self) -> float:
        """Time between two ticks [s]."""
        ...

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        ...

    def tick(self) -> bool:
        """Do one tick; return False when there is nothing more to do."""
        ...

    def stop(self) -> None:
        """Leave the other side in a safe state."""
        ...


def run_loop(
    loop: Loop,
    *,
    duration: float = math.inf,
    patience: float = math.inf,
    pace: Pace | None = None,
) -> tuple[str, str]:
    """Tick until the loop is done; return the status of the run and why it ended.

    Args:
        loop: The side of the exchange that is ours.
        duration: Time since the other side's first line after which to stop [s].
        patience: How long the other side may be silent before we stop, also at first [s].
        pace: Keeps step with the wall clock; one for the loop's own period if not given.
    """
    pace = Pace(period=loop.period) if pace is None else pace
    tick, ticks_in_silence = 0, 0
    try:
        while loop.time < duration - 0.5 * loop.period:
            pace.wait(tick)
            tick += 1
            if not loop.tick():
                return "complete", "the driver is done"
            # Counted, since before the first line the age is infinite.
            ticks_in_silence = ticks_in_silence + 1 if loop.silence > loop.period else 0
            if ticks_in_silence * loop.period > patience:
                return "complete", f"nothing was heard for {patience:g} s"
    except KeyboardInterrupt:
        return "interrupted", "interrupted"
    finally:
        loop.stop()
    return "complete", f"{duration:g} s are over"
