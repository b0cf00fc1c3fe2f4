"""A page about an identification: 3D replay, tables, figures."""

from importlib.util import find_spec
from pathlib import Path

from grouser.cli.fit_panels import best_first, fit_panels, residual_panel, turn_panels
from grouser.cli.fit_tables import (
    STYLE,
    fit_tables,
    single_fit_sections,
    turn_sections,
    wrap_sections,
)
from grouser.identify import Fit, Identification
from grouser.identify.prediction import replay_fit
from grouser.identify.record import UNITS, Record
from grouser.identify.turning_tables import TurningTables
from grouser.log import Column, Log
from grouser.report import Metric, PageExtras, compose_page
from grouser.storage import write_atomically

BESIDE_REPLAY = """
@media (min-width: 1000px) {
  body { grid-template: "title title" auto "fits fits" auto "stage figures" auto
         "stage tables" 1fr / minmax(0, 1.25fr) minmax(0, 1fr); }
  .fits { grid-area: fits; }
}
"""
"""Where the tables are on a page with a replay: between title and scene."""


def write_fit_page(
    found: Identification, log: Log, path: Path, turns: TurningTables | None = None
) -> None:
    """Write one HTML file: in 3D where poses, a robot and the viewer are there.

    Args:
        found: What was found.
        log: The first log that it was found in.
        path: Where to write.
        turns: P2's tables, if there are.

    Raises:
        InvalidValue: The place is not writable.
        MissingExtra: plotly is not installed.
    """
    record = found.records[0]
    fits = best_first(found)
    runs = {"log": log}
    if not record.steady:
        for fit in fits:
            runs[fit.family] = replay_fit(fit, record, found.known_robot, found.records)
    panels = fit_panels(found, runs, turns)
    title = f"Identified: {fits[0].family}"
    if found.known_robot.robot is not None:
        title += f", {found.known_robot.robot.name}"
    metrics = {name: _metrics(found, name) for name in runs}
    tables = fit_tables(found, turns)
    in_3d = found.known_robot.robot is not None and record.observation.kind == "pose"
    if in_3d and not record.steady and find_spec("viser") is not None:
        from grouser.viewer.replay_page import write_replay

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
    """Write P2's tables and fits of a table of turns as one HTML file.

    Args:
        turns: What was found.
        path: Where to write.
        robot: Its name.
    """
    extras = PageExtras(stage=wrap_sections(turn_sections(turns)), style=STYLE)
    page = compose_page({}, f"Turns (P2): {robot}", panels=turn_panels(turns), extras=extras)
    write_atomically(path, page)


def write_single_fit_page(fit: Fit, path: Path, robot: str) -> None:
    """Write a fit that had no rival as one HTML file.

    Args:
        fit: What was found.
        path: Where to write.
        robot: Its name.
    """
    panels = [residual_panel(left) for left in fit.residuals]
    extras = PageExtras(stage=wrap_sections(single_fit_sections(fit)), style=STYLE)
    title = f"Identified: {fit.family}, {robot}"
    write_atomically(path, compose_page({}, title, panels=panels, extras=extras))


def _metrics(found: Identification, name: str) -> list[Metric]:
    fit = found.fits.get(name)
    if fit is None:
        record = found.records[0]
        return [Metric("rows", float(len(record.time)), "1")]
    hold = fit.hold_out
    return [
        *(Metric(f"position error after {h:g} s", e, "m") for h, e in hold.position.items()),
        *(Metric(f"heading error after {h:g} s", e, "rad") for h, e in hold.heading.items()),
    ]
