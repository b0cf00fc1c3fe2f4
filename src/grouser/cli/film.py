"""`grouser film`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    CourseName,
    DriverName,
    Duration,
    ModelName,
    Overwrite,
    RigName,
    RobotName,
    ScenarioOptions,
    Seed,
    Speed,
    StartPose,
)

LogFile = Annotated[
    Path | None,
    Parameter(
        name="LOG",
        help="Log to film, .csv, .parquet or .mcap; if not given, a new drive, whose log is "
        "written "
        "beside the film.",
    ),
]
FilmFile = Annotated[
    Path | None,
    Parameter(
        name="--out",
        metavar="FILE|FOLDER",
        help="Film (.mp4) to write, or a new folder for its pictures; out/film.mp4 if not given.",
    ),
]
Grain = Annotated[
    float,
    Parameter(metavar="GREY", help="Noise of each pixel: its standard deviation, of 255 greys."),
]
Smooth = Annotated[bool, Parameter(help="Whether to smooth edges, at more than twice the time.")]


def film(
    log: LogFile = None,
    /,
    *,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-1-sharp",
    model: ModelName = "slip",
    drive: DriverName = "follow",
    speed: Speed = None,
    duration: Duration = None,
    start: StartPose = None,
    seed: Seed = 0,
    rig: RigName = None,
    grain: Grain = 0.0,
    smooth: Smooth = True,
    out: FilmFile = None,
    overwrite: Overwrite = False,
) -> int:
    """Film a drive with an overhead camera, as P0 did: a grid on the floor, markers on the robot.

    The times of its pictures are written beside the film, with the rig, for `grouser track`.
    """
    from grouser.cli.film_drive import claim_film, film_drive
    from grouser.cli.show_progress import show_progress
    from grouser.cli.terminal import Terminal
    from grouser.log import read_log
    from grouser.scenario import run

    output = claim_film(out, grain, with_log=log is None, overwrite=overwrite)
    if log is not None:
        return film_drive(read_log(log), rig, output, grain=grain, seed=seed, smooth=smooth)
    options = ScenarioOptions(
        robot=robot, course=course, model=model, driver=drive, start=start, speed=speed,
        duration=duration, seed=seed,
    )  # fmt: skip
    with show_progress(Terminal(), model) as show:
        driven = run(options.load(options.scenario()), on_progress=show).log
    return film_drive(driven, rig, output, grain=grain, seed=seed, smooth=smooth, is_new=True)
