"""Tables of fits for a page, as HTML."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from grouser.cli.fit_panels import best_first
from grouser.cli.terminal import format_number
from grouser.identify import Fit, Identification
from grouser.identify.turning_tables import TurningTables

STYLE = """
.fits { display: grid; gap: 1rem; grid-template-columns: 1fr; margin-bottom: 1rem; }
@media (min-width: 900px) { .fits { grid-template-columns: 1fr 1fr; } .fits .wide { grid-column: 1 / -1; } }
.fits td { white-space: nowrap; font-variant-numeric: tabular-nums; min-width: 3.2rem; }
.fits p { margin: 0.3rem 0; }
.matrix td { text-align: center; padding: 0.25rem 0.4rem; }
"""  # noqa: E501
"""How they look."""


def fit_tables(found: Identification, turns: TurningTables | None) -> str:
    """Return recommendation, parameters, correlation and errors as HTML.

    Args:
        found: What was found.
        turns: P2's tables, if there are.
    """
    fits = best_first(found)
    sentences = [f"Recommended is {found.recommendation.sentence}.", *fits[0].advice]
    sentences += [f"{name} was left out: {why}" for name, why in found.refused.items()]
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    parts = [f'<section class="wide"><h2>What to use</h2>{words}</section>']
    parts += [_section(f"{f.family}: {f.status}", _parameters(f)) for f in fits if f.parameters]
    if fits[0].parameters:
        parts.append(_section(f"Correlation, {fits[0].family}", _matrix(fits[0]), "matrix wide"))
    parts.append(_section("Errors on data that no fit has seen", _errors(found), "wide"))
    if turns is not None:
        parts.append(_section("Turns (P2 Table 5)", _turns(turns), "wide"))
    return f'<div class="fits">{"".join(parts)}</div>'


def _section(title: str, table: str, kind: str = "") -> str:
    return (
        f'<section class="{kind}"><h2>{escape(title)}</h2><div class="scroll">{table}</div>'
        "</section>"
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _parameters(fit: Fit) -> str:
    rows = [
        [escape(e.name), format_number(e.value), f"{format_number(e.low)} to "
         f"{format_number(e.high)}", escape(e.unit)]
        for e in fit.parameters.values()
    ]  # fmt: skip
    rows += [[escape(n), format_number(v), "kept: the log does not tell", ""]
             for n, v in fit.kept.items()]  # fmt: skip
    return _table(("parameter", "value", "95 % interval", "unit"), rows)


def _matrix(fit: Fit) -> str:
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
    return _table(("", *names), rows)


def _errors(found: Identification) -> str:
    horizons = sorted({h for fit in found.fits.values() for h in fit.hold_out.heading})
    heads = ["family", *(f"position {h:g} s [m]" for h in horizons), "per metre [1]"]
    heads += [f"heading {h:g} s [deg]" for h in horizons]
    rows = [
        [
            escape(name),
            *(_number(fit.hold_out.position.get(h, math.nan)) for h in horizons),
            _number(fit.hold_out.per_metre),
            *(_number(math.degrees(fit.hold_out.heading.get(h, math.nan))) for h in horizons),
        ]
        for name, fit in found.fits.items()
    ]
    return _table(heads, rows)


def _turns(tables: TurningTables) -> str:
    heads = ("run", "R0 [m]", "o1", "o2", "i1", "i2", "Bc [m]", "Ev_t [m/s]", "Ev_a [m/s]")
    rows = [
        [
            str(t.number), f"{t.radius:.3f}", *(f"{s:.4f}" for s in t.slippage),
            f"{t.calculated_width:.3f}", f"{t.true_difference:.4f}",
            f"{t.apparent_difference:.4f}",
        ]
        for t in tables.turns
    ]  # fmt: skip
    return _table(heads, rows)


def _number(value: float) -> str:
    return format_number(value, 3) if math.isfinite(value) else "–"
