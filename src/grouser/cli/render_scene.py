"""`grouser render`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import CourseName, MapFile, ModelName, Overwrite, RobotName, StartPose

LogFile = Annotated[
    Path | None,
    Parameter(
        name="LOG", help="Log file to show, .csv, .parquet or .mcap; if not given, a robot at rest."
    ),
]
MoreLogs = Annotated[
    Path, Parameter(name="MORE", help="More logs, shown beside the first on a page.")
]
SceneFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Film (.mp4), picture (.png) or page with a 3D replay and charts (.html) to write; "
        "only a picture without a log; out/LOG.mp4 or out/ROBOT-COURSE-MODEL.png if not given.",
    ),
]
At = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        allow_leading_hyphen=True,
        help="When a picture of a log is taken, by the log's time [s]; at its end if not given.",
    ),
]
Begin = Annotated[
    float | None,
    Parameter(
        name="--from",
        metavar="SECONDS",
        allow_leading_hyphen=True,
        help="Where the film and the trail begin, by the log's time [s]; at its start if not "
        "given.",
    ),
]
End = Annotated[
    float | None,
    Parameter(
        name="--to",
        metavar="SECONDS",
        allow_leading_hyphen=True,
        help="Where the film ends, by the log's time [s]; at its end if not given.",
    ),
]
Rate = Annotated[float, Parameter(metavar="HZ", help="Pictures in a second of film [1/s].")]
FilmSpeed = Annotated[
    float, Parameter(metavar="FACTOR", help="Seconds of the log in a second of film [1].")
]
CameraName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="Camera of a log: follow (behind the robot), top (the whole way from above) or fixed "
        "(the whole way from the side).",
    ),
]
Trail = Annotated[bool, Parameter(help="Whether to draw the way that the robot has come.")]
Smooth = Annotated[
    bool | None,
    Parameter(
        help="Whether to smooth edges, at more than twice the time; if not given, in pictures."
    ),
]
Azimuth = Annotated[
    float,
    Parameter(
        metavar="DEG",
        allow_leading_hyphen=True,
        help="Direction in which the camera looks, from the robot's heading to the left [deg].",
    ),
]
Elevation = Annotated[
    float,
    Parameter(
        metavar="DEG",
        allow_leading_hyphen=True,
        help="How far the camera looks up [deg]; down is negative.",
    ),
]
Distance = Annotated[
    float,
    Parameter(
        metavar="SIZES", help="How far the camera is away, in sizes of the robot from end to end."
    ),
]
Pixels = Annotated[
    tuple[int, int],
    Parameter(metavar="WIDTH HEIGHT", help="Width and height of the picture [pixels]."),
]


def render_scene(
    log: LogFile = None,
    /,
    *more: MoreLogs,
    robot: RobotName | None = None,
    course: CourseName | None = None,
    model: ModelName = "csm",
    start: StartPose = None,
    column_map: MapFile = None,
    at: At = None,
    begin: Begin = None,
    end: End = None,
    fps: Rate = 30.0,
    speed: FilmSpeed = 1.0,
    camera: CameraName = "follow",
    trail: Trail = True,
    smooth: Smooth = None,
    azimuth: Azimuth = -37.0,
    elevation: Elevation = -20.0,
    distance: Distance = 1.7,
    size: Pixels = (1280, 720),
    out: SceneFile = None,
    overwrite: Overwrite = False,
) -> int:
    """Show a log as a film, a picture or a page with a 3D replay, or a robot at rest.

    A log has its robot and course in it; --robot and --course say what a real robot's log lacks.

    Without a log, absolem on pallet at --start is drawn as --model has it. No screen is needed.
    """
    from math import radians

    from grouser.cli.render_log import LogJob, render_log, render_rest
    from grouser.drawing.camera import FilmCamera, check_camera
    from grouser.drawing.film import Shot

    view = FilmCamera(
        kind=check_camera(camera),
        azimuth=radians(azimuth),
        elevation=radians(elevation),
        distance=distance,
    )
    if log is None:
        return render_rest(
            robot or "absolem", course or "pallet", model, start, view, size, out,
            overwrite=overwrite,
        )  # fmt: skip
    shot = Shot(
        start=begin, end=end if at is None else at, speed=speed, frames_per_second=fps, size=size,
        camera=view, with_trail=trail, smooth=smooth,
    )  # fmt: skip
    job = LogJob(files=(log, *more), column_map=column_map, robot=robot, course=course)
    return render_log(job, shot, out, is_moment=at is not None, overwrite=overwrite)
