"""`grouser plot`, `render` and `export`: logs and scenes as files to look at."""

from __future__ import annotations

from functools import partial
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    LOG_NAME,
    SIGNED,
    CourseName,
    MapFile,
    ModelName,
    Name,
    OutFile,
    Overwrite,
    RobotName,
    ScenarioOptions,
    Seconds,
    Speed,
    StartPose,
    options,
)
from grouser.cli.terminal import Terminal, name_logs, show_progress
from grouser.errors import InvalidValue
from grouser.extras import require_extra

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.drawing.film import Shot
    from grouser.drawing.playback import Playback
    from grouser.scenario.run import Loaded


_AT_REST = {"--model": "model", "--start": "start"}
_OF_LOGS = {
    "--map": "column_map", "--at": "at", "--from": "begin", "--to": "end", "--fps": "fps",
    "--speed": "speed", "--camera": "camera", "--no-trail": "trail",
}  # fmt: skip
"""Options that do something without a log only, or with one only, and their fields."""


@options
class RenderOptions:
    """What is shown of a log or a robot at rest, from where, and in which file."""

    robot: RobotName | None = None
    course: CourseName | None = None
    model: ModelName = "csm"
    start: StartPose = None
    column_map: MapFile = None
    at: Annotated[Seconds | None, SIGNED] = None
    """When a picture of a log is taken, by the log's time [s]; at its end if not given."""
    begin: Annotated[Seconds | None, SIGNED, Parameter(name="--from")] = None
    """Where the film and the trail begin, by the log's time [s]; at its start if not given."""
    end: Annotated[Seconds | None, SIGNED, Parameter(name="--to")] = None
    """Where the film ends, by the log's time [s]; at its end if not given."""
    fps: Annotated[float, Parameter(metavar="HZ")] = 30.0
    """Frames in a second of film [1/s]."""
    speed: Annotated[float, Parameter(metavar="FACTOR")] = 1.0
    """Seconds of the log in a second of film [1]."""
    camera: Name = "follow"
    """Camera of a log: follow (behind the robot), top (the whole way from above) or fixed (the
    whole way from the side)."""
    trail: bool = True
    """Whether to draw the way that the robot has come."""
    smooth: bool | None = None
    """Whether to smooth edges, at more than twice the time; if not given, in pictures."""
    azimuth: Annotated[float, SIGNED, Parameter(metavar="DEG")] = -37.0
    """Direction in which the camera looks, from the robot's heading to the left [deg]."""
    elevation: Annotated[float, SIGNED, Parameter(metavar="DEG")] = -20.0
    """How far the camera looks up [deg]; down is negative."""
    distance: Annotated[float, Parameter(metavar="SIZES")] = 1.7
    """How far the camera is away, in sizes of the robot from end to end [1]."""
    size: Annotated[tuple[int, int], Parameter(metavar="WIDTH HEIGHT", negative="")] = (1280, 720)
    """Width and height of the picture [pixels]."""
    out: OutFile | None = None
    """Film (.mp4), picture (.png) or page with a 3D replay and charts (.html) to write; only a
    picture without a log; out/LOG.mp4 or out/ROBOT-COURSE-MODEL.png if not given."""
    overwrite: Overwrite = False

    def check(self, *, has_log: bool) -> None:
        """Raise InvalidValue if an option was given that would do nothing."""
        names = _AT_REST if has_log else _OF_LOGS
        for flag, name in names.items():
            value = getattr(self, name)
            if value != self.__dataclass_fields__[name].default:
                required = (
                    "come without a log: that has its own" if has_log else "come with a log to show"
                )
                raise InvalidValue(flag, value, required)

    def shot(self) -> Shot:
        """Return how a film or picture shows a log.

        Raises:
            GrouserError: A number is out of its range, or there is no such camera.
        """
        from grouser.drawing.camera import FilmCamera, check_camera
        from grouser.drawing.film import Shot

        return Shot(
            start=self.begin,
            end=self.end if self.at is None else self.at,
            speed=self.speed,
            frames_per_second=self.fps,
            size=self.size,
            camera=FilmCamera(
                kind=check_camera(self.camera),
                azimuth=radians(self.azimuth),
                elevation=radians(self.elevation),
                distance=self.distance,
            ),
            with_trail=self.trail,
            smooth=self.smooth,
        )

    def load(self, files: tuple[Path, ...]) -> dict[str, Playback]:
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
        for name, file in zip(name_logs(files), files, strict=True):
            foreign = self.column_map
            log = read_log(file) if foreign is None else read_foreign(file, foreign)
            playbacks[name] = Playback(log, robot, course, origin=str(file))
            course = course or playbacks[name].course
        return playbacks


def render_scene(
    log: Annotated[Path | None, LOG_NAME] = None,
    /,
    *more: Annotated[Path, Parameter(name="MORE")],
    given: RenderOptions = RenderOptions(),
) -> int:
    """Show a log as a film, a picture or a page with a 3D replay, or a robot at rest.

    A log has its robot and course in it; --robot and --course add what a real robot's log lacks.

    Without a log, absolem on pallet at --start is drawn as --model has it. No screen is needed.

    Args:
        log: Log file to show, .csv, .parquet or .mcap; if not given, a robot at rest.
        more: More logs, shown beside the first on a page.
        given: The options.
    """
    given.check(has_log=log is not None)
    shot = given.shot()
    return _render_rest(shot, given) if log is None else _render_log((log, *more), shot, given)


SUFFIXES = (".mp4", ".png", ".html")
"""How the name of a file with a log to look at may end."""


def _render_log(files: tuple[Path, ...], shot: Shot, given: RenderOptions) -> int:
    """Write logs as a film, a picture or a page, and return the exit code."""
    from grouser.cli.output import claim_output
    from grouser.drawing.film import write_still
    from grouser.log import name_file

    out, is_one, is_moment = given.out, len(files) == 1, given.at is not None
    suffix = ".png" if is_moment else ".mp4" if is_one else ".html"
    usual = Path("out") / name_file(files[0].stem, suffix)
    if (out or usual).suffix.lower() == ".html":
        require_extra("a 3D replay", "viewer", "viser")  # which also brings the charts
    output = claim_output("--out", out, usual, overwrite=given.overwrite, suffixes=SUFFIXES)
    suffix = output.path.suffix.lower()
    if is_moment and suffix != ".png":
        raise InvalidValue("--out", str(out), "end in .png for a picture at one time (--at)")
    if not is_one and suffix != ".html":
        raise InvalidValue("--out", str(out), "end in .html to show several logs")
    playbacks = given.load(files)
    terminal, (playback, *_) = Terminal(), playbacks.values()
    if suffix == ".mp4":
        return _film(playback, shot, output)
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


def _load_at_rest(robot: str, course: str, model: str, start: str | None) -> Loaded:
    found = ScenarioOptions(robot=robot, course=course, model=model, driver="person", start=start)
    return found.load(found.scenario())


def _usual_file(loaded: Loaded, model: str, suffix: str) -> Path:
    from grouser.log import name_file

    return Path("out") / name_file(f"{loaded.robot.name}-{loaded.course.name}-{model}", suffix)


def _render_rest(shot: Shot, given: RenderOptions) -> int:
    """Draw a robot at rest on a course, as a 3D model has it, and return the exit code."""
    from grouser.cli.output import claim_output
    from grouser.drawing.at_rest import PlacedRobot, start_in_3d
    from grouser.drawing.picture import View, check_picture, render_picture

    robot, course = given.robot or "absolem", given.course or "pallet"
    loaded = _load_at_rest(robot, course, given.model, given.start)
    usual = _usual_file(loaded, given.model, ".png")
    output = claim_output("--out", given.out, usual, overwrite=given.overwrite)
    check_picture(output.path)
    camera = shot.camera
    view = View(azimuth=camera.azimuth, elevation=camera.elevation, distance=camera.distance)
    plant = start_in_3d(loaded.model, loaded.robot, loaded.course, loaded.start_pose)
    placed = PlacedRobot.of(plant)
    file = output.write(lambda path: render_picture(placed, path, view=view, size=given.size))
    Terminal().line(f"picture: {file}")
    return DONE


def _film(playback: Playback, shot: Shot, output: Output) -> int:
    from grouser.drawing.film import write_film

    terminal = Terminal()
    total, drawn = len(shot.times(playback)), 0

    def draw(path: Path) -> None:
        nonlocal drawn
        with show_progress(terminal, f"{total} frames") as show:
            drawn = write_film(playback, path, shot, show)

    out = output.write(draw)
    terminal.line(f"film: {out}")
    if drawn == total:
        return DONE
    seconds = drawn / shot.frames_per_second
    terminal.remark(
        f"grouser: interrupted after {drawn} of {total} frames; the first {seconds:.3g} s of "
        f"the film are in {out}"
    )
    return INTERRUPTED


@options
class PlotOptions:
    """What a plot is written to."""

    out: OutFile | None = None
    """Page (.html) or picture (.png, .svg) to write; out/plot.html if not given."""
    overwrite: Overwrite = False


def plot(
    log: Annotated[Path, LOG_NAME],
    /,
    *more: Annotated[Path, Parameter(name="MORE")],
    given: PlotOptions = PlotOptions(),
) -> None:
    """Plot one log or several: path over the course, heading, slip and errors.

    The first log is the one that the others are compared with.

    Args:
        log: Log file, .csv, .parquet or .mcap.
        more: More log files, to be drawn over the first.
        given: The options.
    """
    from grouser.cli.output import PLOTS, claim_output
    from grouser.cli.run import write_plot
    from grouser.log import read_log

    usual, files = Path("out/plot.html"), (log, *more)
    output = claim_output("--out", given.out, usual, overwrite=given.overwrite, suffixes=PLOTS)
    logs = [read_log(file, needs=("time",), rows=1) for file in files]
    runs = dict(zip(name_logs(files), logs, strict=True))
    file = output.write(lambda path: write_plot(runs, path))
    Terminal().line(f"plot: {file}")


EXPORTS = (".xml", ".urdf", ".sdf")
"""How the name of an exported file may end."""


@options
class ExportOptions:
    """What is exported, and where to."""

    robot: RobotName = "absolem"
    course: CourseName | None = None
    model: ModelName | None = None
    start: StartPose = None
    speed: Annotated[Speed | None, SIGNED] = None
    """Constant speed of the surfaces of all belts in an .xml file [m/s]; if not given, MuJoCo's
    controls `left_belt` and `right_belt` drive the robot."""
    out: OutFile | None = None
    """File to write: a scene for MuJoCo (.xml), the robot for ROS (.urdf) or for gz-sim (.sdf);
    out/ROBOT-COURSE-MODEL.xml if not given."""
    overwrite: Overwrite = False


def export(*, given: ExportOptions = ExportOptions()) -> None:
    """Write a robot as URDF or SDF, or on a course as an MJCF file for MuJoCo.

    In an MJCF file, --course is pallet and --model csm if not given; friction is the engine's, not
    the exact one that runs here use.
    """
    from grouser.cli.output import claim_output

    out = given.out
    if out is not None and out.suffix.lower() in (".urdf", ".sdf"):
        _export_robot(out, given)
        return
    from grouser.drawing.mjcf import export_mjcf

    model = given.model or "csm"
    loaded = _load_at_rest(given.robot, given.course or "pallet", model, given.start)
    usual, replaces = _usual_file(loaded, model, ".xml"), given.overwrite
    output = claim_output("--out", out, usual, overwrite=replaces, suffixes=EXPORTS)
    scene, start = (loaded.robot, loaded.course, loaded.model), loaded.start_pose
    file = output.write(lambda path: export_mjcf(*scene, path, start, speed=given.speed))
    Terminal().line(f"scene: {file}")
    Terminal().line(f"to look at it: python -m mujoco.viewer --mjcf={file}")


def _export_robot(out: Path, given: ExportOptions) -> None:
    """Write a robot without a course."""
    from grouser.cli.output import claim_output
    from grouser.description import load_robot
    from grouser.description.export import robot_sdf, robot_urdf
    from grouser.models import steering_efficiency
    from grouser.storage import write_atomically

    for name in ("course", "model", "start", "speed"):
        if (value := getattr(given, name)) is not None:
            required = f"be left out for a {out.suffix.lower()} file, which has only the robot"
            raise InvalidValue(f"--{name}", value, required)
    robot = load_robot(given.robot)
    output = claim_output("--out", out, out, overwrite=given.overwrite, suffixes=EXPORTS)
    if out.suffix.lower() == ".urdf":
        text = robot_urdf(robot)
    else:
        text = robot_sdf(robot, steering_efficiency=float(steering_efficiency(robot).eta))
    file = output.write(lambda path: write_atomically(path, text))
    Terminal().line(f"robot: {file}")
