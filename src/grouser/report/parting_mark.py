"""The mark for where two runs part."""

from collections.abc import Sequence

from grouser.report.colours import line_colour
from grouser.report.divergence import THRESHOLDS, Divergence
from grouser.report.panel import Mark


def parting_mark(
    divergence: Divergence, x: float, y: float, name: str, names: Sequence[str]
) -> Mark:
    """Return the mark, in the colour of the run that leaves the first one.

    Args:
        divergence: At which gap, and when.
        x: Where to put it along the horizontal axis [unit of the axis].
        y: Where to put it along the vertical axis [unit of the axis].
        name: The run that leaves.
        names: All runs, the one that is left first.
    """
    gaps = " and ".join(f"{threshold:g}" for threshold in THRESHOLDS)
    return Mark(
        symbol="parting",
        x=x,
        y=y,
        colour=line_colour(names.index(name)),
        name=f"{gaps} m from {names[0]}",
        words=f"{name}: {divergence.threshold:g} m from {names[0]} at {divergence.time:.4g} s",
    )
