"""The page of an identification: 3D replay, tables of parameters and errors, figures."""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.identify.fit import Fit, Residuals
from grouser.identify.identify import Identification
from grouser.identify.prediction import replay_fit
from grouser.identify.record import UNITS, Record
from grouser.identify.turning_page import turn_panels, turn_tables
from grouser.identify.turning_tables import TurningTables
from grouser.log import Column, Log
from grouser.report import Metric, PageExtras, Panel, Series, compose_page
from grouser.report.colours import REFERENCE, line_colour
from grouser.storage import write_atomically
from grouser.units import format_number

MOST_DOTS = 4000
"""Dots of a figure at most."""
WIDEST = 6.0
"""How many standard deviations of residuals a figure shows [1]."""
STYLE = """
.fits { display: grid; gap: 1rem; grid-template-columns: 1fr; margin-bottom: 1rem; }
@media (min-width: 900px) { .fits { grid-template-columns: 1fr 1fr; } .fits .wide { grid-column: 1 / -1; } }
.fits td { white-space: nowrap; font-variant-numeric: tabular-nums; min-width: 3.2rem; }
.fits p { margin: 0.3rem 0; }
.matrix td { text-align: center; padding: 0.25rem 0.4rem; }
"""  # noqa: E501
BESIDE_REPLAY = """
@media (min-width: 1000px) {
  body { grid-template: "title title" auto "fits fits" auto "stage figures" auto
         "stage tables" 1fr / minmax(0, 1.25fr) minmax(0, 1fr); }
  .fits { grid-area: fits; }
}
"""
"""Where the tables are on a page with a replay: between title and scene."""


def write_fit_page(
    found: Identification,
    log: Log,
    path: Path,
    turns: TurningTables | None = None,
    write_replay: Callable[..., object] | None = None,
) -> None:
    """Write one HTML file: in 3D if the log has poses and a robot, and `write_replay` is given."""
    record = found.record
    fits = found.best_first
    runs = {"log": log}
    if not record.steady:
        for fit in fits:
            runs[fit.family] = replay_fit(fit, record, found.known_robot)
    panels = fit_panels(found, runs, turns)
    title = f"Identified: {fits[0].family}"
    if found.known_robot.robot is not None:
        title += f", {found.known_robot.robot.name}"
    metrics = {name: _metrics(found, name) for name in runs}
    tables = fit_tables(found, turns)
    in_3d = found.known_robot.robot is not None and record.observation.kind == "pose"
    if in_3d and not record.steady and write_replay is not None:
        write_replay(
            _seen(log, record), path, [runs[fits[0].family]], names=["log", fits[0].family],
            robot=found.known_robot.robot, course=found.known_robot.course, title=title,
            metrics=metrics, panels=panels, below=f"<style>{STYLE}{BESIDE_REPLAY}</style>{tables}",
        )  # fmt: skip
        return
    extras = PageExtras(stage=tables, style=STYLE)
    write_atomically(
        path, compose_page(runs, title, found.known_robot.course, metrics, panels, extras)
    )


def _seen(log: Log, record: Record) -> Log:
    """Return the log that holds the poses: itself, or one of what another log observed."""
    if {"x", "y", "yaw"} <= set(log):
        return log
    seen = record.observation
    rows = dict(zip(seen.channels, seen.values, strict=True))
    columns = {name: Column(values, UNITS[name]) for name, values in rows.items()}
    return Log({"time": Column(seen.time, "s"), **columns}, log.provenance)


def write_turns_page(turns: TurningTables, path: Path, robot: str) -> None:
    """Write P2's tables and fits of a table of turns as one HTML file."""
    _write(path, f"Turns (P2): {robot}", turn_panels(turns), turn_sections(turns))


def write_single_fit_page(fit: Fit, path: Path, robot: str) -> None:
    """Write a fit that had no rival as one HTML file."""
    panels = [residual_panel(left) for left in fit.residuals]
    _write(path, f"Identified: {fit.family}, {robot}", panels, single_fit_sections(fit))


def _write(path: Path, title: str, panels: Sequence[Panel], sections: Sequence[str]) -> None:
    extras = PageExtras(stage=wrap_sections(sections), style=STYLE)
    write_atomically(path, compose_page({}, title, panels=panels, extras=extras))


def _metrics(found: Identification, name: str) -> list[Metric]:
    fit = found.fits.get(name)
    if fit is None:
        return [Metric("rows", float(len(found.record.time)), "1")]
    hold = fit.hold_out
    return [
        *(Metric(f"position error after {h:g} s", e, "m") for h, e in hold.position.items()),
        *(Metric(f"heading error after {h:g} s", e, "rad") for h, e in hold.heading.items()),
    ]


def fit_panels(
    found: Identification, runs: dict[str, Log], turns: TurningTables | None
) -> tuple[Panel, ...]:
    """Return the figures of an identification."""
    chosen = found.best_first[0]
    panels = [_plan(found, runs), _error_panel(found)]
    panels += [residual_panel(left) for left in chosen.residuals]
    panels += [] if turns is None else turn_panels(turns)
    return tuple(panel for panel in panels if panel is not None)


def _plan(found: Identification, runs: dict[str, Log]) -> Panel | None:
    record = found.record
    if record.steady:
        return _steady(found)
    if record.observation.kind not in ("pose", "position"):
        return None
    x, y = record.observation.values[:2]
    rows = _thin(x.size)
    lines = [Series(name="log", x=x[rows], y=y[rows], colour=line_colour(0), dots=True)]
    colours = _colours(found)
    for name, run in list(runs.items())[1:]:
        rows = _thin(len(run))
        lines.append(Series(name=name, x=run["x"][rows], y=run["y"][rows], colour=colours[name]))
    return Panel(
        key="plan", title="Path: observed, and predicted from the start without correction",
        x_label="x [m]", y_label="y [m]", series=tuple(lines), equal_axes=True,
    )  # fmt: skip


def _steady(found: Identification) -> Panel:
    """Return the yaw rate of steady states over the belts' difference, observed and predicted."""
    record = found.record
    across = record.right - record.left
    order = np.argsort(across)
    rates = {"log": (record.observation.values[2], line_colour(0))}
    colours = _colours(found)
    for fit in found.best_first:
        run = replay_fit(fit, record, found.known_robot)
        rates[fit.family] = run["yaw_rate"], colours[fit.family]
    lines = tuple(
        Series(name=name, x=across[order], y=rate[order], colour=colour, dots=True)
        for name, (rate, colour) in rates.items()
    )
    return Panel(
        key="plan", title="Yaw rate of steady states", x_label="right less left belt [m/s]",
        y_label="yaw rate [rad/s]", series=lines,
    )  # fmt: skip


def _error_panel(found: Identification) -> Panel | None:
    lines, colours = [], _colours(found)
    for fit in found.best_first:
        if errors := fit.hold_out.position or fit.hold_out.heading:
            x, y = np.array(sorted(errors.items())).T
            colour, dots = colours[fit.family], len(errors) == 1
            lines.append(Series(name=fit.family, x=x, y=y, colour=colour, dots=dots))
    if not lines:
        return None
    place = any(fit.hold_out.position for fit in found.fits.values())
    label = "m" if place else "rad"
    return Panel(
        key="hold-out", x_label="predicted time [s]", y_label=f"RMS error [{label}]",
        title=f"Error of the {'place' if place else 'heading'} on data that no fit has seen",
        series=tuple(lines),
    )  # fmt: skip


def residual_panel(left: Residuals) -> Panel:
    """Return what a fit leaves of one channel, over time."""
    rows = _thin(left.values.size)
    edge = np.array([left.time.min(), left.time.max()]) if left.time.size else np.zeros(2)
    bounds = [
        Series(name="" if sign < 0 else "±2 standard deviations", x=edge,
               y=np.full(2, 2.0 * sign * left.scale), colour=REFERENCE, dash="dashed", faint=True)
        for sign in (1.0, -1.0)
    ]  # fmt: skip
    dots = Series(name="observed less predicted", x=left.time[rows], y=left.values[rows],
                  colour=line_colour(0), dots=True)  # fmt: skip
    return Panel(
        key=f"residuals-{left.channel}", title=f"What is left of {left.channel}",
        x_label="time [s]", y_label=f"{left.channel} [{left.unit}]", series=(dots, *bounds),
        y_range=(-WIDEST * left.scale, WIDEST * left.scale),
    )  # fmt: skip


def _thin(size: int) -> NDArray[np.intp]:
    return np.arange(0, size, max(size // MOST_DOTS, 1))


def _colours(found: Identification) -> dict[str, str]:
    """Return one colour for each family, in all figures and in the replay; 0 is the log's."""
    return {f.family: line_colour(n) for n, f in enumerate(found.best_first, start=1)}


def fit_tables(found: Identification, turns: TurningTables | None) -> str:
    """Return recommendation, parameters, correlation and errors as HTML."""
    fits = found.best_first
    sentences = [
        f"Recommended is {found.recommendation.sentence}.",
        *fits[0].doubts,
        *fits[0].advice,
    ]
    sentences += [f"{name} was not fitted: {why}" for name, why in found.failures.items()]
    parts = [f'<section class="wide"><h2>What to use</h2>{_paragraphs(sentences)}</section>']
    parts += [_section(f"{f.family}: {f.status}", _parameters(f)) for f in fits if f.parameters]
    if fits[0].parameters:
        parts.append(_section(f"Correlation, {fits[0].family}", _matrix(fits[0]), "matrix wide"))
    parts.append(_section("Errors on data that no fit has seen", _error_table(found), "wide"))
    parts += turn_sections(turns) if turns is not None else []
    return wrap_sections(parts)


def single_fit_sections(fit: Fit) -> list[str]:
    """Return parameters, correlation and advice of one fit as sections of a page."""
    words = [*fit.doubts, *fit.advice]
    if fit.hold_out.quantity == "force":
        words.append(f"Error of forces that were held out: {_number(fit.hold_out.score)} N.")
    parameters = f'<div class="scroll">{_parameters(fit)}</div>{_paragraphs(words)}'
    return [
        f"<section><h2>{escape(f'{fit.family}: {fit.status}')}</h2>{parameters}</section>",
        _section("Correlation", _matrix(fit), "matrix wide"),
    ]


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def turn_sections(turns: TurningTables) -> list[str]:
    """Return P2's tables as sections of a page."""
    found = []
    for table in turn_tables(turns):
        cells = _table(table.heads, [[escape(cell) for cell in row] for row in table.rows])
        found.append(_section(table.title, cells + _paragraphs(table.lines), "wide"))
    return found


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


def _error_table(found: Identification) -> str:
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
