"""How far runs are from the reference path, and from each other."""

from collections.abc import Mapping

import numpy as np

from grouser.description import Course
from grouser.log import Log
from grouser.report import colours
from grouser.report.compare_runs import compare_runs
from grouser.report.divergence import find_divergences
from grouser.report.panel import Mark, Panel, Series
from grouser.report.time_panels import over_time


def error_panel(runs: Mapping[str, Log], course: Course | None) -> Panel | None:
    """Return the distance of each run to the reference path; None without a path."""
    if course is None or course.path is None:
        return None
    lines: list[Series] = []
    for number, (name, log) in enumerate(runs.items()):
        if "x" in log and "y" in log:
            distance = np.full(len(log), np.nan)
            known = np.isfinite(log["x"]) & np.isfinite(log["y"])
            distance[known] = course.path.distance(log["x"][known], log["y"][known])
            lines.append(over_time(name, log.time, distance, colours.line_colour(number)))
    if not lines:
        return None
    return Panel(
        key="error",
        title="Distance to the reference path",
        x_label="time [s]",
        y_label="cross-track error [m]",
        series=tuple(lines),
    )


def gap_panel(runs: Mapping[str, Log]) -> Panel | None:
    """Return how far each run is from the first, and when they part; None for a single run.

    Raises:
        InvalidValue: A run does not overlap in time with the first.
    """
    (first, reference), *others = runs.items()
    lines: list[Series] = []
    marks: list[Mark] = []
    for number, (name, log) in enumerate(others, start=1):
        comparison = compare_runs(log, reference)
        if comparison is None:
            continue
        colour = colours.line_colour(number)
        lines.append(over_time(name, comparison.time, comparison.position_error, colour))
        for divergence in find_divergences(comparison):
            if divergence.time is not None:
                words = f"{name}: {divergence.threshold:g} m at {divergence.time:.3g} s"
                row = int(np.searchsorted(comparison.time, divergence.time))
                gap = float(comparison.position_error[row])
                mark = Mark(
                    symbol="parting", x=divergence.time, y=gap, colour=colour, name=words
                )
                marks.append(mark)
    if not lines:
        return None
    return Panel(
        key="gap",
        title=f"Distance from {first}",
        x_label="time [s]",
        y_label="gap [m]",
        series=tuple(lines),
        marks=tuple(marks),
    )
