"""The report of a run with a board."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.cli.main import DIFFERENT, DONE, INTERRUPTED
from grouser.cli.output import Output
from grouser.cli.report_fusion import fused_states, is_fused, write_states
from grouser.cli.terminal import Terminal
from grouser.description import Course
from grouser.log import write_log
from grouser.report import measure_run

if TYPE_CHECKING:
    from grouser.hil.run import BoardRun, RunReport


def report_hil(
    run: "BoardRun", course: Course, *, output: Output, raw_file: Path | None, as_json: bool
) -> int:
    """Write the log, print the report, and return the exit code.

    Args:
        run: The run.
        course: Where the virtual robot drove.
        output: Where to write the log.
        raw_file: Where the raw log was written; None if nowhere.
        as_json: Whether to print JSON.
    """
    terminal, report = Terminal(), run.report
    log_file = output.write(lambda path: write_log(run.log, path))
    metrics = measure_run(run.log, course) if report.is_valid else ()
    if as_json:
        terminal.json(
            {
                "valid": report.is_valid,
                "done": run.is_done,
                "stopped": run.was_stopped,
                **asdict(report),
                "response_p99_s": _percentile(run.response_times, 99.0),
                "response_max_s": max(run.response_times, default=math.nan),
                "metrics": [asdict(metric) for metric in metrics],
                **({"fused": fused_states(run.log)} if is_fused(run.log) else {}),
                "log": log_file,
                "raw_log": raw_file,
            }
        )
    else:
        origin = run.log.provenance
        terminal.heading(f"{origin.robot} on {origin.course}, model {origin.model}, {report.link}")
        terminal.table(("link", "value"), _link_rows(run), numbers=(1,))
        if metrics:
            terminal.table(("measured", "value"), [(m.name, m.text) for m in metrics], numbers=(1,))
        if is_fused(run.log):
            write_states(terminal, fused_states(run.log))
        terminal.line(f"log: {log_file}")
        if raw_file is not None:
            terminal.line(f"raw log: {raw_file}")
    return _tell_end(terminal, run)


def _tell_end(terminal: Terminal, run: "BoardRun") -> int:
    if run.was_stopped:
        terminal.remark("grouser: stopped; the motors are off, and everything up to there is kept")
        return INTERRUPTED
    if not run.report.is_valid:
        for problem in run.report.problems:
            terminal.remark(f"not valid: {problem}")
        terminal.remark("the errors of the trajectory are not quoted")
        return DIFFERENT
    return DONE


def _link_rows(run: "BoardRun") -> list[tuple[str, str]]:
    report: RunReport = run.report
    total = max(report.states + report.missing, 1)
    return [
        ("run is valid", "yes" if report.is_valid else "NO"),
        ("firmware", report.firmware),
        ("states lost", f"{report.missing} of {total}"),
        ("states skipped", str(report.skipped)),
        ("late commands", f"{report.late} of {report.commands}"),
        ("damaged frames, host / board", f"{report.damaged} / {report.board_damaged}"),
        ("overruns of the board", str(report.overruns)),
        ("worst loop of the board", f"{report.worst_loop_us} us"),
        ("rejections, link losses, resets", f"{report.naks}, {report.losses}, {report.boots}"),
        (
            "round trip p50 / p99 / max",
            " / ".join(_ms(t) for t in (report.rtt_p50, report.rtt_p99, report.rtt_max)) + " ms",
        ),
        (
            "response time p50 / p99 / max",
            " / ".join(_ms(_percentile(run.response_times, q)) for q in (50.0, 99.0, 100.0))
            + " ms",
        ),
    ]


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2f}" if math.isfinite(seconds) else "-"


def _percentile(values: Any, percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else math.nan
