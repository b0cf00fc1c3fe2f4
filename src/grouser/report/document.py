"""HTML documents made of sections with texts, tables and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

from grouser.report.page import compose_html, draw_figure
from grouser.report.panel import Panel

_STYLE = """\
h2.part { font-size: 1.2rem; margin: 1.6rem 0 0.4rem; }
p { margin: 0.3rem 0 0.8rem; max-width: 60em; }
.sheet { margin-bottom: 1rem; }
.sheet td { min-width: 0; overflow-wrap: normal; }
.sheet td.words { min-width: 18em; }
.sheet td:first-child { min-width: 9em; }
.good { color: #00664a; } .bad { color: #b04700; } .none { color: #6b7178; }
.fair { color: #7a6000; }
summary { cursor: pointer; font-size: 1.2rem; font-weight: 600; margin: 1.2rem 0 0.4rem; }
"""
Cell = str | tuple[str, str]
"""Text, or text and its CSS class: good, fair, bad or none; `words` for a wide column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """Rows, with a cell for each column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a document: paragraphs, then tables, then figures."""

    title: str
    words: tuple[str, ...] = ()
    """Paragraphs."""
    sheets: tuple[Sheet, ...] = ()
    """Tables."""
    panels: tuple[Panel, ...] = ()
    """Figures."""
    is_folded: bool = False
    """Whether only its title is shown until a reader opens it."""


def compose_document(title: str, sections: Sequence[Section]) -> str:
    """Return the document as HTML."""
    parts = "\n".join(_section(number, part) for number, part in enumerate(sections))
    return compose_html(title, f"{parts}\n", _STYLE)


def _section(number: int, section: Section) -> str:
    # Unique keys: the same figure may be in two sections.
    panels = [
        replace(panel, key=f"{number}-{place}-{panel.key}")
        for place, panel in enumerate(section.panels)
    ]
    title = escape(section.title)
    is_folded = section.is_folded
    return "\n".join(
        (
            f"<details><summary>{title}</summary>"
            if is_folded
            else f'<h2 class="part">{title}</h2>',
            *(f"<p>{escape(words)}</p>" for words in section.words),
            *(_sheet(sheet) for sheet in section.sheets),
            f'<div class="figures">{"".join(map(draw_figure, panels))}</div>' if panels else "",
            "</details>" if is_folded else "",
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
