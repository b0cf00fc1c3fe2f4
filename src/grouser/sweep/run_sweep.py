"""A map's drives, done."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.spread import Crew, Tell, spread
from grouser.sweep.maps import SweepMap
from grouser.sweep.outcome import find_outcome
from grouser.sweep.sweep_tasks import sweep_tasks


def run_sweep(
    chosen: SweepMap, crew: Crew, file: Path, tell: Tell = lambda *_: None
) -> NDArray[np.float64]:
    """Return what the map shows, a row for each y and a column for each x.

    Args:
        chosen: What is varied, driven and shown.
        crew: Who works.
        file: Keeps results; what is in it is not driven again.
        tell: Called with each drive that is done.

    Raises:
        GrouserError: A parameter or outcome does not exist, or cannot be.
    """
    find_outcome(chosen.outcome, chosen.experiment)
    tasks = sweep_tasks(chosen)

    def fits(kept: Any) -> bool:
        return isinstance(kept, dict) and isinstance(kept.get(chosen.outcome), int | float)

    what = "results of a sweep"
    found = dict(spread(tasks, crew, file=file, what=what, tell=tell, fits=fits))
    values = np.array([found[task.name][chosen.outcome] for task in tasks])
    return values.reshape(len(chosen.y.values), len(chosen.x.values))
