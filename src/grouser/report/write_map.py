"""A map of what a robot can, as a page or a picture."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from grouser.report.compose_page import compose_page
from grouser.report.page_extras import PageExtras
from grouser.report.panel import Panel
from grouser.report.write_page import PAGE_SUFFIXES
from grouser.report.write_picture import write_picture
from grouser.storage import write_atomically


def write_map(panel: Panel, path: str | Path, facts: Mapping[str, str]) -> None:
    """Write one panel as an HTML page with a table of facts, or as a PNG or SVG picture.

    Args:
        panel: What to draw.
        path: Where to write; its suffix chooses the format.
        facts: What the reader should know, by name: robot, course, model.

    Raises:
        InvalidValue: The name ends in none of .html, .png, .svg, or the place is not writable.
        MissingExtra: The package that draws is not installed.
    """
    if Path(path).suffix.lower() not in PAGE_SUFFIXES:
        write_picture({}, path, panels=[panel])
        return
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>\n'
        for name, text in facts.items()
    )
    extras = PageExtras(
        stage=f'<section class="facts"><table><tbody>\n{rows}</tbody></table></section>\n',
        style=".facts { margin-bottom: 1rem; }\n.figure { height: 640px; grid-column: 1 / -1; }\n",
    )
    write_atomically(path, compose_page({}, panel.title, panels=[panel], extras=extras))
