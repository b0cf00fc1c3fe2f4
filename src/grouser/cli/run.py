"""`grouser run` and `grouser replay`: a scenario or a log, the new log, and what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from grouser import interrupts
from grouser.cli.exits import DIFFERENT, DONE, FAILED, INTERRUPTED
from grouser.cli.options import (
    LOG_NAME,
    NO_OPTIONS,
    Flag,
    ModelReference,
    OutFile,
    ScenarioFile,
    ScenarioOptions,
    options,
)
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal, show_progress
from grouser.errors import InvalidDescription, InvalidLog, InvalidValue, OffGround, UnknownName

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.description import Course
    from grouser.log import Log
    from grouser.models import Assumption
    from grouser.report import Metric
    from grouser.scenario import Run


@options
class RunOptions:
    """How a run goes, and what it writes."""

    realtime: Flag = False
    """Run in real time, and print how late ticks were; as fast as possible if not given."""
    out: OutFile | None = None
    """Log to write, .csv, .parquet or .mcap; out/ROBOT-COURSE-MODEL.csv if not given."""
    plot: OutFile | None = None
    """Plot to write, .html, .png or .svg; none if not given."""


def run(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: RunOptions = RunOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Drive a robot over a course with one model, and write the log.

    Without a file and options: robot tp100, course behaviour-3, model slip, driver follow.
    """
    from grouser.cli.output import LOGS, PLOTS, claim_optional, claim_output
    from grouser.log import name_file, name_spool
    from grouser.scenario import run as run_scenario

    terminal, out, overwrite = Terminal(), given.out, results.overwrite
    plot_file = claim_optional("--plot", given.plot, overwrite=overwrite, suffixes=PLOTS)
    loaded = options.load(options.scenario(file))
    model = loaded.scenario.model.reference
    name = name_file(f"{loaded.robot.name}-{loaded.course.name}-{model}", ".csv")
    log_file = claim_output("--out", out, Path("out") / name, overwrite=overwrite, suffixes=LOGS)
    with interrupts.held():  # the run ends between two ticks, and its files are written
        with show_progress(terminal, model) as show:
            result = run_scenario(
                loaded,
                realtime=given.realtime,
                on_progress=_announcing(show, terminal) if given.realtime else show,
                stream=name_spool(log_file.path),
                dump_folder=Path("out") if out is None else out.parent,
                keep_failed=True,
            )
        return report_run(result, log_file, plot_file, as_json=results.as_json)


def _announcing(show: Callable[[float], None], terminal: Terminal) -> Callable[[float], None]:
    """Return what shows progress, and says at the first tick, no sooner, what Ctrl-C does."""
    has_begun = False

    def announce(share: float) -> None:
        nonlocal has_begun
        if not has_begun:
            has_begun = True
            terminal.remark("driving in real time; Ctrl-C ends the run and keeps its log")
        show(share)

    return announce


@options
class ReplayOptions:
    """What a log is run with again, and what is written."""

    model: ModelReference | None = None
    """Another model to run with the commands of the log; the log's own if not given."""
    out: OutFile | None = None
    """Log of the new run to write; none if not given."""


def replay(
    log: Annotated[Path, LOG_NAME],
    /,
    *,
    given: ReplayOptions = ReplayOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Run a log again from its own robot, course and commands, and print where it diverges.

    The exit code is 0 if they are the same bit for bit (wall time aside), 1 if not.

    Args:
        log: Log file that a simulation wrote, .csv, .parquet or .mcap.
        given: The options.
        results: How results are written.
    """
    from grouser.cli.output import LOGS, claim_optional
    from grouser.log import read_log, write_log
    from grouser.log.compare import find_bit_difference
    from grouser.log.provenance import explain_source
    from grouser.models import make_model
    from grouser.report import measure_difference
    from grouser.scenario import replay as run_again
    from grouser.sources import motion_source

    output = claim_optional("--out", given.out, overwrite=results.overwrite, suffixes=LOGS)
    terminal, old = Terminal(), read_log(log, rows=1)
    if given.model is not None:
        make_model(given.model)  # its errors do not concern the log
    with _naming(log):
        new = run_again(old, given.model)
        difference = find_bit_difference(old, new)
        metrics = measure_difference(new, old) if difference else ()
    if new.provenance.status == "interrupted":
        raise KeyboardInterrupt
    file = None if output is None else output.write(lambda path: write_log(new, path))
    if results.as_json:
        terminal.json(
            {
                "log": log,
                "model": new.provenance.model,
                "same": difference is None,
                "divergence": None if difference is None else difference.to_dict(),
                "source": {"log": old.provenance.grouser_source, "here": motion_source()},
                "metrics": [{"name": m.name, "value": m.value, "unit": m.unit} for m in metrics],
                "replayed_log": file,
            }
        )
    elif difference is None:
        terminal.line(f"{log}: the same, bit for bit, over {len(old)} rows")
    else:
        terminal.line(f"{log}: {difference.sentence}")
        if remark := explain_source(old.provenance):
            terminal.remark(remark)
        terminal.metrics(metrics)
    return DONE if difference is None else DIFFERENT


@contextmanager
def _naming(log: Path) -> Iterator[None]:
    """Name the log in errors of its robot, course, model or commands."""
    try:
        yield
    except InvalidDescription as error:
        raise InvalidDescription(f"{log}, {error.origin}", error.mistakes) from error
    except (InvalidLog, InvalidValue, UnknownName) as error:
        problem = error.problem if isinstance(error, InvalidLog) else str(error)
        raise InvalidLog(log, f"cannot be replayed: {problem}") from error


def write_plot(
    runs: Mapping[str, Log],
    path: Path,
    course: Course | None = None,
    metrics: Mapping[str, Sequence[Metric]] | None = None,
) -> None:
    """Write runs as a page or a picture; figures of papers and plug-ins come first."""
    from grouser.report import extra_panels, make_panels, write_report

    panels = extra_panels(runs)
    if panels and path.suffix.lower() == ".html":
        panels += make_panels(runs, course)
    write_report(runs, path, course, panels or None, metrics)


ROWS_IN_MEMORY = 50_000
"""Rows of a streamed run that are read back into memory; a longer one is thinned for the plot."""


def report_run(
    result: Run, log_output: Output, plot_output: Output | None = None, *, as_json: bool = False
) -> int:
    """Write log and plot of a run, print a summary, and return the exit code."""
    from grouser.cli.camera import write_states
    from grouser.report import measure_blocks
    from grouser.report.measure import fused_states, is_fused

    terminal, course = Terminal(), result.loaded.course
    log = _log_to_show(result)
    origin = log.provenance
    is_whole = result.spool is None or len(log) == result.rows
    metrics = measure_blocks([log] if is_whole else result.spool.blocks(), course)  # type: ignore[union-attr]
    log_file, plot_file = _write(result, log_output), None
    if plot_output is not None:
        runs, numbers = {origin.model: log}, {origin.model: metrics}
        plot_file = plot_output.write(lambda path: write_plot(runs, path, course, numbers))
    states = fused_states(log) if is_fused(log) else {}
    if as_json:
        terminal.json(_content(result, log, metrics, states, log_file, plot_file))
    else:
        title = f"{origin.robot} on {origin.course}, model {origin.model}, driver {origin.driver}"
        terminal.heading(title)
        terminal.metrics(metrics)
        if states:
            write_states(terminal, states)
        for assumption in _assumed(result):
            terminal.line(f"assumed: {assumption.sentence}")
        if same := _explain_equal(result):
            terminal.line(same)
        terminal.line(f"log: {log_file}")
        if plot_file is not None:
            terminal.line(f"plot: {plot_file}")
        if (pace := result.pace) is not None:
            terminal.remark(
                f"{pace.late_ticks} of {result.rows - 1} ticks began late, "
                f"the worst by {1e3 * pace.worst_lateness:.3g} ms"
            )
    return _remark_end(result, log, log_file, terminal)


def _assumed(result: Run) -> Sequence[Assumption]:
    """Return what the model of a run assumed for want of data."""
    from grouser.models import find_assumptions

    loaded = result.loaded
    return find_assumptions(loaded.model, loaded.robot, loaded.course)


def _explain_equal(result: Run) -> str:
    """Return as a sentence that another model computes the same; empty if none does."""
    from grouser.models import explain_equal

    loaded = result.loaded
    return explain_equal(loaded.scenario.model.reference, loaded.model, loaded.robot)


def _log_to_show(result: Run) -> Log:
    from grouser.report import thin_run

    spool = result.spool
    if spool is None or result.is_annotated or result.rows <= ROWS_IN_MEMORY:
        return result.log
    return thin_run(spool.blocks(), len(spool))


def _write(result: Run, output: Output) -> Path:
    """Write the whole log; return where it is."""
    from grouser.log import write_log

    if result.spool is not None and not result.is_annotated:
        return output.write_spool(result.spool)
    found = output.write(lambda path: write_log(result.log, path))
    if result.spool is not None:
        result.spool.close(remove=True)
    return found


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
        "assumptions": [assumption.to_dict() for assumption in _assumed(result)],
        "same_as_another_model": _explain_equal(result) or None,
        **({"states": states} if states else {}),
        "late_ticks": pace.late_ticks if pace else None,
        "worst_lateness_s": pace.worst_lateness if pace else None,
    }


def _remark_end(result: Run, log: Log, log_file: Path, terminal: Terminal) -> int:
    """Print how the run ended, unless the driver was done; return the exit code."""
    if result.problem is not None:
        terminal.remark(f"grouser: {result.problem}; the log up to there is in {log_file}")
        return FAILED
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
    elif result.ending == "off ground":
        place = result.simulation.motion.pose
        terminal.remark(str(OffGround(float(place.x), float(place.y), log.duration)))
    elif not result.is_done:
        terminal.remark(
            f"stopped at {result.limit:.6g} s, before the end of the path; "
            "a longer --duration lets it continue"
        )
    return DONE
