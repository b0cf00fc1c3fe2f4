"""Several models on one course."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grouser.cli.compare_logs import THRESHOLDS
from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.lists import able_models
from grouser.cli.output import Output, claim_output
from grouser.cli.terminal import Terminal, show_progress
from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.log import Log, write_log
from grouser.log.files import name_file
from grouser.models import make_model
from grouser.report import find_divergences, write_report
from grouser.report.measure import compare_runs
from grouser.scenario import Part, Scenario, run
from grouser.scenario.loaded import Loaded
from grouser.units import format_number


def choose_models(course: Course, models: Sequence[str], lead: str | None) -> list[str]:
    """Return references of the models to compare, the leading one first.

    Raises:
        InvalidValue: There are not at least two different models.
        UnknownName: One of the models does not exist.
    """
    chosen = list(models or able_models(course))
    if lead is not None:
        chosen = [lead, *(model for model in chosen if model != lead)]
    if len(chosen) < 2 or len(set(chosen)) < len(chosen):
        found = ", ".join(chosen) or "none"
        example = "parameters count, as in slip and slip:step_mode=paper"
        raise InvalidValue("--models", found, f"be two different ones or more, {example}")
    for model in chosen:
        make_model(model)  # a misspelt one is found before anybody waits for the others
    return chosen


def run_models(
    scenario: Scenario,
    models: Sequence[str],
    first: Loaded,
    *,
    closed_loop: bool,
    dump_folder: Path,
) -> Iterator[tuple[str, Log]]:
    """Run one model after the other; an interrupt ends it after the log under way.

    Args:
        scenario: What to run.
        models: References of the models.
        first: The scenario with the first of them.
        closed_loop: Whether each has a driver; if not, all follow the commands of the first.
        dump_folder: Where a run that is no longer finite is written.
    """
    lead: Log | None = None
    for model in models:
        loaded = first
        if lead is not None and closed_loop:
            loaded = scenario.vary(model=model).load()
        elif lead is not None:
            driver = Part(name=f"replay of {lead.provenance.model}")
            loaded = scenario.vary(model=model, driver=driver).load(lead)
        with show_progress(Terminal(), model) as show:
            log = run(loaded, on_progress=show, dump_folder=dump_folder).log
        lead = lead or log
        yield model, log
        if log.provenance.status == "interrupted":
            return


def compare_models(
    logs: Mapping[str, Log],
    first: Loaded,
    plot_output: Output,
    out_dir: Path,
    *,
    closed_loop: bool,
    overwrite: bool,
    as_json: bool,
) -> int:
    """Write logs and a plot of all models, say where they diverge; return the exit code."""
    terminal, (lead, *_) = Terminal(), logs
    files = {model: _write(model, log, out_dir, overwrite=overwrite) for model, log in logs.items()}
    if any(log.provenance.status == "interrupted" for log in logs.values()):
        terminal.remark(f"grouser: interrupted; the logs of what was done are in {out_dir}")
        return INTERRUPTED
    plot = plot_output.write(lambda path: write_report(logs, path, first.course))
    rows = {model: _row(log, logs[lead]) for model, log in logs.items()}
    if as_json:
        content = {
            "robot": first.robot.name,
            "course": first.course.name,
            "course_parameters": first.course.parameters,
            "driver": first.driver_name,
            "lead": lead,
            "closed_loop": closed_loop,
            "plot": plot,
            "models": [{"model": model, "log": files[model], **row} for model, row in rows.items()],
        }
        terminal.json(content)
        return DONE
    terminal.heading(f"{first.robot.name} on {first.course.name}, driver {first.driver_name}")
    if closed_loop:
        terminal.line(f"each model has a driver of its own; gaps are to {lead}")
    else:
        terminal.line(f"{lead} is driven, the others obey the same belt speeds; gaps are to {lead}")
    _print(rows, terminal)
    terminal.line(f"logs: {out_dir}")
    terminal.line(f"plot: {plot}")
    return DONE


def _write(model: str, log: Log, folder: Path, *, overwrite: bool) -> Path:
    usual = folder / name_file(model, ".csv")
    output = claim_output("--out-dir", None, usual, overwrite=overwrite)
    return output.write(lambda path: write_log(log, path))


def _row(log: Log, lead: Log) -> dict[str, Any]:
    comparison = None if log is lead else compare_runs(log, lead)
    row: dict[str, Any] = {
        "final_x_m": float(log["x"][-1]),
        "final_y_m": float(log["y"][-1]),
        "final_yaw_rad": float(log["yaw"][-1]),
        "final_gap_m": comparison.position.final if comparison else None,
        "largest_gap_m": comparison.position.max if comparison else None,
    }
    partings = find_divergences(comparison, THRESHOLDS) if comparison else ()
    return row | {
        f"parted_by_{100 * parting.threshold:g}_cm_at_s": parting.time for parting in partings
    }


def _print(rows: Mapping[str, Mapping[str, Any]], terminal: Terminal) -> None:
    gaps = [f"{100 * threshold:g} cm at s" for threshold in THRESHOLDS]
    headings = ("model", "x m", "y m", "yaw rad", "final gap m", "largest gap m", *gaps)
    cells: list[tuple[str, ...]] = []
    for number, (model, row) in enumerate(rows.items()):
        pose, (final, largest, *times) = list(row.values())[:3], [*row.values()][3:]
        parting = ["never" if time is None else f"{time:.2f}" for time in times]
        gap = ["", ""] if number == 0 else [format_number(final), format_number(largest)]
        parting = [""] * len(THRESHOLDS) if number == 0 else parting
        cells.append((model, *(f"{value:.3f}" for value in pose), *gap, *parting))
    terminal.table(headings, cells, numbers=range(1, len(headings)))
