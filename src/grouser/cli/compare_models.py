"""Several models on one course."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grouser.cli.compare_logs import THRESHOLDS
from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.lists import able_models
from grouser.cli.output import Output, claim_output
from grouser.cli.terminal import Terminal
from grouser.cli.trip import Trip
from grouser.errors import InvalidValue
from grouser.log import Log, write_log
from grouser.log.files import name_file
from grouser.models import make_model
from grouser.report import find_divergences, write_report
from grouser.report.measure import compare_runs
from grouser.units import format_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Who drives what."""

    trip: Trip
    """Robot, course and clock, the same for all."""
    models: tuple[str, ...]
    """References of the models, the leading one first."""
    driver: str
    """Reference of the driver."""
    closed_loop: bool
    """Whether each model has a driver of its own."""

    @classmethod
    def of(
        cls, trip: Trip, models: Sequence[str], lead: str | None, driver: str, *, closed_loop: bool
    ) -> "Contest":
        """Return the contest that the options of a command ask for.

        Raises:
            InvalidValue: There are not at least two different models.
            UnknownName: One of the models does not exist.
        """
        chosen = list(models or able_models(trip.course))
        if lead is not None:
            chosen = [lead, *(model for model in chosen if model != lead)]
        if len(chosen) < 2 or len(set(chosen)) < len(chosen):
            found = ", ".join(chosen) or "none"
            example = "parameters count, as in slip and slip:step_mode=paper"
            raise InvalidValue("--models", found, f"be two different ones or more, {example}")
        for model in chosen:
            make_model(model)  # refuses a misspelt one before anybody waits for the others
        return cls(trip=trip, models=tuple(chosen), driver=driver, closed_loop=closed_loop)

    def runs(self) -> Iterator[tuple[str, Log]]:
        """Drive one model after the other; an interrupt ends it after the log under way."""
        lead: Log | None = None
        for model in self.models:
            if lead is None or self.closed_loop:
                log = self.trip.drive(model, self.driver).log
            else:
                log = self.trip.obey(model, lead).log
            lead = lead or log
            yield model, log
            if log.provenance.status == "interrupted":
                return


def compare_models(
    contest: Contest, plot_output: Output, out_dir: Path, *, overwrite: bool, as_json: bool
) -> int:
    """Drive all models, write logs and a plot, tell where they part; return the exit code."""
    trip, terminal = contest.trip, Terminal()
    logs = dict(contest.runs())
    files = {model: _write(model, log, out_dir, overwrite=overwrite) for model, log in logs.items()}
    if any(log.provenance.status == "interrupted" for log in logs.values()):
        terminal.remark(f"grouser: interrupted; the logs of what was done are in {out_dir}")
        return INTERRUPTED
    title = f"{trip.robot.name} on {trip.course.name}, driver {contest.driver}"
    plot = plot_output.write(lambda path: write_report(logs, path, trip.course))
    rows = {model: _row(log, logs[contest.models[0]]) for model, log in logs.items()}
    if as_json:
        terminal.json(_content(contest, rows, files, plot))
        return DONE
    terminal.heading(title)
    terminal.line(_describe(contest))
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


def _describe(contest: Contest) -> str:
    lead = contest.models[0]
    if contest.closed_loop:
        return f"each model has a driver of its own; gaps are to {lead}"
    return f"{lead} is driven, the others obey the same belt speeds; gaps are to {lead}"


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


def _content(
    contest: Contest, rows: Mapping[str, Mapping[str, Any]], files: Mapping[str, Path], plot: Path
) -> dict[str, Any]:
    trip = contest.trip
    return {
        "robot": trip.robot.name,
        "course": trip.course.name,
        "course_parameters": trip.course.parameters,
        "driver": contest.driver,
        "lead": contest.models[0],
        "closed_loop": contest.closed_loop,
        "plot": plot,
        "models": [{"model": model, "log": files[model], **row} for model, row in rows.items()],
    }
