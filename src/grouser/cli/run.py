"""`grouser run`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    CourseName,
    DriverName,
    Duration,
    Json,
    ModelName,
    Observe,
    Overwrite,
    RobotName,
    Seed,
    Speed,
    StartPose,
    TickLength,
)
from grouser.cli.parameters import log_to_write

LogFile = Annotated[
    Path | None,
    log_to_write("out/ROBOT-COURSE-MODEL.csv if not given."),
]
PlotFile = Annotated[
    Path | None,
    Parameter(metavar="FILE", help="Plot to write, .html, .png or .svg; none if not given."),
]
FlipperAngles = Annotated[
    str | None,
    Parameter(
        metavar="SCHEDULE",
        help="When flippers move, and where to: times in s and an angle in degrees for each "
        "flipper, as in '0=-30/-30/0/0;4=20/20/0/0'. At rest if not given.",
    ),
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
    *,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-3",
    model: ModelName = "slip",
    drive: DriverName = "follow",
    speed: Speed = None,
    duration: Duration = None,
    start: StartPose = None,
    dt: TickLength = None,
    seed: Seed = 0,
    flippers: FlipperAngles = None,
    realtime: RealTime = False,
    observe: Observe = None,
    out: LogFile = None,
    plot: PlotFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive a robot over a course with one model, and write the log."""
    from grouser.cli.make_observer import make_observer
    from grouser.cli.output import LOGS, PLOTS, claim_optional, claim_output
    from grouser.cli.report_run import report_run
    from grouser.cli.terminal import Terminal
    from grouser.cli.trip import Trip
    from grouser.log import name_file, name_spool

    plot_file = claim_optional("--plot", plot, overwrite=overwrite, suffixes=PLOTS)
    trip = Trip.prepare(
        robot,
        course,
        start=start,
        speed=speed,
        duration=duration,
        dt=dt,
        seed=seed,
        dump_folder=Path("out") if out is None else out.parent,
    )
    name = name_file(f"{trip.robot.name}-{trip.course.name}-{model}", ".csv")
    log_file = claim_output("--out", out, Path("out") / name, overwrite=overwrite, suffixes=LOGS)
    if realtime:
        Terminal().remark("driving in real time; Ctrl-C ends the run and keeps its log")
    observers = (
        [] if observe is None else [make_observer(observe, trip.robot, trip.course, trip.seed)]
    )
    outcome = trip.drive(
        model,
        drive,
        flippers=flippers,
        realtime=realtime,
        observers=observers,
        stream=name_spool(log_file.path),
    )
    return report_run(outcome, trip.course, log_file, plot_file, as_json=as_json)
