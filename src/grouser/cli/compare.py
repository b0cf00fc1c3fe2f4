"""`grouser compare`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    CourseName,
    DriverName,
    Duration,
    Json,
    LeadName,
    ModelNames,
    Overwrite,
    RobotName,
    Seed,
    Speed,
    StartPose,
    TickLength,
)

LogFiles = Annotated[
    Path,
    Parameter(
        name="LOG",
        help="Two log files to compare instead of models; the second is the reference.",
    ),
]
ClosedLoop = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Give each model a driver of its own; if not given, all obey the belt speeds that "
        "the first one's driver asked for, so that the models part.",
    ),
]
MapFile = Annotated[
    Path | None,
    Parameter(
        name="--map",
        metavar="FILE",
        help="TOML column map of the second log, if that is a CSV file of another program.",
    ),
]
PlotFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Plot to write, .html, .png or .svg; out/compare-ROBOT-COURSE.html if not given, "
        "none for two logs.",
    ),
]
LogFolder = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Folder for the logs MODEL.csv; out/compare-ROBOT-COURSE if not given.",
    ),
]


def compare(
    *logs: LogFiles,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-2",
    models: ModelNames = (),
    lead: LeadName = None,
    drive: DriverName = "follow",
    closed_loop: ClosedLoop = False,
    speed: Speed = None,
    duration: Duration = None,
    start: StartPose = None,
    dt: TickLength = None,
    seed: Seed = 0,
    column_map: MapFile = None,
    plot: PlotFile = None,
    out_dir: LogFolder = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive one course with several models, or take two logs, and tell where they part."""
    from grouser.cli.compare_logs import compare_logs
    from grouser.cli.compare_models import Contest, compare_models
    from grouser.cli.output import PLOTS, claim_folder, claim_optional, claim_output
    from grouser.cli.trip import Trip
    from grouser.errors import InvalidValue
    from grouser.log import name_file

    plot_file = claim_optional("--plot", plot, overwrite=overwrite, suffixes=PLOTS)
    if logs:
        if models or lead or closed_loop or out_dir:
            raise InvalidValue("compare", "both", "have either two logs or --models")
        return compare_logs(logs, column_map, plot_file, as_json=as_json)
    if column_map is not None:
        raise InvalidValue("--map", str(column_map), "come with two logs, the second foreign")
    trip = Trip.prepare(
        robot, course, start=start, speed=speed, duration=duration, dt=dt, seed=seed,
        dump_folder=out_dir or Path("out"),
    )  # fmt: skip
    contest = Contest.of(trip, models, lead, drive, closed_loop=closed_loop)
    name = f"compare-{trip.robot.name}-{trip.course.name}"
    page = Path("out") / name_file(name, ".html")
    plot_file = plot_file or claim_output("--plot", None, page, overwrite=overwrite, suffixes=PLOTS)
    usual = Path("out") / name_file(name, "")
    folder = claim_folder("--out-dir", out_dir, usual, overwrite=overwrite)
    return compare_models(contest, plot_file, folder, overwrite=overwrite, as_json=as_json)
