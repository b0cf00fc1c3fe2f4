"""A page about runs, as one text that needs no network."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from grouser.description import Course
from grouser.extras import require_extra
from grouser.log import Log
from grouser.report.colours import line_colour
from grouser.report.draw_plotly import draw_plotly
from grouser.report.make_panels import make_panels
from grouser.report.measure import measure_difference, measure_run
from grouser.report.metric import Metric
from grouser.report.page_extras import PageExtras
from grouser.report.page_template import PAGE, STYLE, TABLES
from grouser.report.panel import Panel
from grouser.report.provenance_table import provenance_table

_CONFIG = {
    "responsive": True,
    "displaylogo": False,
    "showSendToCloud": False,  # nothing leaves the page
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
}


def compose_page(
    runs: Mapping[str, Log],
    title: str | None = None,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
    panels: Sequence[Panel] | None = None,
    extras: PageExtras | None = None,
) -> str:
    """Return provenance, numbers and figures of runs as one HTML text.

    Args:
        runs: Logs by the names that the page gives them; the first is the one that the others
            are compared with. A page without runs has figures and extras alone.
        title: What was run; without it, robot, course and the names of the runs.
        course: Where they were driven; without it, that of the first log that holds one.
        metrics: Numbers to show, by the names of the runs; without them, those of `measure_run`
            and `measure_difference`.
        panels: Figures to draw; without them, those of `make_panels`.
        extras: What else is on the page.

    Raises:
        MissingExtra: plotly is not installed.
    """
    panels = make_panels(runs, course) if panels is None else panels
    extras = extras or PageExtras()
    return PAGE.substitute(
        policy=escape(extras.policy),
        title=escape(title if title is not None else _title(runs)),
        common=STYLE,
        style=extras.style,
        plotly=read_plotly(),
        stage=extras.stage,
        tables=_tables(runs, metrics, course) if runs else "",
        figures="\n".join(draw_figure(panel) for panel in panels),
        script=f"<script>{extras.script}</script>" if extras.script else "",
    )


def _tables(
    runs: Mapping[str, Log],
    metrics: Mapping[str, Sequence[Metric]] | None,
    course: Course | None,
) -> str:
    numbers = metrics if metrics is not None else _measure(runs, course)
    return TABLES.substitute(
        metrics=_table(runs, _metric_rows(runs, numbers)),
        provenance=_table(runs, provenance_table(runs)),
    )


def _title(runs: Mapping[str, Log]) -> str:
    """Return robots and courses as the logs name them, and the runs if there are several."""
    origins = [log.provenance for log in runs.values()]
    robots = " and ".join(dict.fromkeys(origin.robot for origin in origins if origin.robot))
    courses = " and ".join(dict.fromkeys(origin.course for origin in origins if origin.course))
    what = f"{robots} on {courses}" if robots and courses else robots or courses
    names = ", ".join(runs)
    return f"{what}: {names}" if what else names


def _measure(runs: Mapping[str, Log], course: Course | None) -> dict[str, tuple[Metric, ...]]:
    reference = next(iter(runs.values()))
    return {
        name: (
            *measure_run(log, course),
            *(measure_difference(log, reference) if log is not reference else ()),
        )
        for name, log in runs.items()
    }


def _metric_rows(
    runs: Mapping[str, Log], metrics: Mapping[str, Sequence[Metric]]
) -> list[tuple[str, tuple[str, ...]]]:
    texts = {run: {metric.name: metric.text for metric in metrics.get(run, ())} for run in runs}
    names = dict.fromkeys(name for of_run in texts.values() for name in of_run)
    return [(name, tuple(of_run.get(name, "") for of_run in texts.values())) for name in names]


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


def read_plotly() -> str:
    """Return the script that draws figures.

    Raises:
        MissingExtra: plotly is not installed.
    """
    require_extra("a page", "plots", "plotly")
    from plotly.offline import get_plotlyjs  # here, because it is optional

    return get_plotlyjs()
