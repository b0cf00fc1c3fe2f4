"""Panels of quantities and errors over time.

A single run has one colour for each track or wheel; several runs have one colour each.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from grouser.description import Course, Path
from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.log import Comparison, Log
from grouser.log.compare import unwrap_angles
from grouser.registry import Registry
from grouser.report import colours
from grouser.report.measure import compare_runs, divergence_mark, find_divergences
from grouser.report.panel import Dash, Mark, Panel, Series, rows_to_draw
from grouser.report.plan_view import plan_panel
from grouser.scenario import course_of_log

PATH_SEARCH_MARGIN = 0.01
"""Search distance ahead on the path in addition to the distance driven [m]."""


def reference_heading(path: Path, x: Array, y: Array) -> Array:
    """Return the heading of the path at the point nearest to each position of a run [rad].

    The nearest point moves only forward and not faster than the robot, so that the right leg is
    found on a path that crosses itself or returns along itself.
    """
    headings, s = np.full(len(x), np.nan), 0.0
    steps = np.hypot(np.diff(x, prepend=x[:1]), np.diff(y, prepend=y[:1]))
    for row in np.flatnonzero(np.isfinite(x) & np.isfinite(y)):
        # Search up to twice the step ahead: inside an arc the robot is slower than the path point.
        window = PATH_SEARCH_MARGIN + (steps[row] if np.isfinite(steps[row]) else 0.0)
        s = float(path.nearest(float(x[row]), float(y[row]), near=s + window, window=window))
        headings[row] = path.at(s)[2]
    return headings


DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dashdot")
"""Line styles of tracks or wheels, where colours distinguish runs."""
MIN_HEIGHT_RANGE, MIN_PITCH_RANGE = 1e-3, np.deg2rad(0.1)
"""Range of height [m] or pitch [rad] from which on height and pitch are drawn."""

REFERENCE_ROWS = 500
"""Number of rows at which the heading of the reference path is computed, which is slow."""
LOW_PERCENTILE, HIGH_PERCENTILE = 2.0, 98.0
"""Percentiles of the slip that set the initial range of its axis [%]."""


def over_time(
    name: str,
    time: Array,
    values: Array,
    colour: str,
    dash: Dash = "solid",
    faint: bool = False,
) -> Series:
    """Return a line over time, reduced to a drawable number of points."""
    rows = rows_to_draw(values)
    return Series(name=name, x=time[rows], y=values[rows], colour=colour, dash=dash, faint=faint)


def height_panel(runs: Mapping[str, Log], course: Course | None) -> Panel | None:
    """Return the height of the body, with that of the ground below it if the course is known."""
    if _is_flat(runs, course):
        return None
    lines = _one_column(runs, "z")
    if course and len(runs) == 1:
        (log,) = runs.values()
        if "x" in log and "y" in log:
            ground = np.asarray(course.terrain.height(log["x"], log["y"]))
            below = over_time("ground below", log.time, ground, colours.REFERENCE, "dashed")
            lines.insert(0, below)
    return _panel("height", "Height of the body origin", "z [m]", lines)


def pitch_panel(runs: Mapping[str, Log], course: Course | None) -> Panel | None:
    """Return the pitch; None on flat ground."""
    if _is_flat(runs, course):
        return None
    lines = _one_column(runs, "pitch", scale=np.rad2deg(1.0))
    return _panel("pitch", "Pitch, positive nose down", "pitch [deg]", lines)


def yaw_panel(runs: Mapping[str, Log], course: Course | None) -> Panel | None:
    """Return the heading and, for a single run, that of the reference path."""
    lines = [
        over_time(name, log.time, np.rad2deg(unwrap_angles(log["yaw"])), colour)
        for name, log, colour in _coloured(runs, "yaw")
    ]
    if course and course.path and len(runs) == 1 and lines:
        (log,) = runs.values()
        if "x" in log and "y" in log:
            rows = rows_to_draw(log["yaw"], REFERENCE_ROWS)
            headings = reference_heading(course.path, log["x"][rows], log["y"][rows])
            shown = np.rad2deg(headings)
            reference = over_time(
                "reference path", log.time[rows], shown, colours.REFERENCE, "dashed"
            )
            lines.insert(0, reference)
    return _panel("yaw", "Heading, positive to the left", "yaw [deg]", lines)


def yaw_rate_panel(runs: Mapping[str, Log]) -> Panel | None:
    """Return the yaw rate and, for a single run, that of its gyroscope."""
    lines = _one_column(runs, "yaw_rate", scale=np.rad2deg(1.0))
    if len(runs) == 1:
        (log,) = runs.values()
        if "gyro_yaw_rate" in log:
            rate = np.rad2deg(log["gyro_yaw_rate"])
            lines.insert(0, over_time("gyroscope", log.time, rate, colours.REFERENCE, faint=True))
    return _panel("yaw_rate", "Yaw rate, positive to the left", "yaw rate [deg/s]", lines)


def belt_panels(runs: Mapping[str, Log]) -> tuple[Panel, ...]:
    """Return belt speeds: one panel for a single run, else one for each belt."""
    unit, panels = "belt speed [m/s]", []
    if len(runs) == 1:
        (log,) = runs.values()
        lines = [line for n, drive in enumerate(log.drives) for line in _belt(log, drive, drive, n)]
        panels.append(_panel("belts", "Belt speeds", unit, lines))
    for drive in _drives(runs) if len(runs) > 1 else ():
        lines = [line for n, name in enumerate(runs) for line in _belt(runs[name], drive, name, n)]
        panels.append(_panel(f"belts.{drive}", f"Belt speed {drive}", unit, lines))
    return tuple(panel for panel in panels if panel)


def slip_panel(runs: Mapping[str, Log]) -> Panel | None:
    """Return the slip of each belt; with several runs, belts differ by line style."""
    lines, alone = [], len(runs) == 1
    for number, (name, log) in enumerate(runs.items()):
        for place, drive in enumerate(_drives(runs)):
            if (column := f"slip.{drive}") in log:
                words = drive if alone else f"{name} {drive}"
                colour = colours.line_colour(place if alone else number)
                dash = DASHES[0 if alone else place % len(DASHES)]
                lines.append(over_time(words, log.time, log[column], colour, dash))
    panel = _panel("slip", "Slip, 1 - ground speed / belt speed", "slip [1]", lines)
    # The peaks at belt reversals are outside of the initial range.
    values = np.concatenate([*(line.y[np.isfinite(line.y)] for line in lines), [0.0]])
    low, high = np.percentile(values, (LOW_PERCENTILE, HIGH_PERCENTILE))
    margin = 0.1 + 0.5 * (high - low)
    low, high = float(low - margin), float(high + margin)
    if panel is None or (values.min() >= low and values.max() <= high):
        return panel
    return replace(panel, title=f"{panel.title}; peaks cut", y_range=(low, high))


def _belt(log: Log, drive: str, name: str, number: int) -> list[Series]:
    colour = colours.line_colour(number)
    kinds: tuple[tuple[str, str, Dash], ...] = (
        (f"belt_speed_commanded.{drive}", f"{name} commanded", "dashed"),
        (f"belt_speed.{drive}", f"{name} reached", "solid"),
    )
    return [
        over_time(words, log.time, log[column], colour, dash)
        for column, words, dash in kinds
        if column in log
    ]


def _one_column(runs: Mapping[str, Log], column: str, scale: float = 1.0) -> list[Series]:
    return [
        over_time(name, log.time, scale * log[column], colour)
        for name, log, colour in _coloured(runs, column)
    ]


def _coloured(runs: Mapping[str, Log], column: str) -> list[tuple[str, Log, str]]:
    """Return the runs that have a column, each with its colour."""
    return [
        (name, log, colours.line_colour(number))
        for number, (name, log) in enumerate(runs.items())
        if column in log
    ]


def _drives(runs: Mapping[str, Log]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(drive for log in runs.values() for drive in log.drives))


def _is_flat(runs: Mapping[str, Log], course: Course | None) -> bool:
    if course:
        return course.terrain.is_flat
    return not any(
        _span(log, column) > least
        for log in runs.values()
        for column, least in (("z", MIN_HEIGHT_RANGE), ("pitch", MIN_PITCH_RANGE))
    )


def _span(log: Log, column: str) -> float:
    """Return the range of a column; 0 if it is missing or has no finite value."""
    values = log[column] if column in log else np.empty(0)
    known = values[np.isfinite(values)]
    return float(np.ptp(known)) if known.size else 0.0


def _panel(key: str, title: str, y_label: str, lines: list[Series]) -> Panel | None:
    if not lines:
        return None
    return Panel(key=key, title=title, x_label="time [s]", y_label=y_label, series=tuple(lines))


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
    return _panel("error", "Distance to the reference path", "cross-track error [m]", lines)


def gap_panel(runs: Mapping[str, Log], comparisons: Mapping[str, Comparison]) -> Panel | None:
    """Return the distance of runs from the first one, and when they diverge."""
    names = list(runs)
    lines: list[Series] = []
    marks: list[Mark] = []
    for name, comparison in comparisons.items():
        colour, gap = colours.line_colour(names.index(name)), comparison.position_error
        lines.append(over_time(name, comparison.time, gap, colour))
        for divergence in find_divergences(comparison):
            if divergence.time is not None:
                size = float(gap[np.searchsorted(comparison.time, divergence.time)])
                marks.append(divergence_mark(divergence, divergence.time, size, name, names))
    panel = _panel("gap", f"Distance from run {names[0]} at the same time", "gap [m]", lines)
    return panel and replace(panel, marks=tuple(marks))


PanelMaker: TypeAlias = Callable[[Mapping[str, Log]], tuple[Panel, ...]]
"""Returns figures of runs by name; none for runs that it does not know."""

PANELS: Registry[PanelMaker] = Registry("maker of figures", "grouser.panels")
"""What draws figures of its own of some runs: papers and plug-ins."""


def extra_panels(runs: Mapping[str, Log]) -> tuple[Panel, ...]:
    """Return the figures that papers and plug-ins draw of runs, none for most."""
    return tuple(panel for make in PANELS.values() for panel in make(runs))


def make_panels(runs: Mapping[str, Log], course: Course | None = None) -> tuple[Panel, ...]:
    """Return the figures of runs, the plan first, as far as the logs have the columns.

    The first log is the reference for the others; `course` is by default that of the first log with
    one. InvalidValue if there are no runs, or they do not overlap in time.
    """
    if not runs:
        raise InvalidValue("runs", "none", "be one log or more")
    if course is None:
        course = next((found for log in runs.values() if (found := course_of_log(log))), None)
    (_, reference), *others = runs.items()
    compared = {name: compare_runs(log, reference) for name, log in others}
    comparisons = {name: comparison for name, comparison in compared.items() if comparison}
    panels = (
        plan_panel(runs, course, comparisons),
        error_panel(runs, course),
        gap_panel(runs, comparisons),
        yaw_panel(runs, course),
        slip_panel(runs),
        *belt_panels(runs),
        yaw_rate_panel(runs),
        height_panel(runs, course),
        pitch_panel(runs, course),
    )
    return tuple(panel for panel in panels if panel)
