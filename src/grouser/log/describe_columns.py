"""What was read from a foreign table, for people: columns, first numbers, rates and gaps."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from grouser.log.foreign_column import ForeignColumn
from grouser.log.log import Log

HEADS = ("column", "from", "unit", "first numbers, SI", "numbers", "rate, Hz", "longest gap, s")
"""Headings of `describe_columns`."""
LARGE = 1e3
"""Size from which numbers are shown with two decimals, so that they can be checked [1]."""
MOST_DIGITS = 15
"""Largest number of digits of a number."""
_SHOWN = 3


def describe_columns(
    log: Log, columns: Mapping[str, ForeignColumn]
) -> Iterator[tuple[str, str, str, str, str, str, str]]:
    """Yield what each column of a log is made of, a row below `HEADS` each."""
    for name in log:
        entry = columns.get(name)
        theirs = "time that starts again" if entry is None else ", ".join(entry.headings)
        unit = "" if entry is None else entry.unit or ("deg" if entry.latitude else "quaternion")
        known = np.isfinite(log[name])
        first = ", ".join(_format_alike(log[name][known][:_SHOWN]))
        rate, gap = _rate_and_gap(log, known)
        yield name, theirs, unit, first, str(int(known.sum())), rate, gap


def _format_alike(numbers: NDArray[np.float64]) -> list[str]:
    """Return numbers in four digits, or in as many as show two decimals and tell them apart."""
    largest = float(np.max(np.abs(numbers), initial=0.0))
    least = max(4, len(f"{largest:.0f}") + 2 if largest >= LARGE else 0)
    for digits in range(least, MOST_DIGITS):
        texts = [f"{number:.{digits}g}" for number in numbers]
        if len(set(texts)) == np.unique(numbers).size:
            return texts
    return [f"{number:.{MOST_DIGITS}g}" for number in numbers]


def _rate_and_gap(log: Log, known: NDArray[np.bool_]) -> tuple[str, str]:
    """Return the rate of known numbers [Hz] and the longest time without one [s], as words."""
    if "time" not in log:
        return "", ""
    steps = np.diff(log.time[known])
    if "piece" in log:
        steps = steps[np.diff(log["piece"][known]) == 0.0]
    if not steps.size:
        return "", ""
    return f"{1.0 / float(np.median(steps)):.4g}", f"{float(steps.max()):.3g}"
