"""P0's behaviour tests as tables: what was printed, and ours beside it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from grouser.errors import UnknownName
from grouser.papers.p0.courses import CourseErrors, CourseResult
from grouser.papers.p0.experiments import (
    COURSES,
    FINAL_COURSE_3,
    TARGET_FINAL_COURSE_3,
    TARGET_YAW_DEG,
    TARGETS_COURSE_1,
    printed_largest_errors,
    printed_table_5,
)
from grouser.report import TextTable

QUANTILES = (("median of draws", 50.0), ("95 % of draws below", 95.0), ("worst of draws", 100.0))
"""Rows that sum up the drawn robots."""
Quantity = Callable[[CourseErrors], float]


def check_courses(names: Sequence[str]) -> tuple[str, ...]:
    """Return the named courses of P0; all if none is named."""
    for name in names:
        if name not in COURSES:
            raise UnknownName("course of P0", name, COURSES)
    return tuple(names) or tuple(COURSES)


def course_tables(
    results: Sequence[CourseResult], targets: Sequence[dict[str, Any]]
) -> list[TextTable]:
    """Return P0's Table 5, the errors of each course, and the targets."""
    return [_table_5(results), *map(_course_table, results), _target_table(targets)]


def is_met(results: Sequence[CourseResult], targets: Sequence[dict[str, Any]]) -> bool:
    """Return whether every run is valid and every required target is met."""
    valid = all(result.run.report.is_valid for result in results)
    return valid and all(target["met"] for target in targets if target["counts"])


def judge_targets(result: CourseResult) -> list[dict[str, Any]]:
    """Return each target that a course has, what was reached, and whether that is enough.

    Corners at which one track slips more and the other less are listed but not required: nothing
    in the loop measures them.
    """
    nominal = result.corners[0]
    found = []
    if result.course in TARGETS_COURSE_1:
        limit = TARGETS_COURSE_1[result.course]
        found.append(_target(result, "largest error, nominal [m]", nominal.largest, limit))
    groups = [("nominal", [nominal], True), ("draws", result.draws, True)]
    groups += [("corners, one floor", result.corners[1:5], True)]
    groups += [("corners, tracks against each other", result.corners[5:], False)]
    for name, members, counts in groups:
        worst = math.degrees(max(member.yaw_rms for member in members))
        words = f"yaw rms, {name} [deg]"
        found.append(_target(result, words, worst, TARGET_YAW_DEG, counts))
        if result.course == "behaviour-3":
            final = max(member.final for member in members)
            words = f"final error, {name} [m]"
            found.append(_target(result, words, final, TARGET_FINAL_COURSE_3, counts))
    return found


def _target(
    result: CourseResult, what: str, value: float, limit: float, counts: bool = True
) -> dict[str, Any]:
    return {
        "course": result.course,
        "what": what,
        "value": value,
        "limit": limit,
        "met": value <= limit,
        "counts": counts,
    }


def _table_5(results: Sequence[CourseResult]) -> TextTable:
    largest, table_5 = printed_largest_errors(), printed_table_5()
    rows = []
    for result in results:
        ours, printed = result.corners[0], table_5.get(result.course)
        theirs = largest.get(result.course)
        final = FINAL_COURSE_3 if result.course == "behaviour-3" else None
        rows.append(
            (
                result.course,
                _cm(theirs), _cm(ours.largest), _cm(final), _cm(ours.final),
                *(f"{v:g}" for v in ((printed.x, printed.y, printed.yaw) if printed else ())),
                *(() if printed else ("", "", "")),
                f"{ours.mse_x:.2g}", f"{ours.mse_y:.2g}", f"{ours.mse_yaw:.2g}",
            )
        )  # fmt: skip
    headings = (
        "course", "max cm P0", "ours", "final cm P0", "ours",
        "MSE x P0", "y P0", "yaw P0", "x m2 ours", "y m2 ours", "yaw rad2 ours",
    )  # fmt: skip
    line = "the unit of P0's MSE is not recoverable: m2 and rad2 contradict its text"
    title = "Nominal parameters, as P0 printed it and ours"
    return TextTable(title=title, heads=headings, rows=tuple(rows), lines=(line,))


def _course_table(result: CourseResult) -> TextTable:
    state = "is valid" if result.run.report.is_valid else "IS NOT VALID"
    quantities: tuple[Quantity, ...] = (
        lambda e: 100.0 * e.largest,
        lambda e: 100.0 * e.mean,
        lambda e: 100.0 * e.rms,
        lambda e: 100.0 * e.final,
        lambda e: math.degrees(e.yaw_rms),
    )
    rows = [(e.name, *(f"{of(e):.2f}" for of in quantities)) for e in result.corners]
    for name, percent in QUANTILES:
        values = (np.percentile([of(e) for e in result.draws], percent) for of in quantities)
        rows.append((f"{name} ({len(result.draws)})", *(f"{value:.2f}" for value in values)))
    headings = ("stand-in", "max cm", "mean cm", "rms cm", "final cm", "yaw rms deg")
    title = f"{result.course}: the run {state}"
    return TextTable(title=title, heads=headings, rows=tuple(rows))


def _target_table(targets: Sequence[dict[str, Any]]) -> TextTable:
    rows = tuple(
        (
            target["course"],
            target["what"],
            f"{target['value']:.3f}",
            f"{target['limit']:g}",
            ("met" if target["met"] else "NOT MET")
            + ("" if target["counts"] else " (not aimed for)"),
        )
        for target in targets
    )
    heads = ("course", "what", "ours", "at most", "")
    return TextTable(title="Targets: worst of each group", heads=heads, rows=rows, words=2)


def describe_course(result: CourseResult) -> dict[str, Any]:
    """Return a course for JSON."""
    return {
        "course": result.course,
        "valid": result.run.report.is_valid,
        "problems": result.run.report.problems,
        "corners": [{**asdict(e), "yaw_rms": e.yaw_rms} for e in result.corners],
        "draws": [{**asdict(e), "yaw_rms": e.yaw_rms} for e in result.draws],
    }


def _cm(metres: float | None) -> str:
    return "" if metres is None else f"{100.0 * metres:.4g}"
