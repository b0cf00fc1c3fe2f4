"""A sweep: drive, draw, tell."""

from pathlib import Path

import numpy as np

from grouser.cli.main import DONE, INTERRUPTED
from grouser.cli.sweeps.maps import SweepMap
from grouser.cli.sweeps.outcome import Outcome, find_outcome
from grouser.cli.sweeps.sweep_tasks import sweep_tasks
from grouser.cli.terminal import Terminal, format_number
from grouser.cli.watch_tasks import watch_tasks
from grouser.models import make_model
from grouser.report import Heat, Panel, write_map
from grouser.spread import Crew, spread
from grouser.version import VERSION


def report_sweep(chosen: SweepMap, crew: Crew, out_dir: Path, *, as_json: bool) -> int:
    """Drive at each point, write the map as page and picture, print it; return the exit code."""
    outcome = find_outcome(chosen.outcome, chosen.experiment)
    tasks = sweep_tasks(chosen)
    file = out_dir / "results.json"
    try:
        with watch_tasks("drives") as tell:
            found = dict(spread(tasks, crew, file=file, what="results of a sweep", tell=tell))
    except KeyboardInterrupt:
        Terminal().remark(f"grouser: interrupted; the same command goes on from {file}")
        return INTERRUPTED
    shape = len(chosen.y.values), len(chosen.x.values)
    values = np.array([found[task.name][chosen.outcome] for task in tasks]).reshape(shape)
    panel, facts = _draw(chosen, outcome, values), _facts(chosen, outcome)
    plots = [out_dir / f"map.{suffix}" for suffix in ("html", "png")]
    for plot in plots:
        write_map(panel, plot, facts)
    terminal = Terminal()
    if as_json:
        terminal.json(_content(chosen, values, plots, file))
        return DONE
    terminal.heading(panel.title)
    _print(chosen, outcome, values, terminal)
    terminal.line(f"map: {plots[0]}, {plots[1]}; results: {file}")
    return DONE


def _draw(chosen: SweepMap, outcome: Outcome, values: np.ndarray) -> Panel:
    setting = chosen.setting
    title = chosen.title or f"{setting.robot} on {setting.course}, {setting.model}: {outcome.title}"
    x, y = np.array(chosen.x.places), np.array(chosen.y.places)
    half = 0.5 * (y[1] - y[0]), 0.5 * (y[-1] - y[-2])
    return Panel(
        key="map",
        title=title,
        x_label=chosen.x.title,
        y_label=chosen.y.title,
        series=chosen.lines,
        marks=chosen.marks,
        y_range=(float(y[0] - half[0]), float(y[-1] + half[1])),
        heat=Heat(x=x, y=y, values=values, title=outcome.title, names=outcome.names),
    )


def _facts(chosen: SweepMap, outcome: Outcome) -> dict[str, str]:
    setting = chosen.setting
    climb = "P4's attempt at a step (see grouser.papers.p4.step_climbing)"
    return {
        "robot": setting.robot,
        "course": setting.course,
        "model": f"{setting.model} ({make_model(setting.model).engine or 'no engine'})",
        "driver": climb if chosen.experiment == "climb" else setting.drive,
        "flippers": ", ".join(f"{key} {value:g}" for key, value in setting.flippers.items())
        or "at rest, but for what is varied",
        "shown": outcome.title,
        "grouser": VERSION,
    }


def _print(chosen: SweepMap, outcome: Outcome, values: np.ndarray, terminal: Terminal) -> None:
    """Print rows from the highest y down, as on the map."""

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


def _content(
    chosen: SweepMap, values: np.ndarray, plots: list[Path], file: Path
) -> dict[str, object]:
    axes = {
        name: {"key": axis.key, "values": axis.values, "label": axis.title, "shown": axis.places}
        for name, axis in (("x", chosen.x), ("y", chosen.y))
    }
    return {
        **axes,
        "setting": chosen.setting.content(),
        "outcome": chosen.outcome,
        "rows": values.tolist(),
        "maps": plots,
        "results": file,
    }
