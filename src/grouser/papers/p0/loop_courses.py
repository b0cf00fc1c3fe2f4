"""P0's courses with the real firmware in the loop, on a simulated chip in lockstep."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from grouser.description import load_course
from grouser.errors import GrouserError, MissingExtra
from grouser.extras import require_extra
from grouser.papers.experiment import Findings
from grouser.papers.p0.published import SECTIONS, printed_largest_errors
from grouser.papers.stems import draw_stems
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour

if TYPE_CHECKING:
    from grouser.papers.p0.run_course import CourseResult

DRAWS = 50
"""Robots drawn for each course."""
ONE_FLOOR = slice(1, 5)
"""Corners of the perturbation at which both tracks slip more, or both less."""
TITLES = {
    **{name: f"course 1, {words}" for name, words in SECTIONS.items()},
    "behaviour-2": "course 2",
    "behaviour-3": "course 3",
}
"""What courses are called in claims."""


def find_missing_board() -> str:
    """Return what the loop lacks here, in one sentence; empty if nothing."""
    from grouser.hil.simulated_board import find_runner

    try:
        require_extra("the loop", "hil", "cobs", "serial")
        find_runner()
    except MissingExtra as error:
        return str(error)
    except GrouserError:
        return "the firmware is not built: run `make firmware` in a checkout, which needs AVR tools"
    return ""


def drive_course(name: str) -> Findings:
    """Return how far the virtual robot was from its stand-ins on a course of P0, and its path."""
    from grouser.papers.p0.run_course import run_course

    result = run_course(name, "sim", count=DRAWS)
    title, nominal = TITLES[name], result.corners[0]
    others = (*result.corners[ONE_FLOOR], *result.draws)
    values = {
        f"largest position error, {title}": nominal.largest,
        f"final position error, {title}": nominal.final,
        f"rms position error, {title}": nominal.rms,
        f"rms yaw error, {title}": nominal.yaw_rms,
        f"largest position error, {title}, slip off by 20 %": max(e.largest for e in others),
        f"final position error, {title}, slip off by 20 %": max(e.final for e in others),
        f"rms yaw error, {title}, slip off by 20 %": max(e.yaw_rms for e in others),
    }
    # The sections of course 1 are driven open loop: where they end says nothing.
    panels = () if name in SECTIONS else (_plan(result),)
    return Findings(values=values, panels=panels)


def compare_courses(values: Mapping[str, float]) -> dict[str, float]:
    """Return which of courses 2 and 3 is followed better, if both were driven."""
    second, third = (values.get(f"rms position error, course {n}") for n in (2, 3))
    if second is None or third is None:
        return {}
    return {"course 2 is followed better than course 3": float(second < third)}


def draw_errors(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return the largest errors of course 1 beside P0's, of the sections that were driven."""
    printed = printed_largest_errors()
    names = [n for n in SECTIONS if f"largest position error, {TITLES[n]}" in values]
    if not names:
        return ()
    groups = {"P0": ([100.0 * printed[name] for name in names], REFERENCE)}
    for number, words in enumerate(("", ", slip off by 20 %")):
        ours = [100.0 * values[f"largest position error, {TITLES[n]}{words}"] for n in names]
        groups[f"ours{words}" if words else "ours, nominal"] = (ours, line_colour(number))
    sections = [SECTIONS[name] for name in names]
    title = "Course 1: largest position error"
    return (draw_stems("course-1", title, "error [cm]", sections, groups),)


def _plan(result: "CourseResult") -> Panel:
    path, log = load_course(result.course).path, result.run.log
    assert path is not None
    way = np.linspace(0.0, path.length, 200)
    at = np.array([path.at(float(s))[:2] for s in way])
    lines = (
        Series(name="path", x=at[:, 0], y=at[:, 1], colour=REFERENCE, dash="dashed"),
        Series(name="virtual robot", x=log["x"][::5], y=log["y"][::5], colour=line_colour(0)),
    )
    return Panel(
        key=f"loop-{result.course}", title=f"{TITLES[result.course].capitalize()} with the board",
        x_label="x [m]", y_label="y [m]", series=lines, equal_axes=True,
    )  # fmt: skip
