"""Runs as a page or a picture."""

from collections.abc import Mapping
from pathlib import Path

from grouser.description import Course
from grouser.log import Log
from grouser.report.write_page import write_page
from grouser.report.write_picture import write_picture


def draw(runs: Mapping[str, Log], path: Path, *, title: str, course: Course | None = None) -> None:
    """Write runs as a page (.html) or as a picture (.png, .svg).

    Args:
        runs: Logs by the names that legends give them.
        path: Where to write; its suffix chooses the format.
        title: Heading of a page.
        course: Where they were driven; without it, what the logs hold.
    """
    if path.suffix.lower() == ".html":
        write_page(runs, path, title=title, course=course)
    else:
        write_picture(runs, path, course=course)
