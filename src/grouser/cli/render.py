"""`grouser plot`, `render` and `export`: logs and scenes as files to look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    CourseName,
    MapFile,
    ModelName,
    Overwrite,
    RobotName,
    ScenarioOptions,
    StartPose,
)
from grouser.cli.terminal import Terminal, name_logs, show_progress
from grouser.errors import InvalidValue
from grouser.extras import require_extra

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.drawing.camera import FilmCamera
    from grouser.drawing.film import Shot
    from grouser.drawing.playback import Playback


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

    A log has its robot and course in it; --robot and --course add what a real robot's log lacks.

    Without a log, absolem on pallet at --start is drawn as --model has it. No screen is needed.
    """
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


SUFFIXES = (".mp4", ".png", ".html")
"""How the name of a file with a log to look at may end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogJob:
    """Which logs to show, and what they do not hold themselves."""

    files: tuple[Path, ...]
    """The logs; the first is the one that others are compared with."""
    column_map: Path | None
    """Column map of the logs, if they are foreign."""
    robot: str | None
    """Robot to show; that of each log if None."""
    course: str | None
    """Course to show; that of the first log if None."""

    def load(self) -> dict[str, Playback]:
        """Return the logs by name, ready to be played.

        Raises:
            GrouserError: A file is missing or damaged, or a log lacks what it takes.
        """
        from grouser.description import load_course, load_robot
        from grouser.drawing.playback import Playback
        from grouser.log import read_foreign, read_log

        robot = None if self.robot is None else load_robot(self.robot)
        course = None if self.course is None else load_course(self.course)
        playbacks: dict[str, Playback] = {}
        for name, file in zip(name_logs(self.files), self.files, strict=True):
            foreign = self.column_map
            log = read_log(file) if foreign is None else read_foreign(file, foreign)
            playbacks[name] = Playback(log, robot, course, origin=str(file))
            course = course or playbacks[name].course
        return playbacks


def render_log(
    job: LogJob, shot: Shot, out: Path | None, *, is_moment: bool, overwrite: bool
) -> int:
    """Write logs as a film, a picture or a page, and return the exit code.

    Args:
        job: The logs.
        shot: How a film or picture shows them.
        out: File to write; a film in out/ if not given.
        is_moment: Whether the time of a picture was given.
        overwrite: Whether a file that exists may be replaced.
    """
    from grouser.cli.output import claim_output
    from grouser.drawing.film import write_still
    from grouser.log import name_file

    is_one = len(job.files) == 1
    suffix = ".png" if is_moment else ".mp4" if is_one else ".html"
    usual = Path("out") / name_file(job.files[0].stem, suffix)
    if (out or usual).suffix.lower() == ".html":
        require_extra("a 3D replay", "viewer", "viser")  # which also brings the charts
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=SUFFIXES)
    suffix = output.path.suffix.lower()
    if is_moment and suffix != ".png":
        raise InvalidValue("--out", str(out), "end in .png for a picture at one time (--at)")
    if not is_one and suffix != ".html":
        raise InvalidValue("--out", str(out), "end in .html to show several logs")
    playbacks = job.load()
    terminal, (playback, *_) = Terminal(), playbacks.values()
    if suffix == ".mp4":
        return _film(playback, shot, output, terminal)
    if suffix == ".png":
        file = output.write(lambda path: write_still(playback, path, shot))
        terminal.line(f"picture: {file}")
        return DONE
    from grouser.viewer.replay_page import write_replay

    log, *others = (shown.log for shown in playbacks.values())
    with show_progress(terminal, "3D replay") as show:
        page = partial(
            write_replay, log, others=others, names=list(playbacks), robot=playback.robot,
            course=playback.course, start=shot.start, end=shot.end, show=show,
        )  # fmt: skip
        file = output.write(page)
    terminal.line(f"page: {file}")
    return DONE


def render_rest(
    robot: str,
    course: str,
    model: str,
    start: str | None,
    camera: FilmCamera,
    size: tuple[int, int],
    out: Path | None,
    *,
    overwrite: bool,
) -> int:
    """Draw a robot at rest on a course, as a 3D model has it, and return the exit code."""
    from grouser.cli.output import claim_output
    from grouser.drawing.picture import View, check_picture, render_picture
    from grouser.log import name_file
    from grouser.models.contact.start_contacts import start_contacts

    options = ScenarioOptions(robot=robot, course=course, model=model, driver="person", start=start)
    loaded = options.load(options.scenario())
    usual = Path("out") / name_file(f"{loaded.robot.name}-{loaded.course.name}-{model}", ".png")
    output = claim_output("--out", out, usual, overwrite=overwrite)
    check_picture(output.path)
    view = View(azimuth=camera.azimuth, elevation=camera.elevation, distance=camera.distance)
    plant = start_contacts(loaded.model, loaded.robot, loaded.course, loaded.start_pose)
    file = output.write(
        lambda path: render_picture(
            plant.scene, plant.data, loaded.robot, loaded.course, path, view=view, size=size
        )
    )
    Terminal().line(f"picture: {file}")
    return DONE


def _film(playback: Playback, shot: Shot, output: Output, terminal: Terminal) -> int:
    from grouser.drawing.film import write_film

    total, drawn = len(shot.times(playback)), 0

    def draw(path: Path) -> None:
        nonlocal drawn
        with show_progress(terminal, f"{total} pictures") as show:
            drawn = write_film(playback, path, shot, show)

    out = output.write(draw)
    terminal.line(f"film: {out}")
    if drawn == total:
        return DONE
    seconds = drawn / shot.frames_per_second
    terminal.remark(
        f"grouser: interrupted after {drawn} of {total} pictures; the first {seconds:.3g} s of "
        f"the film are in {out}"
    )
    return INTERRUPTED


PlottedLog = Annotated[Path, Parameter(name="LOG", help="Log file, .csv, .parquet or .mcap.")]
MorePlotted = Annotated[
    Path, Parameter(name="MORE", help="More log files, to be drawn over the first.")
]
PlotFile = Annotated[
    Path | None,
    Parameter(
        name="--out",
        metavar="FILE",
        help="Page (.html) or picture (.png, .svg) to write; out/plot.html if not given.",
    ),
]


def plot(
    log: PlottedLog, /, *more: MorePlotted, out: PlotFile = None, overwrite: Overwrite = False
) -> None:
    """Plot one log or several: path over the course, heading, slip and errors.

    The first log is the one that the others are compared with.
    """
    from grouser.cli.output import PLOTS, claim_output
    from grouser.cli.run import write_plot
    from grouser.log import read_log

    usual = Path("out/plot.html")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=PLOTS)
    files = (log, *more)
    logs = [read_log(file, needs=("time",), rows=1) for file in files]
    runs = dict(zip(name_logs(files), logs, strict=True))
    file = output.write(lambda path: write_plot(runs, path))
    Terminal().line(f"plot: {file}")


MjcfFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE", help="MJCF file to write, .xml; out/ROBOT-COURSE-MODEL.xml if not given."
    ),
]
BeltSpeed = Annotated[
    float,
    Parameter(
        metavar="M_PER_S",
        allow_leading_hyphen=True,
        help="Speed at which all belts move forward in the file [m/s].",
    ),
]


def export(
    *,
    robot: RobotName = "absolem",
    course: CourseName = "pallet",
    model: ModelName = "csm",
    start: StartPose = None,
    speed: BeltSpeed = 0.0,
    out: MjcfFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a robot on a course as a plain MJCF file, which MuJoCo's own viewer opens.

    Friction in the file is the engine's, not the exact one that runs here use.
    """
    from grouser.cli.output import claim_output
    from grouser.drawing.mjcf import export_mjcf
    from grouser.log import name_file

    options = ScenarioOptions(robot=robot, course=course, model=model, driver="person", start=start)
    loaded = options.load(options.scenario())
    usual = Path("out") / name_file(f"{loaded.robot.name}-{loaded.course.name}-{model}", ".xml")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=(".xml",))
    file = output.write(
        lambda path: export_mjcf(
            loaded.robot, loaded.course, loaded.model, path, loaded.start_pose, speed=speed
        )
    )
    Terminal().line(f"scene: {file}")
    Terminal().line(f"to look at it: python -m mujoco.viewer --mjcf={file}")
