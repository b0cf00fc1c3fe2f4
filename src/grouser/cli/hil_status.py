"""The state of a board run while it lasts, and its report at the end."""

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from grouser.cli.camera import write_states
from grouser.cli.exits import DIFFERENT, DONE, INTERRUPTED
from grouser.cli.output import Output
from grouser.cli.terminal import Terminal
from grouser.description import Course
from grouser.hil.board_thread import Watch, run_in_thread
from grouser.hil.conversation import Conversation
from grouser.hil.loop import LoopSnapshot, describe_faults
from grouser.hil.messages import BoardState
from grouser.hil.run import BoardRun
from grouser.log import write_log
from grouser.report import measure_run
from grouser.report.measure import fused_states, is_fused

COLOURS = {"ARMED": "bold green", "SAFE": "bold red", "IDLE": "yellow", "WAIT_HELLO": "yellow"}
"""Of the board's states."""


def draw_panel(
    title: str, snapshot: LoopSnapshot | None, conversation: Conversation | None
) -> Panel:
    """Return the newest snapshot of a run as a panel."""
    if snapshot is None or conversation is None:
        return Panel(Text("waiting for the board ..."), title=title, box=box.ROUNDED)
    return Panel(
        Group(_draw_status(snapshot), _draw_belts(snapshot), _draw_link(conversation)),
        title=title,
        subtitle="Ctrl-C stops the motors",
        box=box.ROUNDED,
    )


def _draw_status(snapshot: LoopSnapshot) -> Text:
    state, pose = snapshot.arrived.state, snapshot.motion.pose
    name = BoardState(state.state).name if state.state in list(BoardState) else str(state.state)
    text = Text(f"{snapshot.phase.value:9s} {snapshot.time:7.2f} s   board ")
    text.append(name, COLOURS.get(name, ""))
    text.append(f"   {describe_faults(state.faults)}   {state.battery_mv / 1000.0:.2f} V\n")
    text.append(
        f"virtual   x {float(pose.x):+7.3f} m  y {float(pose.y):+7.3f} m  "
        f"yaw {math.degrees(float(pose.yaw)):+7.1f} deg"
    )
    return text


def _draw_belts(snapshot: LoopSnapshot) -> Table:
    state = snapshot.arrived.state
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("belt", "commanded m/s", "measured m/s", "duty %", "counts"):
        table.add_column(heading, justify="left" if heading == "belt" else "right")
    duties, counts = (
        (state.duty_left, state.duty_right),
        (state.encoder_left, state.encoder_right),
    )
    for side, commanded, measured, duty, count in zip(
        ("left", "right"), snapshot.commanded, state.speeds, duties, counts, strict=True
    ):
        table.add_row(
            side, f"{commanded:+.3f}", f"{measured:+.3f}", f"{duty / 10:+.0f}", str(count)
        )
    return table


def _draw_link(conversation: Conversation) -> Text:
    counts, rtts = conversation.counts, conversation.clock.rtts
    rtt = f"{1e3 * rtts[-1]:.1f} ms" if rtts else "not known"
    line = (
        f"\nlink      {counts.states} states, {counts.missing} lost, {counts.late} late commands, "
        f"{conversation.frames.bad} damaged, round trip {rtt}"
    )
    return Text(
        line + ("   SILENT" if conversation.is_lost else ""), "red" if conversation.is_lost else ""
    )


def watch_board(
    drive: Callable[[Watch], BoardRun], title: str, watch: Watch, *, quiet: bool
) -> BoardRun:
    """Return the result of a run, shown in a panel while it lasts."""
    console = Terminal().err
    if quiet or not console.is_terminal:
        return run_in_thread(drive, watch, lambda: None)
    with Live(draw_panel(title, None, None), console=console, auto_refresh=False) as live:
        return run_in_thread(
            drive,
            watch,
            lambda: live.update(
                draw_panel(title, watch.snapshot, watch.conversation), refresh=True
            ),
        )


def report_hil(
    run: BoardRun, course: Course, *, output: Output, raw_file: Path | None, as_json: bool
) -> int:
    """Write the log, print how the run went and whether it is valid, and return the exit code."""
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
            terminal.metrics(metrics)
        if is_fused(run.log):
            write_states(terminal, fused_states(run.log))
        terminal.line(f"log: {log_file}")
        if raw_file is not None:
            terminal.line(f"raw log: {raw_file}")
    return _print_end(terminal, run)


def _print_end(terminal: Terminal, run: BoardRun) -> int:
    if run.was_stopped:
        terminal.remark("grouser: stopped; the motors are off, and everything up to there is kept")
        return INTERRUPTED
    if not run.report.is_valid:
        for problem in run.report.problems:
            terminal.remark(f"not valid: {problem}")
        terminal.remark("the errors of the trajectory are not quoted")
        return DIFFERENT
    return DONE


def _link_rows(run: BoardRun) -> list[tuple[str, str]]:
    report = run.report
    total = max(report.states + report.missing, 1)
    return [
        ("run is valid", "yes" if report.is_valid else "NO"),
        ("firmware (hash of its sources)", report.firmware),
        ("states lost", f"{report.missing} of {total}"),
        ("states skipped", str(report.skipped)),
        ("late commands", f"{report.late} of {report.commands}"),
        ("damaged frames, host / board", f"{report.damaged} / {report.board_damaged}"),
        ("overruns of the board", str(report.overruns)),
        ("worst loop of the board", f"{report.worst_loop_us} us"),
        ("rejections, link losses, resets", f"{report.naks}, {report.losses}, {report.boots}"),
        (
            "standstills of the host, longest",
            f"{report.standstills}, {_ms(report.longest_standstill)} ms",
        ),
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
