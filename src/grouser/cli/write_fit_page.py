"""A page about an identification: 3D replay, tables, figures."""

from importlib.util import find_spec
from pathlib import Path

from grouser.cli.fit_panels import best_first, fit_panels
from grouser.cli.fit_tables import STYLE, fit_tables
from grouser.identify import Identification
from grouser.identify.replay_fit import replay_fit
from grouser.identify.turning_tables import TurningTables
from grouser.log import Log, write_atomically
from grouser.report import Metric, PageExtras, compose_page

BESIDE_REPLAY = """
@media (min-width: 1000px) {
  body { grid-template: "title title" auto "fits fits" auto "stage figures" auto
         "tables tables" auto / minmax(0, 1.25fr) minmax(0, 1fr); }
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
            runs[fit.family] = replay_fit(fit, record, found.setting, found.records)
    panels = fit_panels(found, runs, turns)
    title = f"Identified: {fits[0].family}"
    if found.setting.robot is not None:
        title += f", {found.setting.robot.name}"
    metrics = {name: _metrics(found, name) for name in runs}
    tables = fit_tables(found, turns)
    in_3d = found.setting.robot is not None and record.observation.kind == "pose"
    if in_3d and not record.steady and find_spec("viser") is not None:
        from grouser.viewer.write_replay import write_replay

        write_replay(
            log, path, [runs[fits[0].family]], names=["log", fits[0].family],
            robot=found.setting.robot, course=found.setting.course, title=title,
            metrics=metrics, panels=panels, below=f"<style>{STYLE}{BESIDE_REPLAY}</style>{tables}",
        )  # fmt: skip
        return
    extras = PageExtras(stage=tables, style=STYLE)
    write_atomically(path, compose_page(runs, title, found.setting.course, metrics, panels, extras))


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
