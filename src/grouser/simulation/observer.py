"""Who watches a simulation and adds columns to its log."""

from collections.abc import Sequence
from typing import Protocol

from grouser.models import Motion
from grouser.simulation.sensors import Reading


class Observer(Protocol):
    """Sees every tick after the sensors were read; must not change what it sees."""

    columns: tuple[tuple[str, str], ...]
    """Name and SI unit of each column that it adds."""

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return a number for each of its columns.

        Args:
            time: Simulated time; 0 at the start, then once for each tick [s].
            motion: What happens, which no sensor knows.
            reading: What the robot's own sensors say.
        """
        ...
