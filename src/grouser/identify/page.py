"""The page of an identification: what to use and why, limits, parameters, what was driven."""

from collections.abc import Callable, Sequence
from pathlib import Path

from grouser.identify.fit import Fit
from grouser.identify.held_out_paths import sample_paths
from grouser.identify.identify import Identification
from grouser.identify.prediction import replay_fit
from grouser.identify.record import UNITS, Record
from grouser.identify.report_figures import (
    driven_panel,
    limit_panels,
    path_panel,
    residual_panel,
)
from grouser.identify.report_html import (
    BESIDE_REPLAY,
    STYLE,
    correlation_matrix,
    details,
    error_bars,
    paragraphs,
    section,
    small_paths,
    text_table,
    wrap_sections,
)
from grouser.identify.report_tables import (
    drive_train_table,
    driven_table,
    error_table,
    horizon_table,
    judged_table,
    limit_table,
    parameter_table,
)
from grouser.identify.summary import NOT_LIMITS, Summary, summarise
from grouser.identify.turning_page import turn_panels, turn_tables
from grouser.identify.turning_tables import TurningTables
from grouser.log import Column, Log
from grouser.report import Metric, PageExtras, Panel, TextTable, compose_page
from grouser.report.page import draw_figure, provenance_table
from grouser.storage import write_atomically


def write_fit_page(
    found: Identification,
    log: Log,
    path: Path,
    turns: TurningTables | None = None,
    write_replay: Callable[..., object] | None = None,
) -> None:
    """Write one HTML file.

    It has a replay in 3D if the log is one drive with poses, the robot is known, and `write_replay`
    is given.
    """
    record, robot = found.record, found.known_robot.robot
    summary = summarise(found)
    runs = {"log": log}
    is_one_drive = not record.steady and record.first.size == 1
    if is_one_drive:
        for fit in found.best_first:
            runs[fit.family] = replay_fit(fit, record, found.known_robot)
    panels = last_panels(summary, runs, turns)
    title = "Identified: " + (found.recommendation.family or "no family can be recommended")
    if robot is not None:
        title += f", {robot.name}"
    stage = wrap_sections(report_sections(summary, turns))
    in_3d = is_one_drive and robot is not None and record.observation.kind == "pose"
    if in_3d and write_replay is not None:
        ghost = found.best_first[0].family
        write_replay(
            _seen(log, record), path, [runs[ghost]], names=["log", ghost], robot=robot,
            course=found.known_robot.course, title=title, panels=panels,
            metrics={"log": _rows(record), ghost: _errors(found.fits[ghost])},
            below=f"<style>{STYLE}{BESIDE_REPLAY}</style>{stage}",
        )  # fmt: skip
        return
    stage += wrap_sections([_provenance(log)])
    extras = PageExtras(stage=stage, style=STYLE)
    write_atomically(path, compose_page({}, title, panels=panels, extras=extras))


def _seen(log: Log, record: Record) -> Log:
    """Return the log that holds the poses: itself, or one of what another log observed."""
    if {"x", "y", "yaw"} <= set(log):
        return log
    seen = record.observation
    rows = dict(zip(seen.channels, seen.values, strict=True))
    columns = {name: Column(values, UNITS[name]) for name, values in rows.items()}
    return Log({"time": Column(seen.time, "s"), **columns}, log.provenance)


def _provenance(log: Log) -> str:
    rows = tuple((name, *texts) for name, texts in provenance_table({"log": log}))
    table = TextTable(title="Provenance", heads=("what", "from the log"), rows=rows, words=2)
    return section(table.title, text_table(table), "wide")


def _rows(record: Record) -> list[Metric]:
    return [
        Metric("rows with belt speeds", float(record.time.size), "1"),
        Metric("rows with observations", float(record.observation.time.size), "1"),
    ]


def _errors(fit: Fit) -> list[Metric]:
    hold = fit.hold_out
    return [
        *(Metric(f"position error after {h:g} s", e, "m") for h, e in hold.position.items()),
        *(Metric(f"heading error after {h:g} s", e, "rad") for h, e in hold.heading.items()),
    ]


def write_turns_page(turns: TurningTables, path: Path, robot: str) -> None:
    """Write P2's tables and fits of a table of turns as one HTML file."""
    _write(path, f"Turns (P2): {robot}", turn_panels(turns), turn_sections(turns))


def write_single_fit_page(fit: Fit, path: Path, robot: str) -> None:
    """Write a fit that had no rival as one HTML file."""
    panels = [residual_panel(left) for left in fit.residuals]
    sections = [
        _parameters(None, fit),
        section("Correlation", correlation_matrix(fit), "wide"),
    ]
    _write(path, f"Identified: {fit.family}, {robot}", panels, sections)


def _write(path: Path, title: str, panels: Sequence[Panel], sections: Sequence[str]) -> None:
    extras = PageExtras(stage=wrap_sections(sections), style=STYLE)
    write_atomically(path, compose_page({}, title, panels=panels, extras=extras))


def last_panels(
    summary: Summary, runs: dict[str, Log], turns: TurningTables | None
) -> tuple[Panel, ...]:
    """Return the figures below the report: the path of one drive, residuals, turns."""
    found = summary.found
    path = path_panel(found, runs)
    panels = [] if path is None else [path]
    in_pieces = found.record.first.size > 1
    fit = found.best_first[0]
    panels += [residual_panel(left, in_pieces=in_pieces) for left in fit.residuals]
    return (*panels, *([] if turns is None else turn_panels(turns)))


def report_sections(summary: Summary, turns: TurningTables | None = None) -> list[str]:
    """Return the report as sections of a page, what to use first."""
    judged, errors = judged_table(summary), error_table(summary)
    found = [section("What to use", _advice(summary), "wide")]
    found.append(section(judged.title, text_table(judged)))
    bars = error_bars(summary)
    found.append(section(errors.title, bars or paragraphs(["Nothing was judged."])))
    tables = text_table(errors)
    if (by_horizon := horizon_table(summary)) is not None:
        tables += f"<h2>{by_horizon.title}</h2>{text_table(by_horizon)}"
    found.append(section("The same in numbers", tables, "wide"))
    found += _limits(summary)
    found += _paths(summary)
    found += _all_parameters(summary)
    driven = driven_table(summary)
    found.append(draw_figure(driven_panel(summary.found.record, summary.found.known_robot.gauge)))
    found.append(section(driven.title, text_table(driven)))
    return [*found, *(turn_sections(turns) if turns is not None else [])]


def _advice(summary: Summary) -> str:
    """Return recommendation, price and warnings; without a recommendation what to drive next."""
    price = [summary.price] if summary.price else []
    return (
        paragraphs([summary.sentence], "lead")
        + paragraphs(price)
        + paragraphs(summary.warnings, "warning")
        + paragraphs(summary.driven.missing() if summary.chosen is None else ())
    )


def _limits(summary: Summary) -> list[str]:
    table = limit_table(summary)
    if table is None or summary.chosen is None:
        return []
    return [
        section(table.title, text_table(table), "wide"),
        *(draw_figure(panel) for panel in limit_panels(summary.chosen)),
    ]


def _paths(summary: Summary) -> list[str]:
    fit = summary.chosen
    paths = () if fit is None else sample_paths(fit)
    if fit is None or not paths:
        return []
    words = (
        "Dots are observed, lines are predicted by a fit that had not seen the block; both begin "
        "at the circle. The sample goes evenly from the least error to the largest."
    )
    title = f"{len(paths)} of {fit.hold_out.starts} held-out predictions, {fit.family}"
    return [section(title, small_paths(paths) + paragraphs([words], "note"), "wide")]


def _all_parameters(summary: Summary) -> list[str]:
    """Return the recommended fit, and the others on demand."""
    chosen, parts = summary.chosen, []
    if (train := drive_train_table(summary)) is not None:
        parts.append(section(train.title, text_table(train), "wide"))
    if chosen is not None:
        content = text_table(parameter_table(summary, chosen)) + paragraphs([NOT_LIMITS], "note")
        if len(chosen.parameters) > 1:
            content += details("Correlation of the estimates", correlation_matrix(chosen))
        parts.append(section(f"Parameters, {parameter_table(summary, chosen).title}", content,
                             "wide"))  # fmt: skip
    others = [fit for fit in summary.found.best_first if fit is not chosen]
    if others:
        tables = [parameter_table(summary, fit) for fit in others]
        content = "".join(details(table.title, text_table(table)) for table in tables)
        title = "Parameters of the other families" if chosen else "Parameters"
        parts.append(section(title, content, "wide"))
    return parts


def _parameters(summary: Summary | None, fit: Fit) -> str:
    table = parameter_table(summary, fit)
    return section(table.title, text_table(table))


def turn_sections(turns: TurningTables) -> list[str]:
    """Return P2's tables as sections of a page."""
    return [section(table.title, text_table(table), "wide") for table in turn_tables(turns)]
