"""A log, or a robot at rest, as a file to look at."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grouser.cli.main import DONE, INTERRUPTED
from grouser.cli.name_logs import name_logs
from grouser.cli.options import ScenarioOptions
from grouser.cli.output import Output, claim_output
from grouser.cli.show_progress import show_progress
from grouser.cli.terminal import Terminal
from grouser.description import load_course, load_robot
from grouser.drawing.camera import FilmCamera
from grouser.drawing.film import Shot, write_film, write_still
from grouser.drawing.picture import View, check_picture, render_picture
from grouser.drawing.playback import Playback
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log import read_foreign, read_log
from grouser.log.files import name_file
from grouser.models.contact.start_contacts import start_contacts

SUFFIXES = (".mp4", ".png", ".html")
"""How the name of a file with a log to look at may end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogJob:
    """Which logs to show, and what they do not say themselves."""

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
