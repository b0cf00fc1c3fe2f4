"""What can be seen of runs, as a page or as a picture: the suffix says which."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.log import Log
from grouser.report.metric import Metric
from grouser.report.panel import Panel
from grouser.report.write_page import PAGE_SUFFIXES, write_page
from grouser.report.write_picture import PICTURE_SUFFIXES, write_picture


def write_report(
    runs: Mapping[str, Log],
    path: str | Path,
    course: Course | None = None,
    panels: Sequence[Panel] | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
) -> None:
    """Write runs as an interactive page (.html) or as a picture (.png, .svg).

    Args:
        runs: Logs by name; the first is the one that the others are compared with.
        path: Where to write; its suffix chooses the format.
        course: Where they were driven; without it, that of the first log that holds one.
        panels: Figures to draw; without them, those that every log has.
        metrics: Numbers for a page to show, by the names of the runs; without them, those of
            `measure_run` and `measure_difference`.

    Raises:
        InvalidValue: The suffix is none of these, or the place is not writable.
        MissingExtra: The package that draws is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix in PAGE_SUFFIXES:
        write_page(runs, path, course=course, metrics=metrics, panels=panels)
    elif suffix in PICTURE_SUFFIXES:
        write_picture(runs, path, course, panels)
    else:
        raise InvalidValue("name of a report", str(path), "end in .html, .png or .svg")
