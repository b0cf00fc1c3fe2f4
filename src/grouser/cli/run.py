"""`grouser run`: a scenario, by file or options, its log, and what was measured."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import NO_OPTIONS, Json, Overwrite, ScenarioFile, ScenarioOptions
from grouser.cli.parameters import log_to_write

LogFile = Annotated[
    Path | None,
    log_to_write("out/ROBOT-COURSE-MODEL.csv if not given."),
]
PlotFile = Annotated[
    Path | None,
    Parameter(metavar="FILE", help="Plot to write, .html, .png or .svg; none if not given."),
]
RealTime = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Keep step with the wall clock, and tell how late ticks were; as fast as possible "
        "if not given.",
    ),
]


def run(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    realtime: RealTime = False,
    out: LogFile = None,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive a robot over a course with one model, and write the log.

    Without a file and options: robot tp100, course behaviour-3, model slip, driver follow.
    """
    from grouser.cli.output import LOGS, PLOTS, claim_optional, claim_output
    from grouser.cli.report_run import report_run
    from grouser.cli.terminal import Terminal, show_progress
    from grouser.log import name_file, name_spool
    from grouser.scenario import run as run_scenario

    terminal = Terminal()
    plot_file = claim_optional("--plot", plot, overwrite=overwrite, suffixes=PLOTS)
    loaded = options.load(options.scenario(file))
    model = loaded.scenario.model.reference
    name = name_file(f"{loaded.robot.name}-{loaded.course.name}-{model}", ".csv")
    log_file = claim_output("--out", out, Path("out") / name, overwrite=overwrite, suffixes=LOGS)
    if realtime:
        terminal.remark("driving in real time; Ctrl-C ends the run and keeps its log")
    with show_progress(terminal, model) as show:
        result = run_scenario(
            loaded,
            realtime=realtime,
            on_progress=show,
            stream=name_spool(log_file.path),
            dump_folder=Path("out") if out is None else out.parent,
        )
    return report_run(result, log_file, plot_file, as_json=as_json)
