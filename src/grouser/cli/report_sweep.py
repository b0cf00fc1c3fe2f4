"""A sweep: drive, draw, tell."""

from pathlib import Path

import numpy as np

from grouser.cli.main import DONE, INTERRUPTED
from grouser.cli.output import FolderOutput
from grouser.cli.terminal import Terminal, format_number
from grouser.cli.watch_tasks import watch_tasks
from grouser.extras import require_extra
from grouser.report import write_map
from grouser.sweep import SweepMap, draw_map, map_facts, run_sweep
from grouser.tasks import Workers


def report_sweep(
    chosen: SweepMap, workers: Workers, out_dir: FolderOutput, *, as_json: bool
) -> int:
    """Drive at each point, write the map as page and picture, print it; return the exit code."""
    require_extra("a map", "plots", "plotly", "matplotlib")
    file = out_dir.path / "results.json"
    outputs = [out_dir.claim(f"map.{suffix}") for suffix in ("html", "png")]
    try:
        with watch_tasks("drives") as tell:
            values = run_sweep(chosen, workers, file, tell)
    except KeyboardInterrupt:
        Terminal().remark(f"grouser: interrupted; the same command goes on from {file}")
        return INTERRUPTED
    panel, facts = draw_map(chosen, values), map_facts(chosen)
    plots = [output.write(lambda path: write_map(panel, path, facts)) for output in outputs]
    terminal = Terminal()
    if as_json:
        terminal.json(_content(chosen, values, plots, file))
        return DONE
    terminal.heading(panel.title)
    _print(chosen, values, terminal)
    terminal.line(f"map: {plots[0]}, {plots[1]}; results: {file}")
    return DONE


def _print(chosen: SweepMap, values: np.ndarray, terminal: Terminal) -> None:
    """Print rows from the highest y down, as on the map."""
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
