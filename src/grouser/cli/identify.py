"""`grouser identify`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Cluster, Json, MapFile, Overwrite, Seed, Workers
from grouser.cli.parameters import several

LogFile = Annotated[
    Path, Parameter(name="LOG", help="Logs of drives of one robot, or one table of steady states.")
]
FamilyNames = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "Families of models, such as slip or csm, or all; the kinematic ones if not given.",
        name="--family",
    ),
]
OptionalRobot = Annotated[
    str | None,
    Parameter(
        metavar="NAME|FILE",
        help="The robot, a name or a TOML file; that of the log if not given.",
    ),
]
Gauge = Annotated[
    float | None,
    Parameter(metavar="METRES", help="Distance between the tracks [m], if there is no robot file."),
]
Ground = Annotated[
    str | None,
    Parameter(
        metavar="NAME|FILE",
        help="The ground, for families that are simulated; that of the log if not given, or flat.",
    ),
]
Observe = Annotated[
    str | None,
    Parameter(
        metavar="KIND",
        help="What to believe of how the robot moved: pose, position, twist or gyro; the one that "
        "tells most if not given.",
    ),
]
PoseFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Another log, with a clock of its own, that holds the poses: of an overhead camera.",
    ),
]
LeaveOut = Annotated[
    tuple[int, ...],
    several(
        "NUMBER",
        "Turns that P2's fits do without.",
    ),
]
ExportFiles = Annotated[
    tuple[Path, ...],
    several(
        "FILE",
        "Write what was recommended: .toml robot file, .yaml for ros2_control, .sdf for "
        "gz-sim, .json.",
    ),
]
ReportFile = Annotated[
    Path | None, Parameter(metavar="FILE", help="Write a page about the fit, .html.")
]


def identify(
    *logs: LogFile,
    family: FamilyNames = (),
    robot: OptionalRobot = None,
    gauge: Gauge = None,
    course: Ground = None,
    observe: Observe = None,
    poses: PoseFile = None,
    column_map: MapFile = None,
    leave_out: LeaveOut = (),
    export: ExportFiles = (),
    report: ReportFile = None,
    overwrite: Overwrite = False,
    seed: Seed = 0,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> int:
    """Learn a robot's parameters from its logs, and which model to use.

    A third of the data is kept from every fit, and families are compared on it.
    """
    from grouser.cli.identify_request import Request
    from grouser.cli.output import claim_optional, claim_output
    from grouser.cli.report_identification import report_identification
    from grouser.identify.exports import SUFFIXES

    exports = tuple(
        claim_output("--export", path, overwrite=overwrite, suffixes=SUFFIXES) for path in export
    )
    page = claim_optional("--report", report, overwrite=overwrite, suffixes=(".html", ".htm"))
    return report_identification(
        Request(
            logs=logs, families=family, robot=robot, gauge=gauge, course=course, observe=observe,
            poses=poses, column_map=column_map, leave_out=leave_out, exports=exports,
            report=page, seed=seed, workers=workers, cluster=cluster,
        ),
        as_json=as_json,
    )  # fmt: skip
