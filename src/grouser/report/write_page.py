"""A page about runs, as one file that needs no network."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.log import Log
from grouser.report.compose_page import compose_page
from grouser.report.metric import Metric
from grouser.report.panel import Panel
from grouser.storage import write_atomically

PAGE_SUFFIXES = (".html",)
"""How the name of a page may end."""


def write_page(
    runs: Mapping[str, Log],
    path: str | Path,
    title: str | None = None,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
    panels: Sequence[Panel] | None = None,
) -> None:
    """Write provenance, numbers and figures of runs as one HTML file.

    Args:
        runs: Logs by the names that the page gives them; the first is the one that the others
            are compared with.
        path: Where to write.
        title: What was run; without it, robot, course and the names of the runs.
        course: Where they were driven; without it, that of the first log that holds one.
        metrics: Numbers to show, by the names of the runs; without them, those of `measure_run`
            and `measure_difference`.
        panels: Figures to draw; without them, those of `make_panels`.

    Raises:
        InvalidValue: The name does not end in .html, or the place is not writable.
        MissingExtra: plotly is not installed.
    """
    if Path(path).suffix.lower() not in PAGE_SUFFIXES:
        raise InvalidValue("name of a page", str(path), "end in .html (a picture: .png or .svg)")
    write_atomically(path, compose_page(runs, title, course, metrics, panels))
