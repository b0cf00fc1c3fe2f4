"""One-file HTML pages of runs and maps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log import Log
from grouser.report.colours import line_colour
from grouser.report.draw_matplotlib import PICTURE_SUFFIXES, write_picture
from grouser.report.draw_plotly import draw_plotly
from grouser.report.measure import Metric, TextTable, measure_difference, measure_run
from grouser.report.panel import Panel
from grouser.report.time_series import make_panels
from grouser.storage import write_atomically

STYLE = """\
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 1280px; background: #f6f7f8; color: #222;
       font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.45rem; margin: 0.2rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 0.5rem; }
section { background: #fff; border: 1px solid #e2e4e7; border-radius: 8px; padding: 0.9rem 1rem;
          min-width: 0; }
.tables, .figures, .texts { display: grid; gap: 1rem; grid-template-columns: 1fr;
                            margin-bottom: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.9rem 0.25rem 0; }
tr + tr > * { border-top: 1px solid #eef0f2; }
tbody th { font-weight: 400; color: #5b6168; }
td { overflow-wrap: anywhere; min-width: 5.5rem; }
.numbers td { font-variant-numeric: tabular-nums; white-space: nowrap; }
.chip { display: inline-block; width: 0.7em; height: 0.7em; border-radius: 2px;
        margin-right: 0.4em; }
.figure { height: 380px; display: flex; flex-direction: column; }
.figure > div { flex: 1; min-height: 0; }
.plan { height: 95vw; max-height: 640px; }
@media (min-width: 900px) {
  .tables, .figures { grid-template-columns: 1fr 1fr; }
  .plan { grid-column: 1 / -1; }
}
"""
"""CSS of every page."""
_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style</style>
<script>$plotly</script>
</head>
<body>
<h1>$title</h1>
$body</body>
</html>
""")
_TABLES = Template("""\
<div class="tables">
<section><h2>Numbers</h2><div class="scroll numbers">$metrics</div></section>
<section><h2>Provenance</h2><div class="scroll">$provenance</div></section>
</div>
""")


STRICT = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
"""Content-Security-Policy of a page: inline scripts and styles only, no network access."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageExtras:
    """Additional HTML, CSS and JavaScript of a page."""

    stage: str = ""
    """HTML below the title."""
    style: str = ""
    """CSS after the common style."""
    script: str = ""
    """JavaScript at the end of the page."""
    policy: str = STRICT
    """Content-Security-Policy."""


HASH_SHOWN = 8
"""Number of shown characters of a hash."""


def provenance_table(runs: Mapping[str, Log]) -> list[tuple[str, tuple[str, ...]]]:
    """Return rows of a name and a text for each run, or one if all are equal; none if empty."""
    columns = [_entries(log) for log in runs.values()]
    rows = [(name, tuple(column[name] for column in columns)) for name in columns[0]]
    return [
        (name, texts if len(set(texts)) > 1 else texts[:1]) for name, texts in rows if any(texts)
    ]


def _entries(log: Log) -> dict[str, str]:
    origin = log.provenance
    return {
        "robot": _with_hash(origin.robot, origin.robot_hash),
        "course": _with_hash(origin.course, origin.course_hash),
        "course parameters": _pairs(origin.course_parameters),
        "model": origin.model,
        "model parameters": _pairs(origin.model_parameters),
        "driver": origin.driver,
        "status": origin.status,
        "tick": f"{origin.dt:g} s" if origin.dt is not None else "",
        "seed": str(origin.seed) if origin.seed is not None else "",
        "rows": str(len(log)),
        "started": origin.created.replace("T", " ").replace("+00:00", " UTC"),
        "engine": origin.engine,
        "grouser": origin.grouser_version,
        "notes": _pairs(origin.notes),
    }


def _with_hash(name: str, digest: str) -> str:
    return f"{name} ({digest[:HASH_SHOWN]})" if digest else name


def _pairs(values: Mapping[str, Any]) -> str:
    """Return names and values; of tables only those that hold no other: the log has them all."""
    return ", ".join(filter(None, (_pair(key, value) for key, value in values.items())))


def _pair(key: str, value: Any) -> str:
    inner = value.values() if isinstance(value, Mapping) else value
    is_nested = isinstance(value, Mapping | list | tuple)
    if value is None or (is_nested and any(isinstance(v, Mapping | list | tuple) for v in inner)):
        return ""
    if isinstance(value, Mapping):
        return f"{key} ({_pairs(value)})" if value else ""
    return f"{key} = {value:g}" if isinstance(value, float) else f"{key} = {value}"


_CONFIG = {
    "responsive": True,
    "displaylogo": False,
    "showSendToCloud": False,  # no upload of data
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
}


def compose_page(
    runs: Mapping[str, Log],
    title: str | None = None,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
    panels: Sequence[Panel] | None = None,
    extras: PageExtras | None = None,
    tables: Sequence[TextTable] = (),
) -> str:
    """Return provenance, numbers and figures of runs as one HTML text.

    The first log is the reference for the others; without runs there are only figures and extras.
    By default, title and course are those of the logs, metrics those of `measure_run` and
    `measure_difference`, panels those of `make_panels`. `tables` come before the figures.
    """
    panels = make_panels(runs, course) if panels is None else panels
    extras = extras or PageExtras()
    figures = "\n".join(draw_figure(panel) for panel in panels)
    script = f"<script>{extras.script}</script>" if extras.script else ""
    return compose_html(
        title if title is not None else _title(runs),
        f"{extras.stage}{_tables(runs, metrics, course) if runs else ''}"
        f"{_text_tables(tables)}"
        f'<div class="figures">\n{figures}\n</div>\n{script}',
        extras.style,
        extras.policy,
    )


def compose_html(title: str, body: str, style: str = "", policy: str = STRICT) -> str:
    """Return an HTML page with the common style and the plotly script."""
    require_extra("a page", "plots", "plotly")
    from plotly.offline import get_plotlyjs  # here, because it is optional

    return _PAGE.substitute(
        policy=escape(policy), title=escape(title), style=STYLE + style, plotly=get_plotlyjs(),
        body=body,
    )  # fmt: skip


def _tables(
    runs: Mapping[str, Log],
    metrics: Mapping[str, Sequence[Metric]] | None,
    course: Course | None,
) -> str:
    numbers = metrics if metrics is not None else _measure(runs, course)
    texts = [{metric.name: metric.text for metric in numbers.get(run, ())} for run in runs]
    names = dict.fromkeys(name for of_run in texts for name in of_run)
    rows = [(name, [of_run.get(name, "") for of_run in texts]) for name in names]
    return _TABLES.substitute(
        metrics=_table(runs, rows), provenance=_table(runs, provenance_table(runs))
    )


def _text_tables(tables: Sequence[TextTable]) -> str:
    sections = "".join(_text_table(table) for table in tables)
    return f'<div class="texts">\n{sections}</div>\n' if sections else ""


def _text_table(table: TextTable) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in table.heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        f"{''.join(f'<td>{escape(text)}</td>' for text in texts)}</tr>\n"
        for name, *texts in table.rows
    )
    cells = f"<table><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>"
    lines = "".join(f"<p>{escape(line)}</p>" for line in table.lines)
    title = f"<h2>{escape(table.title)}</h2>"
    return f'<section>{title}<div class="scroll">{cells if rows else ""}</div>{lines}</section>\n'


def _title(runs: Mapping[str, Log]) -> str:
    """Return the names of robots, courses and runs."""
    origins = [log.provenance for log in runs.values()]
    found = [[getattr(o, key) for o in origins] for key in ("robot", "course")]
    what = " on ".join(filter(None, (" and ".join(dict.fromkeys(filter(None, w))) for w in found)))
    return f"{what}: {', '.join(runs)}" if what else ", ".join(runs)


def _measure(runs: Mapping[str, Log], course: Course | None) -> dict[str, tuple[Metric, ...]]:
    reference = next(iter(runs.values()))
    return {
        name: (
            *measure_run(log, course),
            *(measure_difference(log, reference) if log is not reference else ()),
        )
        for name, log in runs.items()
    }


def _table(runs: Mapping[str, Log], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return an HTML table with one column for each run; a single text spans all of them."""
    heads = "".join(
        f'<th scope="col"><span class="chip" style="background:{line_colour(number)}"></span>'
        f"{escape(name)}</th>"
        for number, name in enumerate(runs)
    )
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f'<td colspan="{len(runs) // len(texts)}">{escape(text)}</td>' for text in texts)
        + "</tr>\n"
        for name, texts in rows
    )
    return f"<table><thead><tr><td></td>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table>"


def draw_figure(panel: Panel) -> str:
    """Return a figure as a section of a page."""
    drawing = draw_plotly(panel).to_html(
        full_html=False,
        include_plotlyjs=False,
        config=_CONFIG,
        div_id=f"figure-{panel.key}",
        default_height="100%",
    )
    kind = "figure plan" if panel.equal_axes else "figure"
    return f'<section class="{kind}"><h2>{escape(panel.title)}</h2>{drawing}</section>'


PAGE_SUFFIXES = (".html",)


def write_page(
    runs: Mapping[str, Log],
    path: str | Path,
    title: str | None = None,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
    panels: Sequence[Panel] | None = None,
    tables: Sequence[TextTable] = (),
) -> None:
    """Write provenance, numbers and figures of runs, as by `compose_page`, as one HTML file."""
    if Path(path).suffix.lower() not in PAGE_SUFFIXES:
        raise InvalidValue("name of a page", str(path), "end in .html (a picture: .png or .svg)")
    write_atomically(path, compose_page(runs, title, course, metrics, panels, tables=tables))


def write_report(
    runs: Mapping[str, Log],
    path: str | Path,
    course: Course | None = None,
    panels: Sequence[Panel] | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
    tables: Sequence[TextTable] = (),
) -> None:
    """Write runs as an interactive page (.html) or as a picture (.png, .svg)."""
    suffix = Path(path).suffix.lower()
    if suffix in PAGE_SUFFIXES:
        write_page(runs, path, course=course, metrics=metrics, panels=panels, tables=tables)
    elif suffix in PICTURE_SUFFIXES:
        write_picture(runs, path, course, panels)
    else:
        raise InvalidValue("name of a report", str(path), "end in .html, .png or .svg")


def write_map(panel: Panel, path: str | Path, facts: Mapping[str, str]) -> None:
    """Write one panel as an HTML page with a table of facts, or as a PNG or SVG picture."""
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
