"""What can be seen of runs, with the figures of a paper where a run followed one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from grouser.description import Course
from grouser.log import Log
from grouser.report import Metric, extra_panels, make_panels, write_report


def write_plot(
    runs: Mapping[str, Log],
    path: Path,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
) -> None:
    """Write runs as a page or a picture; figures of papers and plug-ins come first."""
    panels = extra_panels(runs)
    if panels and path.suffix.lower() == ".html":
        panels += make_panels(runs, course)
    write_report(runs, path, course, panels or None, metrics)
