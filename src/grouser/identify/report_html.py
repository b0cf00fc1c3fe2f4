"""Parts of the page of an identification as HTML: tables, bars of errors, small paths."""

import math
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from grouser.geometry import Array
from grouser.identify.fit import Fit
from grouser.identify.held_out_paths import HeldOutPath
from grouser.identify.report_tables import by_error
from grouser.identify.summary import Summary, number
from grouser.report import TextTable
from grouser.report.colours import line_colour

STYLE = """
.fits { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); margin-bottom: 1rem; }
@media (min-width: 900px) { .fits { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .fits .wide { grid-column: 1 / -1; } }
.fits td { font-variant-numeric: tabular-nums; min-width: 3.2rem; }
.fits .numbers td { white-space: nowrap; }
.fits td:first-child { overflow-wrap: normal; }
.fits p { margin: 0.3rem 0; overflow-wrap: anywhere; }
.fits .lead { font-size: 1.15rem; font-weight: 600; margin-bottom: 0.4rem; }
.fits .warning { border-left: 4px solid #d55e00; background: #fdf1e7; padding: 0.35rem 0.7rem; }
.fits p + h2 { margin-top: 1.1rem; }
.fits .note { color: #5b6168; font-size: 0.88rem; }
.fits details { margin-top: 0.6rem; } .fits summary { cursor: pointer; }
.fits .figure { height: 400px; }
.matrix td { text-align: center; padding: 0.25rem 0.4rem; }
.bars { display: grid; gap: 0.35rem 0.8rem; align-items: center;
        grid-template-columns: max-content minmax(4rem, 1fr) max-content;
        font-variant-numeric: tabular-nums; font-size: 0.9rem; }
.bars .chosen { font-weight: 700; } .bars .dropped { color: #8a9097; }
.bars .track { position: relative; height: 1.1rem; background: #f1f3f5; border-radius: 3px; }
.bars .fill { position: absolute; inset: 0 auto 0 0; border-radius: 3px; background: #9bb7cc; }
.bars .chosen .fill, .bars .fill.chosen { background: #0072b2; }
.bars .fill.dropped { background: #d5d9dd; }
.bars .span { position: absolute; top: 50%; height: 0; border-top: 2px solid #222; }
.bars .span::before, .bars .span::after { content: ""; position: absolute; top: -5px; height: 8px;
        border-left: 2px solid #222; }
.bars .span::before { left: 0; } .bars .span::after { right: 0; }
.paths { display: grid; gap: 0.6rem; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); }
.paths figure { margin: 0; } .paths svg { width: 100%; height: auto; background: #fafbfc; }
.paths figcaption { font-size: 0.8rem; color: #5b6168; font-variant-numeric: tabular-nums; }
@media (max-width: 560px) { .bars { grid-template-columns: max-content minmax(3rem, 1fr); }
  .bars .value { grid-column: 1 / -1; margin-top: -0.3rem; color: #5b6168; } }
"""
"""CSS of the parts."""
BESIDE_REPLAY = """
@media (min-width: 1000px) {
  body { grid-template: "title title" auto "fits fits" auto "stage figures" auto
         "stage tables" 1fr / minmax(0, 1.25fr) minmax(0, 1fr); }
  .fits { grid-area: fits; }
}
"""
"""Where the parts are on a page with a replay: between title and scene."""
SMALL = 160.0
"""Size of a small path [pixels]."""
EDGE = 12.0
"""Distance of a small path from its edges [pixels]."""


def wrap_sections(sections: Sequence[str]) -> str:
    """Return sections side by side."""
    return f'<div class="fits">{"".join(sections)}</div>'


def section(title: str, content: str, kind: str = "") -> str:
    """Return a section with a title."""
    return f'<section class="{kind}"><h2>{escape(title)}</h2>{content}</section>'


def paragraphs(sentences: Iterable[str], kind: str = "") -> str:
    """Return sentences, each a paragraph."""
    return "".join(f'<p class="{kind}">{escape(sentence)}</p>' for sentence in sentences)


def text_table(table: TextTable) -> str:
    """Return a table with its sentences, without its title."""
    kind = "scroll" if table.words > 1 and len(table.heads) == table.words else "scroll numbers"
    rows = [[escape(cell) for cell in row] for row in table.rows]
    cells = cell_table(table.heads, rows) if rows else ""
    return f'<div class="{kind}">{cells}</div>{paragraphs(table.lines, "note")}'


def cell_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of HTML cells."""
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def details(title: str, content: str) -> str:
    """Return content that is shown on demand."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def correlation_matrix(fit: Fit) -> str:
    """Return the correlation of the estimates as a table; strong ones have a colour."""
    names, rows = list(fit.parameters), []
    for name, line in zip(names, fit.correlation.tolist(), strict=True):
        cells = [
            f'<span style="background:rgba(213,94,0,{abs(c) ** 2:.2f});padding:0.1rem 0.3rem">'
            f"{c:+.2f}</span>"
            if math.isfinite(c)
            else "–"
            for c in line
        ]
        rows.append([escape(name), *cells])
    return f'<div class="scroll matrix">{cell_table(("", *names), rows)}</div>'


def error_bars(summary: Summary) -> str:
    """Return the error of each family with its limits as bars; empty if none was judged."""
    choice = summary.found.recommendation
    fits = [fit for fit in by_error(summary) if fit.family in choice.errors]
    if not fits:
        return ""
    longest = max(max(e.high, e.value) for e in choice.errors.values()) or 1.0
    unit, parts = fits[0].hold_out.unit, []
    for fit in fits:
        e = choice.errors[fit.family]
        kind = "dropped" if fit.family in choice.dropped else ""
        kind = "chosen" if fit is summary.chosen else kind
        fill, low, high = (100.0 * v / longest for v in (e.value, e.low, e.high))
        mark = " (recommended)" if kind == "chosen" else " (dropped)" if kind else ""
        parts.append(
            f'<span class="{kind}">{escape(fit.family)}{mark}</span>'
            f'<span class="track"><span class="fill {kind}" style="width:{fill:.2f}%"></span>'
            f'<span class="span" style="left:{low:.2f}%;width:{high - low:.2f}%"></span></span>'
            f'<span class="value {kind}">{number(e.value)} {unit} ({number(e.low)} to '
            f"{number(e.high)})</span>"
        )
    return f'<div class="bars">{"".join(parts)}</div>'


def small_paths(paths: Sequence[HeldOutPath]) -> str:
    """Return held-out predictions as small drawings, each with a scale of its own."""
    return f'<div class="paths">{"".join(_small_path(path) for path in paths)}</div>'


def _small_path(path: HeldOutPath) -> str:
    points = np.concatenate([path.observed, path.predicted, np.zeros((2, 1))], axis=1)
    low, high = points.min(axis=1), points.max(axis=1)
    size = max(float(np.max(high - low)), 1e-6)
    scale, middle = (SMALL - 2.0 * EDGE) / size, 0.5 * (low + high)

    def place(values: Array) -> list[str]:
        x = 0.5 * SMALL + scale * (values[0] - middle[0])
        y = 0.5 * SMALL - scale * (values[1] - middle[1])
        return [f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True)]

    dots = "".join(
        '<circle cx="{}" cy="{}" r="2"/>'.format(*point.split(","))
        for point in place(path.observed)
    )
    bar = _round_length(0.5 * size)
    x, y = place(np.zeros((2, 1)))[0].split(",")
    turn = number(math.degrees(path.heading_error), 2)
    words = (
        f"{number(path.error, 2)} m{'' if turn == '–' else f', {turn}°'} after {path.length:.2g} s"
    )
    return (
        f'<figure><svg viewBox="0 0 {SMALL:g} {SMALL + 14:g}" role="img" aria-label="{words}">'
        f'<g fill="{line_colour(0)}">{dots}</g>'
        f'<polyline points="{" ".join(place(path.predicted))}" fill="none" '
        f'stroke="{line_colour(3)}" stroke-width="2"/>'
        f'<circle cx="{x}" cy="{y}" r="4" fill="none" stroke="#222"/>'
        f'<path d="M{EDGE:g} {SMALL + 6:g}h{scale * bar:.1f}" stroke="#888" stroke-width="2"/>'
        f'<text x="{EDGE + scale * bar + 4:.1f}" y="{SMALL + 10:g}" font-size="11" fill="#666">'
        f"{bar:g} m</text></svg><figcaption>{words}</figcaption></figure>"
    )


def _round_length(length: float) -> float:
    """Return the largest of 1, 2 or 5 times a power of ten that is not longer [m]."""
    power = 10.0 ** math.floor(math.log10(length))
    return next(k * power for k in (5.0, 2.0, 1.0) if k * power <= length * (1.0 + 1e-9))
