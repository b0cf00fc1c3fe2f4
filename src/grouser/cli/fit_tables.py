"""Tables of fits for a page, as HTML."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from grouser.cli.fit_panels import best_first
from grouser.cli.terminal import format_number
from grouser.cli.turn_tables import turn_tables
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
    sentences = [
        f"Recommended is {found.recommendation.sentence}.",
        *fits[0].doubts,
        *fits[0].advice,
    ]
    sentences += [f"{name} was left out: {why}" for name, why in found.failures.items()]
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    parts = [f'<section class="wide"><h2>What to use</h2>{words}</section>']
    parts += [_section(f"{f.family}: {f.status}", _parameters(f)) for f in fits if f.parameters]
    if fits[0].parameters:
        parts.append(_section(f"Correlation, {fits[0].family}", _matrix(fits[0]), "matrix wide"))
    parts.append(_section("Errors on data that no fit has seen", _errors(found), "wide"))
    parts += turn_sections(turns) if turns is not None else []
    return wrap_sections(parts)


def single_fit_sections(fit: Fit) -> list[str]:
    """Return parameters, correlation and advice of one fit as sections of a page."""
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in (*fit.doubts, *fit.advice))
    score = _number(fit.hold_out.score)
    if fit.hold_out.quantity == "force":
        words += f"<p>Error of forces that were held out: {score} N.</p>"
    parameters = f'<div class="scroll">{_parameters(fit)}</div>{words}'
    return [
        f"<section><h2>{escape(f'{fit.family}: {fit.status}')}</h2>{parameters}</section>",
        _section("Correlation", _matrix(fit), "matrix wide"),
    ]


def turn_sections(turns: TurningTables) -> list[str]:
    """Return P2's tables as sections of a page."""
    return [
        _section(
            table.title,
            _table(table.heads, [[escape(cell) for cell in row] for row in table.rows])
            + "".join(f"<p>{escape(line)}</p>" for line in table.lines),
            "wide",
        )
        for table in turn_tables(turns)
    ]


def wrap_sections(sections: Sequence[str]) -> str:
    """Return sections side by side."""
    return f'<div class="fits">{"".join(sections)}</div>'


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
    rows += [[escape(n), format_number(v), "fixed: unidentifiable in this log", ""]
             for n, v in fit.fixed.items()]  # fmt: skip
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


def _number(value: float) -> str:
    return format_number(value, 3) if math.isfinite(value) else "–"
