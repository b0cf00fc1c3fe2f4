"""HTML documents made of sections."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from string import Template

from grouser.report.page import STRICT, STYLE, draw_figure, read_plotly
from grouser.report.panel import Panel

_DOCUMENT = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style
h2.part { font-size: 1.2rem; margin: 1.6rem 0 0.4rem; }
p { margin: 0.3rem 0 0.8rem; max-width: 60em; }
.sheet { margin-bottom: 1rem; }
.sheet td { min-width: 0; overflow-wrap: normal; }
.sheet td.words { min-width: 18em; }
.good { color: #00664a; } .bad { color: #b04700; } .none { color: #6b7178; }
</style>
<script>$plotly</script>
</head>
<body>
<h1>$title</h1>
$sections
</body>
</html>
""")
Cell = str | tuple[str, str]
"""Words, or words and how they are meant: good, bad or none; long ones, which need room: words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table."""

    headings: tuple[str, ...]
    """What the columns hold."""
    rows: tuple[tuple[Cell, ...], ...]
    """The lines, a cell for each column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a document: words, then tables, then figures."""

    title: str
    """Its heading."""
    words: tuple[str, ...] = ()
    """Paragraphs."""
    sheets: tuple[Sheet, ...] = ()
    """Tables."""
    panels: tuple[Panel, ...] = ()
    """Figures."""


def compose_document(title: str, sections: Sequence[Section]) -> str:
    """Return the document as HTML.

    Args:
        title: What it is about.
        sections: Its parts, in order.

    Raises:
        MissingExtra: plotly is not installed.
    """
    return _DOCUMENT.substitute(
        policy=escape(STRICT),
        title=escape(title),
        style=STYLE,
        plotly=read_plotly(),
        sections="\n".join(_section(number, part) for number, part in enumerate(sections)),
    )


def _section(number: int, section: Section) -> str:
    # The same figure may be in two sections, but a name only once on a page.
    panels = [
        replace(panel, key=f"{number}-{place}-{panel.key}")
        for place, panel in enumerate(section.panels)
    ]
    return "\n".join(
        (
            f'<h2 class="part">{escape(section.title)}</h2>',
            *(f"<p>{escape(words)}</p>" for words in section.words),
            *(_sheet(sheet) for sheet in section.sheets),
            f'<div class="figures">{"".join(map(draw_figure, panels))}</div>' if panels else "",
        )
    )


def _sheet(sheet: Sheet) -> str:
    heads = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in sheet.headings)
    rows = "".join(f"<tr>{_cells(row)}</tr>\n" for row in sheet.rows)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table>"
    return f'<section class="sheet"><div class="scroll">{table}</div></section>'


def _cells(row: Iterable[Cell]) -> str:
    pairs = [(cell, "") if isinstance(cell, str) else cell for cell in row]
    return "".join(
        f'<td class="{kind}">{escape(words)}</td>' if kind else f"<td>{escape(words)}</td>"
        for words, kind in pairs
    )
