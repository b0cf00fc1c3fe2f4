"""How far runs are from the reference path, and from each other."""

from collections.abc import Mapping

import numpy as np

from grouser.description import Course
from grouser.log import Comparison, Log
from grouser.report import colours
from grouser.report.divergence import find_divergences
from grouser.report.panel import Mark, Panel, Series
from grouser.report.parting_mark import parting_mark
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


def gap_panel(runs: Mapping[str, Log], comparisons: Mapping[str, Comparison]) -> Panel | None:
    """Return how far runs are from the first, and when they part; None without comparisons."""
    if not comparisons:
        return None
    names = list(runs)
    lines: list[Series] = []
    marks: list[Mark] = []
    for name, comparison in comparisons.items():
        colour, gap = colours.line_colour(names.index(name)), comparison.position_error
        lines.append(over_time(name, comparison.time, gap, colour))
        for divergence in find_divergences(comparison):
            if divergence.time is not None:
                size = float(gap[np.searchsorted(comparison.time, divergence.time)])
                marks.append(parting_mark(divergence, divergence.time, size, name, names))
    return Panel(
        key="gap",
        title=f"Distance from run {names[0]} at the same time",
        x_label="time [s]",
        y_label="gap [m]",
        series=tuple(lines),
        marks=tuple(marks),
    )
