"""What is written and said after a run."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grouser.cli.camera import write_states
from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.outcome import Outcome
from grouser.cli.output import Output
from grouser.cli.terminal import Terminal
from grouser.cli.write_plot import write_plot
from grouser.description import Course
from grouser.report import Metric
from grouser.report.measure import fused_states, is_fused


def report_run(
    outcome: Outcome,
    course: Course,
    log_output: Output,
    plot_output: Output | None = None,
    *,
    as_json: bool = False,
) -> int:
    """Write log and plot of a run, tell how it went, and return the exit code.

    Args:
        outcome: The run.
        course: Where it was driven.
        log_output: Where to write the log.
        plot_output: Where to write a plot; none if not given.
        as_json: Whether a machine listens.
    """
    terminal, origin = Terminal(), outcome.log.provenance
    metrics = outcome.measure(course)
    log_file, plot_file = outcome.write(log_output), None
    title = f"{origin.robot} on {origin.course}, model {origin.model}, driver {origin.driver}"
    if plot_output is not None:
        runs, numbers = {origin.model: outcome.log}, {origin.model: metrics}
        plot_file = plot_output.write(lambda path: write_plot(runs, path, course, numbers))
    if as_json:
        terminal.json(_content(outcome, metrics, log_file, plot_file))
    else:
        terminal.heading(title)
        terminal.table(("measured", "value"), [(m.name, m.text) for m in metrics], numbers=(1,))
        if is_fused(outcome.log):
            write_states(terminal, fused_states(outcome.log))
        terminal.line(f"log: {log_file}")
        if plot_file is not None:
            terminal.line(f"plot: {plot_file}")
        _remark_pace(outcome, terminal)
    if outcome.is_interrupted:
        terminal.remark(
            f"grouser: interrupted at {outcome.log.duration:.6g} s; "
            f"the log of what was done is in {log_file}"
        )
        return INTERRUPTED
    if not outcome.is_done:
        terminal.remark(
            f"stopped at {outcome.limit:.6g} s, before the end of the path; "
            "a longer --duration lets it go on"
        )
    return DONE


def _content(
    outcome: Outcome, metrics: Iterable[Metric], log_file: Path, plot_file: Path | None
) -> dict[str, Any]:
    origin, pace = outcome.log.provenance, outcome.pace
    return {
        "robot": origin.robot,
        "course": origin.course,
        "course_parameters": origin.course_parameters,
        "model": origin.model,
        "model_parameters": origin.model_parameters,
        "driver": origin.driver,
        "status": origin.status,
        "done": outcome.is_done,
        "log": log_file,
        "plot": plot_file,
        "metrics": [asdict(metric) for metric in metrics],
        **({"states": fused_states(outcome.log)} if is_fused(outcome.log) else {}),
        "late_ticks": pace.late_ticks if pace else None,
        "worst_lateness_s": pace.worst_lateness if pace else None,
    }


def _remark_pace(outcome: Outcome, terminal: Terminal) -> None:
    pace = outcome.pace
    if pace is not None:
        terminal.remark(
            f"{pace.late_ticks} of {outcome.rows - 1} ticks began late, "
            f"the worst by {1e3 * pace.worst_lateness:.3g} ms"
        )
