"""`grouser sweep`: a map over two parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    NO_OPTIONS,
    Json,
    Name,
    OutFolder,
    Overwrite,
    ScenarioOptions,
    options,
)
from grouser.cli.shared_options import WorkerOptions
from grouser.cli.terminal import Terminal, watch_tasks
from grouser.extras import require_extra
from grouser.units import format_number

if TYPE_CHECKING:
    import numpy as np

    from grouser import tasks
    from grouser.cli.output import FolderOutput
    from grouser.sweep import Sweep


MapName = Annotated[
    str | None,
    Parameter(
        name="MAP|FILE",
        help="A ready-made map: step (height of a step x angle of flippers, with P4's outcomes), "
        "slope (slope x friction), stairs (pitch of stairs x speed); or a scenario file. Options "
        "change it. Without either: robot tp100, course flat, model csm, driver follow.",
    ),
]
AxisWord = Annotated[
    str | None,
    Parameter(
        metavar="KEY=FROM:TO:STEP",
        help="A number and its values, also as KEY=VALUE,VALUE,... The key begins with robot., "
        "course., model., driver., flippers. or variation., as in course.height_m=0.05:0.3:0.05, "
        "robot.body.mass_kg=20:40:5, drive.speed=0.1,0.2 or flippers.front_raised_deg=0:60:15.",
    ),
]


@options
class SweepOptions:
    """What a map shows, and where it goes."""

    outcome: Name | None = None
    """What the map shows: reached, progress, away, duration, travelled, height, pitch, roll,
    upright, slip, error or energy; reached if not given. Another one needs no new runs."""
    out: OutFolder | None = None
    """Where to write map.html, map.png and results.json; out/sweep-MAP if not given."""
    overwrite: Overwrite = False


def sweep(
    ready: MapName = None,
    /,
    *,
    x: AxisWord = None,
    y: AxisWord = None,
    options: ScenarioOptions = NO_OPTIONS,
    given: SweepOptions = SweepOptions(),
    work: WorkerOptions = WorkerOptions(),
    as_json: Json = False,
) -> int:
    """Vary two numbers of a scenario, run each pair, and draw a map of what the robot can do.

    Results are kept: after an interrupt, the same command continues.
    """
    from grouser.cli.output import FolderOutput
    from grouser.log import name_file
    from grouser.scenario import Scenario
    from grouser.sweep import choose_sweep

    if ready is not None and ready.endswith(".toml"):
        chosen = choose_sweep(None, x, y, options.change, Scenario.read(ready))
    else:
        chosen = choose_sweep(ready, x, y, options.change)
    if given.outcome is not None:
        chosen = replace(chosen, outcome=given.outcome, title="")
    usual = Path("out") / name_file(f"sweep-{chosen.name}", "")
    folder = FolderOutput.of("--out", given.out, usual, overwrite=given.overwrite)
    return report_sweep(chosen, work.pool(), folder, as_json=as_json)


def report_sweep(
    chosen: Sweep, workers: tasks.Workers, out_dir: FolderOutput, *, as_json: bool
) -> int:
    """Run each point, write the map as page and picture, print it; return the exit code."""
    from grouser.report import write_map
    from grouser.sweep import draw_map, map_facts, run_sweep

    require_extra("a map", "plots", "plotly", "matplotlib")
    file = out_dir.path / "results.json"
    outputs = [out_dir.claim(f"map.{suffix}") for suffix in ("html", "png")]
    try:
        with watch_tasks("runs") as show:
            values = run_sweep(chosen, workers, file, show)
    except KeyboardInterrupt:
        Terminal().remark(f"grouser: interrupted; the same command continues from {file}")
        return INTERRUPTED
    panel, facts = draw_map(chosen, values), map_facts(chosen)
    plots = [output.write(lambda path: write_map(panel, path, facts)) for output in outputs]
    terminal = Terminal()
    if as_json:
        terminal.json(_describe(chosen, values, plots, file))
        return DONE
    terminal.heading(panel.title)
    _print(chosen, values, terminal)
    terminal.line(f"map: {plots[0]}, {plots[1]}; results: {file}")
    return DONE


def _print(chosen: Sweep, values: np.ndarray, terminal: Terminal) -> None:
    """Print rows from the highest y down, as on the map."""
    import numpy as np

    outcome = chosen.find_outcome()

    def cell(value: float) -> str:
        if not np.isfinite(value):
            return "-"
        return outcome.names[int(value)] if outcome.names else format_number(float(value), 3)

    columns = [format_number(place) for place in chosen.x.places]
    rows = [
        (format_number(place), *(cell(value) for value in row))
        for place, row in zip(reversed(chosen.y.places), values[::-1], strict=True)
    ]
    terminal.line(f"across: {chosen.x.title}; down: {chosen.y.title}; shown: {outcome.title}")
    terminal.table(("", *columns), rows, numbers=range(len(columns) + 1))


def _describe(
    chosen: Sweep, values: np.ndarray, plots: list[Path], file: Path
) -> dict[str, object]:
    axes = {
        name: {"key": axis.key, "values": axis.values, "label": axis.title, "shown": axis.places}
        for name, axis in (("x", chosen.x), ("y", chosen.y))
    }
    return {
        **axes,
        "scenario": chosen.scenario.content(),
        "outcome": chosen.outcome,
        "rows": values.tolist(),
        "maps": plots,
        "results": file,
    }
