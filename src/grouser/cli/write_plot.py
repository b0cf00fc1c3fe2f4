"""What can be seen of runs, with the figures of a paper where a run followed one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from grouser.description import Course
from grouser.log import Log
from grouser.report import Metric, make_panels, write_report


def write_plot(
    runs: Mapping[str, Log],
    path: Path,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
) -> None:
    """Write runs as a page or a picture; a run of P3's manoeuvres with P3's figures first."""
    if not all("track_slip.left" in log and "reference_x" in log for log in runs.values()):
        write_report(runs, path, course, metrics=metrics)
        return
    # Imported here: other plots need not wait for the compiler.
    from grouser.papers.p3.figures import log_constants, manoeuvre_panels

    panels = manoeuvre_panels(runs, log_constants(next(iter(runs.values()))))
    if path.suffix.lower() == ".html":
        panels += make_panels(runs, course)
    write_report(runs, path, course, panels, metrics)
