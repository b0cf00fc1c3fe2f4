"""What is written and said after a run."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grouser.cli.camera import write_states
from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.output import Output
from grouser.cli.terminal import Terminal
from grouser.cli.write_plot import write_plot
from grouser.log import Log, write_log
from grouser.report import Metric, measure_blocks, thin_run
from grouser.report.measure import fused_states, is_fused
from grouser.scenario import Run

MOST_ROWS = 50_000
"""Rows up to which a run that was streamed is read back into memory; of a longer one, only those
that a drawing needs."""


def report_run(
    result: Run, log_output: Output, plot_output: Output | None = None, *, as_json: bool = False
) -> int:
    """Write log and plot of a run, say how it went, and return the exit code.

    Args:
        result: The run.
        log_output: Where to write the log.
        plot_output: Where to write a plot; none if not given.
        as_json: Whether to write JSON.
    """
    terminal, course = Terminal(), result.loaded.course
    log = _log_to_show(result)
    origin = log.provenance
    is_whole = result.spool is None or len(log) == result.rows
    metrics = measure_blocks([log] if is_whole else result.spool.blocks(), course)  # type: ignore[union-attr]
    log_file, plot_file = _write(result, log_output), None
    if plot_output is not None:
        runs, numbers = {origin.model: log}, {origin.model: metrics}
        plot_file = plot_output.write(lambda path: write_plot(runs, path, course, numbers))
    states = _states(log)
    if as_json:
        terminal.json(_content(result, log, metrics, states, log_file, plot_file))
    else:
        title = f"{origin.robot} on {origin.course}, model {origin.model}, driver {origin.driver}"
        terminal.heading(title)
        terminal.table(("measured", "value"), [(m.name, m.text) for m in metrics], numbers=(1,))
        if states:
            write_states(terminal, states)
        terminal.line(f"log: {log_file}")
        if plot_file is not None:
            terminal.line(f"plot: {plot_file}")
        _remark_pace(result, terminal)
    return _remark_end(result, log, log_file, terminal)


def _log_to_show(result: Run) -> Log:
    spool = result.spool
    if spool is None or result.is_annotated or result.rows <= MOST_ROWS:
        return result.log
    return thin_run(spool.blocks(), len(spool))


def _write(result: Run, output: Output) -> Path:
    """Write the whole log; return where it is."""
    if result.spool is not None and not result.is_annotated:
        return output.write_spool(result.spool)
    found = output.write(lambda path: write_log(result.log, path))
    if result.spool is not None:
        result.spool.close(remove=True)
    return found


def _states(log: Log) -> dict[str, dict[str, Any]]:
    """Return what a filter found by the end; nothing where none ran."""
    return fused_states(log) if is_fused(log) else {}


def _content(
    result: Run,
    log: Log,
    metrics: Iterable[Metric],
    states: dict[str, dict[str, Any]],
    log_file: Path,
    plot_file: Path | None,
) -> dict[str, Any]:
    origin, pace = log.provenance, result.pace
    return {
        "robot": origin.robot,
        "course": origin.course,
        "course_parameters": origin.course_parameters,
        "model": origin.model,
        "model_parameters": origin.model_parameters,
        "driver": origin.driver,
        "status": origin.status,
        "done": result.is_done,
        "ending": result.ending,
        "log": log_file,
        "plot": plot_file,
        "metrics": [asdict(metric) for metric in metrics],
        **({"states": states} if states else {}),
        "late_ticks": pace.late_ticks if pace else None,
        "worst_lateness_s": pace.worst_lateness if pace else None,
    }


def _remark_pace(result: Run, terminal: Terminal) -> None:
    pace = result.pace
    if pace is not None:
        terminal.remark(
            f"{pace.late_ticks} of {result.rows - 1} ticks began late, "
            f"the worst by {1e3 * pace.worst_lateness:.3g} ms"
        )


def _remark_end(result: Run, log: Log, log_file: Path, terminal: Terminal) -> int:
    """Say how the run ended, unless the driver was done; return the exit code."""
    if result.status == "interrupted":
        terminal.remark(
            f"grouser: interrupted at {log.duration:.6g} s; "
            f"the log of what was done is in {log_file}"
        )
        return INTERRUPTED
    if result.ending == "stuck":
        stop = result.loaded.scenario.stop
        terminal.remark(
            f"stopped at {log.duration:.6g} s: no progress for {stop.stuck_after:.6g} s"
        )
    elif result.ending == "tipped":
        terminal.remark(f"stopped at {log.duration:.6g} s: the robot tipped over")
    elif not result.is_done:
        terminal.remark(
            f"stopped at {result.limit:.6g} s, before the end of the path; "
            "a longer --duration lets it go on"
        )
    return DONE
