"""The gap between two runs, as far as it is known."""

import numpy as np

from grouser.log import Column, Comparison, Log, compare

_NEEDED = ("time", "x", "y", "yaw")


def compare_runs(log: Log, reference: Log) -> Comparison | None:
    """Return how far a run is from a reference, leaving out rows that are not finite.

    A simulation that was stopped ends with such rows, and is worth drawing all the same.

    Returns:
        The comparison; None if one of the two has no poses.

    Raises:
        InvalidValue: The logs do not overlap in time.
    """
    if not all(name in run for name in _NEEDED for run in (log, reference)):
        return None
    known = np.all([np.isfinite(log[name]) for name in _NEEDED], axis=0)
    if not known.any() or not len(reference):
        return None
    poses = {name: Column(log[name][known], log.unit(name)) for name in _NEEDED}
    return compare(Log(poses), reference)
