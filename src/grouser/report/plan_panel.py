"""The way of one or more runs over the course, seen from above."""

from collections.abc import Iterator, Mapping

import numpy as np

from grouser.description import Course
from grouser.log import Comparison, Log
from grouser.report import colours
from grouser.report.course_shapes import course_labels, course_shapes
from grouser.report.divergence import find_divergences
from grouser.report.panel import Mark, Panel, Series
from grouser.report.parting_mark import parting_mark
from grouser.report.restore_robot import restore_robot
from grouser.report.robot_outlines import robot_outlines
from grouser.report.rows_to_draw import rows_to_draw

PLACES = 6
"""At how many places of a single run the robot is drawn."""
PATH_SPACING = 0.01
"""How far apart the points of a drawn reference path are at most, as a share of its length [1]."""


def plan_panel(
    runs: Mapping[str, Log], course: Course | None, comparisons: Mapping[str, Comparison]
) -> Panel | None:
    """Return the plan; None if no run has positions.

    Args:
        runs: Logs by name.
        course: What lies under them, if known.
        comparisons: How far runs are from the first, by name.
    """
    placed = {name: log for name, log in runs.items() if "x" in log and "y" in log and len(log)}
    if not placed:
        return None
    numbers = {name: number for number, name in enumerate(runs)}
    lines: list[Series] = list(_reference_path(course))
    marks: list[Mark] = list(_start(placed, course))
    for name, log in placed.items():
        colour = colours.line_colour(numbers[name])
        rows = np.union1d(rows_to_draw(log["x"]), rows_to_draw(log["y"]))
        lines += _outlines(log, colour, PLACES if len(placed) == 1 else 1)
        lines.append(Series(name=name, x=log["x"][rows], y=log["y"][rows], colour=colour))
    marks += _partings(runs, comparisons)
    return Panel(
        key="plan",
        title="Path seen from above",
        x_label="x [m]",
        y_label="y [m]",
        series=tuple(lines),
        shapes=course_shapes(course) if course else (),
        marks=tuple(marks),
        labels=course_labels(course) if course else (),
        equal_axes=True,
    )


def _reference_path(course: Course | None) -> Iterator[Series]:
    if course and course.path:
        x, y = course.path.points(PATH_SPACING * course.path.length).T
        yield Series(name="reference path", x=x, y=y, colour=colours.REFERENCE, dash="dashed")


def _start(runs: Mapping[str, Log], course: Course | None) -> Iterator[Mark]:
    if course:
        x, y = course.start.x, course.start.y
    else:
        first = next(iter(runs.values()))
        x, y = float(first["x"][0]), float(first["y"][0])
    if np.isfinite(x) and np.isfinite(y):
        yield Mark(symbol="start", x=x, y=y, colour=colours.TEXT, name="start")


def _outlines(log: Log, colour: str, count: int) -> Iterator[Series]:
    robot = restore_robot(log)
    if robot and "yaw" in log:
        x, y = robot_outlines(robot, log, count)
        yield Series(name="", x=x, y=y, colour=colour, faint=True)


def _partings(runs: Mapping[str, Log], comparisons: Mapping[str, Comparison]) -> Iterator[Mark]:
    """Mark where each run was when its gap to the first one grew beyond a threshold."""
    for name, comparison in comparisons.items():
        log = runs[name]
        for divergence in find_divergences(comparison):
            if divergence.time is not None:
                row = int(np.searchsorted(log.time, divergence.time))
                x, y = float(log["x"][row]), float(log["y"][row])
                yield parting_mark(divergence, x, y, name, list(runs))
