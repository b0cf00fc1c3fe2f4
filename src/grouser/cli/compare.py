"""`grouser compare`: several models on one course, or two logs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser import interrupts
from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    FOREIGN,
    NO_OPTIONS,
    Flag,
    ModelNames,
    ModelReference,
    OutFile,
    OutFolder,
    ScenarioOptions,
    options,
    refuses,
)
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal, name_logs, show_progress
from grouser.errors import InvalidLog, InvalidValue, UnknownName
from grouser.units import split_unit

if TYPE_CHECKING:
    from grouser.cli.kept_logs import KeptLogs
    from grouser.cli.output import Output
    from grouser.description import Course, Robot
    from grouser.log import Comparison, Log
    from grouser.report import Metric, TextTable
    from grouser.scenario import Scenario
    from grouser.scenario.run import Loaded


@options
class CompareOptions:
    """What is compared, and what is written."""

    models: ModelNames = ()
    """Models to compare; all that can drive the course if not given."""
    lead: ModelReference | None = None
    """The model that the driver drives; the first of --models if not given."""
    closed_loop: Flag = False
    """Give each model a driver of its own; if not given, all follow the belt speed commands of the
    first model's driver."""
    column_map: Annotated[Path | None, FOREIGN] = None
    """TOML column map of the second log, if that is a CSV file of another program."""
    plot: OutFile | None = None
    """Plot to write, .html, .png or .svg; out/compare-ROBOT-COURSE.html if not given, none for two
    logs."""
    out: OutFolder | None = None
    """Folder for the logs MODEL.csv; out/compare-ROBOT-COURSE if not given."""


LogFiles = Annotated[
    Path,
    Parameter(
        name="LOG",
        help="Two log files to compare instead of models, the second is the reference; or one "
        "scenario file, .toml, to run with several models.",
    ),
]


@refuses("models to compare are given as --models and --lead", "model")
def compare(
    *logs: LogFiles,
    options: ScenarioOptions = NO_OPTIONS,
    given: CompareOptions = CompareOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Drive one course with several models, or take two logs, and print when they diverge.

    Without a scenario file and options: robot tp100, course behaviour-2, driver follow. Logs are
    kept as they come: after an interrupt, the same command continues.
    """
    from grouser.cli.kept_logs import KeptLogs
    from grouser.cli.output import PLOTS, claim_optional, claim_output
    from grouser.log import name_file

    overwrite, out_dir, column_map = results.overwrite, given.out, given.column_map
    plot_file = claim_optional("--plot", given.plot, overwrite=overwrite, suffixes=PLOTS)
    file = logs[0] if len(logs) == 1 and logs[0].suffix == ".toml" else None
    if logs and file is None:
        if given.models or given.lead or given.closed_loop or out_dir:
            raise InvalidValue("compare", "both", "have either two logs or --models")
        return compare_logs(logs, column_map, plot_file, as_json=results.as_json)
    if column_map is not None:
        raise InvalidValue("--map", str(column_map), "come with two logs, the second foreign")
    scenario = options.scenario(file, course="behaviour-2")
    asked = choose_models(scenario.course.load_course(), given.models, given.lead)
    first = options.load(scenario.vary(model=asked[0]))
    repeated = find_repeated_models(asked, first.robot)
    chosen = [model for model in asked if model not in repeated]
    name = f"compare-{first.robot.name}-{first.course.name}"
    page = Path("out") / name_file(name, ".html")
    plot_file = plot_file or claim_output("--plot", None, page, overwrite=overwrite, suffixes=PLOTS)
    usual, closed_loop = Path("out") / name_file(name, ""), given.closed_loop
    keys = {model: _key(model, first, closed_loop=closed_loop) for model in chosen}
    kept = KeptLogs.claim("--out", out_dir, usual, keys.values(), overwrite=overwrite)
    runs = run_models(
        scenario, keys, first, kept, closed_loop=closed_loop, dump_folder=out_dir or Path("out")
    )
    found = dict(runs)
    if any(log.provenance.status == "interrupted" for log in found.values()):
        words = f"the logs of what was done are in {kept.folder}, and the same command continues"
        Terminal().remark(f"grouser: interrupted; {words}")
        return INTERRUPTED
    files = {model: kept.path(key) for model, key in keys.items()}
    shown = Compared(first=first, repeated=repeated, closed_loop=closed_loop)
    code = compare_models(found, shown, plot_file, files, results)
    kept.finish()
    return code


def _key(model: str, first: Loaded, *, closed_loop: bool) -> str:
    """Return the name of a run, with a hash of all that its log depends on."""
    from grouser.models import make_model
    from grouser.sources import package_source
    from grouser.tasks import content_hash

    parts = package_source(), make_model(model).computed_by, first.scenario.content_hash
    return f"{model} ({content_hash(*parts, closed_loop)})"


THRESHOLDS = (0.01, 0.05, 0.10)
"""Position gaps whose first time is reported [m]."""


def compare_logs(
    files: Sequence[Path], column_map: Path | None, output: Output | None, *, as_json: bool
) -> int:
    """Print the gaps between two logs, and return the exit code."""
    from grouser.log import NEEDED, compare_commands, read_foreign, read_log
    from grouser.log import compare as measure_gaps
    from grouser.report import write_report

    if len(files) != 2:
        found = ", ".join(map(str, files))
        raise InvalidValue("logs to compare", found, "be two, the second of them the reference")
    log = read_log(files[0], needs=NEEDED, rows=1)
    if column_map is None:
        reference = read_log(files[1], needs=NEEDED, rows=1)
    else:
        reference = read_foreign(files[1], column_map)
    terminal = Terminal()
    try:
        comparison = measure_gaps(log, reference)
    except (InvalidValue, UnknownName) as error:
        raise InvalidLog(f"{files[0]} and {files[1]}", f"cannot be compared: {error}") from error
    commands = compare_commands(log, reference)
    numbers = comparison.to_dict() | _divergence_times(comparison)
    names = name_logs(files)
    runs, plot = {names[1]: reference, names[0]: log}, None
    if output is not None:
        plot = output.write(lambda path: write_report(runs, path))
    if as_json:
        content = {"log": files[0], "reference": files[1], "plot": plot}
        difference = None if commands is None else commands.difference
        terminal.json(content | numbers | {"commands_differ_by_m_s": difference})
        return DONE
    terminal.heading(f"{names[0]} against {names[1]}")
    terminal.metrics(_metric(key, value) for key, value in numbers.items() if key[:4] != "mse_")
    if commands is not None and commands.differ:
        terminal.remark(f"warning: {commands.sentence}")
    if plot is not None:
        terminal.line(f"plot: {plot}")
    return DONE


def _divergence_times(comparison: Comparison) -> dict[str, float | None]:
    """Return by key when a run was first farther away than each threshold; None for never [s]."""
    from grouser.report import find_divergences

    return {
        f"diverged_by_{100 * found.threshold:g}_cm_at_s": found.time
        for found in find_divergences(comparison, THRESHOLDS)
    }


def _metric(key: str, value: float | None) -> Metric:
    """Return a number whose key spells its unit, to be printed."""
    from grouser.report import Metric

    name, unit = split_unit(key)
    return Metric(name.replace("_", " "), value, unit)


def choose_models(course: Course, models: Sequence[str], lead: str | None) -> list[str]:
    """Return references of the models to compare, the leading one first.

    Raises:
        InvalidValue: There are not at least two different models.
        UnknownName: One of the models does not exist.
    """
    from grouser.models import able_models, make_model

    chosen = list(models or able_models(course))
    if lead is not None:
        chosen = [lead, *(model for model in chosen if model != lead)]
    if len(chosen) < 2 or len(set(chosen)) < len(chosen):
        found = ", ".join(chosen) or "none"
        example = "parameters count, as in slip and slip:step_mode=paper"
        raise InvalidValue("--models", found, f"be two different ones or more, {example}")
    for model in chosen:
        make_model(model)  # check all names before the first run
    return chosen


def find_repeated_models(models: Sequence[str], robot: Robot) -> dict[str, str]:
    """Return references of models that compute the same as an earlier one, with a sentence."""
    from grouser.models import find_repeated, make_model

    return find_repeated({name: make_model(name) for name in models}, robot)


def run_models(
    scenario: Scenario,
    keys: Mapping[str, str],
    first: Loaded,
    kept: KeptLogs,
    *,
    closed_loop: bool,
    dump_folder: Path,
) -> Iterator[tuple[str, Log]]:
    """Run one model after the other; after an interrupt, the current one is the last.

    Args:
        scenario: What to run.
        keys: References of the models, and by which their logs are kept.
        first: The scenario with the first of them.
        kept: Logs of models that have run before, and where new ones go.
        closed_loop: Whether each has a driver; if not, all follow the commands of the first.
        dump_folder: Where a run that is no longer finite is written.
    """
    from grouser.scenario import Part, run

    lead: Log | None = None
    for model, key in keys.items():
        if (log := kept.find(key)) is not None:
            lead = lead or log
            yield model, log
            continue
        loaded = first
        if lead is not None and closed_loop:
            loaded = scenario.vary(model=model).load()
        elif lead is not None:
            driver = Part(name=f"replay of {lead.provenance.model}")
            loaded = scenario.vary(model=model, driver=driver).load(lead)
        with interrupts.held():
            with show_progress(Terminal(), model) as show:
                log = run(loaded, on_progress=show, dump_folder=dump_folder).log
            kept.keep(key, model, log)
        lead = lead or log
        yield model, log
        if log.provenance.status == "interrupted":
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What several models were run on, and which of them were left out."""

    first: Loaded
    """The scenario with the first of them."""
    repeated: Mapping[str, str]
    """Models that were left out as they compute the same as another one, with a sentence."""
    closed_loop: bool
    """Whether each had a driver of its own."""


def compare_models(
    logs: Mapping[str, Log],
    shown: Compared,
    plot_output: Output,
    files: Mapping[str, Path],
    results: ResultOptions,
) -> int:
    """Write a plot of all models, print where they diverge; return the exit code."""
    from grouser.report import write_report

    terminal, (lead, *_), first = Terminal(), logs, shown.first
    rows = {model: _row(log, logs[lead]) for model, log in logs.items()}
    tables = _tables(rows, shown)
    plot = plot_output.write(lambda path: write_report(logs, path, first.course, tables=tables))
    if results.as_json:
        found = {
            "lead": lead, "closed_loop": shown.closed_loop, "repeated": shown.repeated,
            "plot": plot,
        }  # fmt: skip
        terminal.json(_content(first, found, files, rows))
        return DONE
    terminal.heading(f"{first.robot.name} on {first.course.name}, driver {first.driver_name}")
    if shown.closed_loop:
        terminal.line(f"each model has a driver of its own; gaps are to {lead}")
    else:
        terminal.line(f"{lead} is driven, the others get its commands; gaps are to {lead}")
    _print(rows, terminal)
    terminal.tables(tables)
    terminal.line(f"logs: {files[lead].parent}")
    terminal.line(f"plot: {plot}")
    return DONE


def _tables(rows: Mapping[str, Mapping[str, Any]], shown: Compared) -> tuple[TextTable, TextTable]:
    """Return what decides how each model turns, and what all of them assume."""
    from grouser.cli.assumed import assumption_table, turning_table
    from grouser.models import make_model

    models, first = {name: make_model(name) for name in rows}, shown.first
    yaws = {name: float(row["final_yaw_rad"]) for name, row in rows.items()}
    turns = turning_table(models, first.robot, first.course, yaws)
    return (
        replace(turns, lines=(*turns.lines, *shown.repeated.values())),
        assumption_table(models, first.robot, first.course),
    )


def _content(
    first: Loaded,
    found: Mapping[str, Any],
    files: Mapping[str, Path],
    rows: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    return {
        "robot": first.robot.name,
        "course": first.course.name,
        "course_parameters": first.course.parameters,
        "driver": first.driver_name,
        **found,
        "models": [
            {"model": model, "log": files[model], **row, **_assumed(model, first)}
            for model, row in rows.items()
        ],
    }


def _assumed(name: str, first: Loaded) -> dict[str, Any]:
    from grouser.models import find_assumptions, find_turning_basis, make_model

    model = make_model(name)
    width, words = find_turning_basis(model, first.robot, first.course)
    found = find_assumptions(model, first.robot, first.course)
    return {
        "turning_width_m": width,
        "turning_decided_by": words,
        "assumptions": [assumption.to_dict() for assumption in found],
    }


def _row(log: Log, lead: Log) -> dict[str, Any]:
    from grouser.report.measure import compare_runs

    comparison = None if log is lead else compare_runs(log, lead)
    row: dict[str, float | None] = {
        "final_x_m": float(log["x"][-1]),
        "final_y_m": float(log["y"][-1]),
        "final_yaw_rad": float(log["yaw"][-1]),
        "final_gap_m": comparison.position.final if comparison else None,
        "largest_gap_m": comparison.position.max if comparison else None,
    }
    return row | (_divergence_times(comparison) if comparison else {})


def _print(rows: Mapping[str, Mapping[str, Any]], terminal: Terminal) -> None:
    heads = [f"diverged by {100 * threshold:g} cm" for threshold in THRESHOLDS]
    headings = ("model", "final x", "y", "yaw", "final gap", "largest gap", *heads)
    cells: list[tuple[str, ...]] = []
    for number, (model, row) in enumerate(rows.items()):
        metrics = [_metric(key, value) for key, value in row.items()]
        shown = metrics[:3] if number == 0 else metrics
        texts = [metric.text for metric in shown]
        cells.append((model, *texts, *[""] * (len(headings) - 1 - len(texts))))
    terminal.table(headings, cells, numbers=range(1, len(headings)))
