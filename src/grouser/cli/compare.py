"""`grouser compare`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    NO_OPTIONS,
    Json,
    LeadName,
    ModelNames,
    Overwrite,
    ScenarioOptions,
)

LogFiles = Annotated[
    Path,
    Parameter(
        name="LOG",
        help="Two log files to compare instead of models, the second is the reference; or one "
        "scenario file, .toml, to run with several models.",
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
    options: ScenarioOptions = NO_OPTIONS,
    models: ModelNames = (),
    lead: LeadName = None,
    closed_loop: ClosedLoop = False,
    column_map: MapFile = None,
    plot: PlotFile = None,
    out_dir: LogFolder = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive one course with several models, or take two logs, and tell where they part.

    Without a scenario file and options: robot tp100, course behaviour-2, driver follow.
    """
    from grouser.cli.compare_logs import compare_logs
    from grouser.cli.compare_models import choose_models, compare_models, run_models
    from grouser.cli.output import PLOTS, claim_folder, claim_optional, claim_output
    from grouser.errors import InvalidValue
    from grouser.log import name_file

    plot_file = claim_optional("--plot", plot, overwrite=overwrite, suffixes=PLOTS)
    file = logs[0] if len(logs) == 1 and logs[0].suffix == ".toml" else None
    if logs and file is None:
        if models or lead or closed_loop or out_dir:
            raise InvalidValue("compare", "both", "have either two logs or --models")
        return compare_logs(logs, column_map, plot_file, as_json=as_json)
    if column_map is not None:
        raise InvalidValue("--map", str(column_map), "come with two logs, the second foreign")
    options.reject(("model",), "models to compare are given as --models and --lead")
    scenario = options.scenario(file, course="behaviour-2")
    chosen = choose_models(scenario.course.load_course(), models, lead)
    first = options.load(scenario.vary(model=chosen[0]))
    name = f"compare-{first.robot.name}-{first.course.name}"
    page = Path("out") / name_file(name, ".html")
    plot_file = plot_file or claim_output("--plot", None, page, overwrite=overwrite, suffixes=PLOTS)
    usual = Path("out") / name_file(name, "")
    folder = claim_folder("--out-dir", out_dir, usual, overwrite=overwrite)
    runs = run_models(
        scenario, chosen, first, closed_loop=closed_loop, dump_folder=out_dir or Path("out")
    )
    return compare_models(
        dict(runs), first, plot_file, folder,
        closed_loop=closed_loop, overwrite=overwrite, as_json=as_json,
    )  # fmt: skip
