"""P0's behaviour tests: what was printed, and ours beside it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from grouser.cli.exits import DIFFERENT, DONE
from grouser.cli.output import FolderOutput
from grouser.cli.terminal import Terminal
from grouser.log import write_log
from grouser.papers.p0.courses import CourseErrors, CourseResult
from grouser.papers.p0.experiments import (
    FINAL_COURSE_3,
    TARGET_FINAL_COURSE_3,
    TARGET_YAW_DEG,
    TARGETS_COURSE_1,
    printed_largest_errors,
    printed_table_5,
)

QUANTILES = (("median of draws", 50.0), ("95 % of draws below", 95.0), ("worst of draws", 100.0))
"""Rows that sum up the drawn robots."""
Quantity = Callable[[CourseErrors], float]


def report_courses(results: Sequence[CourseResult], folder: FolderOutput, *, as_json: bool) -> int:
    """Write a log for each course, print the tables, and return the exit code."""
    terminal = Terminal()
    for result in results:
        folder.claim(f"{result.course}.csv").write(partial(write_log, result.run.log))
    targets = [target for result in results for target in judge_targets(result)]
    if as_json:
        terminal.json({"courses": [_content(r) for r in results], "targets": targets})
    else:
        _tell_table_5(terminal, results)
        for result in results:
            _tell_course(terminal, result)
        _tell_targets(terminal, targets)
        terminal.line(f"logs: {folder.path}")
    valid = all(result.run.report.is_valid for result in results)
    return DONE if valid and all(t["met"] for t in targets if t["counts"]) else DIFFERENT


def judge_targets(result: CourseResult) -> list[dict[str, Any]]:
    """Return each target that a course has, what was reached, and whether that is enough.

    Corners at which one track slips more and the other less are listed and do not count: nothing
    in the loop can see them.
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


def _tell_table_5(terminal: Terminal, results: Sequence[CourseResult]) -> None:
    largest, table_5 = printed_largest_errors(), printed_table_5()
    terminal.heading("Nominal parameters, as P0 printed it and ours")
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
    terminal.table(headings, rows, numbers=range(1, len(headings)))
    terminal.remark("the unit of P0's MSE is not recoverable: m2 and rad2 contradict its text")


def _tell_course(terminal: Terminal, result: CourseResult) -> None:
    state = "counts" if result.run.report.is_valid else "DOES NOT COUNT"
    terminal.heading(f"{result.course}: the run {state}")
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
    terminal.table(headings, rows, numbers=range(1, len(headings)))


def _tell_targets(terminal: Terminal, targets: Sequence[dict[str, Any]]) -> None:
    terminal.heading("Targets: worst of each group")
    rows = [
        (
            target["course"],
            target["what"],
            f"{target['value']:.3f}",
            f"{target['limit']:g}",
            ("met" if target["met"] else "NOT MET")
            + ("" if target["counts"] else " (not aimed for)"),
        )
        for target in targets
    ]
    terminal.table(("course", "what", "ours", "at most", ""), rows, numbers=(2, 3))


def _content(result: CourseResult) -> dict[str, Any]:
    return {
        "course": result.course,
        "valid": result.run.report.is_valid,
        "problems": result.run.report.problems,
        "corners": [{**asdict(e), "yaw_rms": e.yaw_rms} for e in result.corners],
        "draws": [{**asdict(e), "yaw_rms": e.yaw_rms} for e in result.draws],
    }


def _cm(metres: float | None) -> str:
    return "" if metres is None else f"{100.0 * metres:.4g}"
