"""Everything that can be seen of one run or of several."""

from collections.abc import Mapping

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.log import Log
from grouser.report.compare_runs import compare_runs
from grouser.report.error_panels import error_panel, gap_panel
from grouser.report.panel import Panel
from grouser.report.plan_panel import plan_panel
from grouser.report.restore_course import restore_course
from grouser.report.time_panels import (
    belt_panels,
    height_panel,
    pitch_panel,
    slip_panel,
    yaw_panel,
    yaw_rate_panel,
)


def make_panels(runs: Mapping[str, Log], course: Course | None = None) -> tuple[Panel, ...]:
    """Return the figures of runs, the plan first; what the logs do not hold is left out.

    Args:
        runs: Logs by the names that figures give them. The first is the one that the others
            are compared with.
        course: Where they were driven; without it, that of the first log that holds one.

    Raises:
        InvalidValue: There are no runs, or they do not overlap in time.
    """
    if not runs:
        raise InvalidValue("runs", "none", "be one log or more")
    if course is None:
        course = next((found for log in runs.values() if (found := restore_course(log))), None)
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
