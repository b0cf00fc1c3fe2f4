"""What a drive costs: the work of all belts, beside what a simulation logs."""

import math
from collections.abc import Sequence

from grouser.models import Motion
from grouser.simulation.sensors import Reading
from grouser.sweep.outcome import WORK


class WorkMeter:
    """Watches a simulation and adds the work of all drives since the start to its log."""

    columns: tuple[tuple[str, str], ...] = ((WORK, "J"),)

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return the work; not a number where the model knows no forces."""
        return (float(sum(motion.works)) if motion.works else math.nan,)
