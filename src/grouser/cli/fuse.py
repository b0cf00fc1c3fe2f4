"""`grouser fuse`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Json, Overwrite

LogFile = Annotated[
    Path, Parameter(name="LOG", help="Log of a drive with belt speeds, .csv, .parquet or .mcap.")
]
CameraLog = Annotated[
    Path,
    Parameter(name="--camera", metavar="FILE", help="Track of the same drive by `grouser track`."),
]
Robot = Annotated[
    str | None,
    Parameter(
        name="--robot",
        metavar="NAME|FILE",
        help="Robot whose sensors these are; the one that the log holds if not given.",
    ),
]
FusedFile = Annotated[
    Path | None,
    Parameter(
        name="--out",
        metavar="FILE",
        help="Log to write, .csv, .parquet or .mcap; LOG-fused.csv beside the log if not given.",
    ),
]
Latency = Annotated[
    float,
    Parameter(metavar="SECONDS", help="How late poses become known, as they would on line [s]."),
]
Offset = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        allow_leading_hyphen=True,
        help="What to add to the times of the track, if its clock is another [s]; found from the "
        "drive if not given.",
    ),
]


def fuse(
    log: LogFile,
    /,
    *,
    camera: CameraLog,
    robot: Robot = None,
    latency: Latency = 0.0,
    offset: Offset = None,
    out: FusedFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fuse encoders, gyroscope and camera by a Kalman filter: pose, gyro bias and slip."""
    import math

    from grouser.cli.check_suffix import LOGS
    from grouser.cli.output import claim_output
    from grouser.cli.report_fusion import report_fusion
    from grouser.cli.show_progress import show_progress
    from grouser.cli.terminal import Terminal
    from grouser.description import load_robot
    from grouser.errors import InvalidLog, InvalidValue
    from grouser.identify.fusion import fuse_logs
    from grouser.log import read_log, write_log
    from grouser.scenario import robot_of_log

    usual = log.with_name(f"{log.stem}-fused.csv")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=LOGS)
    if not 0.0 <= latency < math.inf:
        raise InvalidValue("--latency", latency, "be zero or more seconds")
    if offset is not None and not math.isfinite(offset):
        raise InvalidValue("--offset", offset, "be a finite number of seconds")
    drive, track, terminal = read_log(log, needs=("time",), rows=2), read_log(camera), Terminal()
    known = robot_of_log(drive) if robot is None else load_robot(robot)
    if known is None:
        raise InvalidLog(log, "the log does not hold its robot; name one (--robot NAME)")
    with show_progress(terminal, "fusing") as show:
        origins = str(log), str(camera)
        fusion = fuse_logs(
            drive, track, known, latency=latency, offset=offset, origins=origins, show=show
        )
    file = output.write(lambda path: write_log(fusion.log, path))
    report_fusion(fusion, file, as_json=as_json)
