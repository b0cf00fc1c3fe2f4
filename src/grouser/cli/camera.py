"""`grouser film` and `grouser fuse`: an overhead camera, and its poses beside encoders."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    LOG_NAME,
    NO_OPTIONS,
    SIGNED,
    File,
    OutFile,
    Overwrite,
    RigName,
    ScenarioOptions,
    Seconds,
    options,
)
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal, show_progress
from grouser.errors import InvalidLog, InvalidValue

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.identify.fusion import Fusion
    from grouser.log import Log

DRIVING = tuple(name for name in ScenarioOptions.__dataclass_fields__ if name != "seed")
"""Options of a new drive."""


@options
class FilmOptions:
    """How a drive is filmed, and what is written."""

    rig: RigName = None
    pixel_noise: Annotated[float, Parameter(metavar="GREY")] = 0.0
    """Noise of each pixel: its standard deviation, of 255 [1]."""
    smooth: bool = True
    """Whether to smooth edges, at more than twice the time."""
    out: Annotated[OutFile | None, Parameter(metavar="FILE|FOLDER")] = None
    """Film (.mp4) to write, or a new folder for its frames; out/film.mp4 if not given."""
    overwrite: Overwrite = False


FilmedLog = Annotated[
    Path | None,
    Parameter(
        name="LOG",
        help="Log to film, .csv, .parquet or .mcap; if not given, a new drive, whose log is "
        "written beside the film.",
    ),
]


def film(
    log: FilmedLog = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: FilmOptions = FilmOptions(),
) -> int:
    """Film a drive with an overhead camera: a grid on the floor, markers on the robot.

    Camera, grid and markers are those of paper P0 (Low et al.). The times of its frames are written
    beside the film, with the rig, for `grouser track`.
    """
    from grouser.log import read_log
    from grouser.scenario import run

    filmed = None if log is None or log.suffix.lower() == ".toml" else log
    output = _claim_film(given, with_log=filmed is None)
    if filmed is not None:
        options.reject(DRIVING, "the log is filmed as it was driven")
        return _film_drive(read_log(filmed), given, output, seed=options.seed or 0)
    loaded = options.load(options.scenario(log, course="behaviour-1-sharp", model="slip"))
    with show_progress(Terminal(), loaded.model.name) as show:
        driven = run(loaded, on_progress=show).log
    return _film_drive(driven, given, output, seed=loaded.scenario.seed, is_new=True)


def _claim_film(given: FilmOptions, *, with_log: bool) -> Output:
    """Return where a film, and maybe a log, will be written, checked before anything is driven."""
    from grouser.cli.output import Output, claim_folder, claim_output
    from grouser.drawing.film import import_av
    from grouser.drawing.markers import import_cv2, times_file

    out, overwrite = given.out or Path("out/film.mp4"), given.overwrite
    if out.suffix.lower() not in ("", ".mp4"):
        raise InvalidValue("--out", str(out), "end in .mp4, or be a folder")
    if not 0.0 <= given.pixel_noise <= 128.0:
        raise InvalidValue("--pixel-noise", given.pixel_noise, "be from 0 to 128")
    import_cv2()
    if not out.suffix:
        folder = claim_folder("--out", out, overwrite=False)
        return Output(option="--out", path=folder, overwrite=overwrite, is_named=True)
    import_av()
    if given.out is None:
        return claim_output("--out", None, out, overwrite=overwrite)
    for beside in (out, times_file(out), *([out.with_suffix(".csv")] if with_log else [])):
        claim_output("--out", beside, overwrite=overwrite)
    return claim_output("--out", out, overwrite=overwrite)


def _film_drive(
    log: Log, given: FilmOptions, output: Output, *, seed: int, is_new: bool = False
) -> int:
    """Write the film and its times, and the log if it is new; return the exit code."""
    from grouser.drawing.markers import times_file
    from grouser.drawing.overhead import overhead_times, write_overhead_film
    from grouser.drawing.playback import Playback
    from grouser.log import write_log
    from grouser.scenario.observers import DEFAULT_RIG, place_rig

    playback, terminal = Playback(log), Terminal()
    chosen = place_rig(given.rig or DEFAULT_RIG, playback.course)
    if is_new:
        log_file = replace(output, path=output.path.with_suffix(".csv")).write(
            partial(write_log, log)
        )
        terminal.line(f"log: {log_file}")
    total = len(overhead_times(playback, chosen))
    terminal.remark(f"drawing {total} frames; Ctrl-C keeps what is drawn")
    drawn = 0

    def draw(path: Path) -> None:
        nonlocal drawn
        with show_progress(terminal, f"{total} frames") as show:
            drawn = write_overhead_film(
                playback, chosen, path,
                noise=given.pixel_noise, seed=seed, smooth=given.smooth, show=show,
            )  # fmt: skip

    out = _write_film(output, draw)
    terminal.line(f"film: {out}")
    terminal.line(f"times and rig: {times_file(out)}")
    if drawn == total:
        return DONE
    terminal.remark(f"grouser: interrupted after {drawn} of {total} frames; they are in {out}")
    return INTERRUPTED


def _write_film(output: Output, draw: Callable[[Path], None]) -> Path:
    """Write the film, and then the times that are drawn beside it; return the film."""
    from grouser.drawing.markers import times_file

    if not output.path.suffix:
        draw(output.path)
        return output.path
    drawn: list[Path] = []

    def draw_once_more(path: Path) -> None:
        drawn.append(path)
        draw(path)

    try:
        film = output.write(draw_once_more)
        times = times_file(drawn[-1])
        replace(output, path=times_file(film)).write(lambda path: shutil.copyfile(times, path))
    finally:
        for path in drawn:
            times_file(path).unlink(missing_ok=True)
    return film


@options
class FuseOptions:
    """What is fused, and what is written."""

    camera: File
    """Track of the same drive by `grouser track`."""
    robot: Annotated[str | None, Parameter(metavar="NAME|FILE")] = None
    """Robot whose sensors these are; the one that the log holds if not given."""
    latency: Seconds = 0.0
    """How late poses become known, as they would on line [s]."""
    offset: Annotated[Seconds | None, SIGNED] = None
    """What to add to the times of the track, if its clock is another [s]; found from the drive if
    not given."""
    out: OutFile | None = None
    """Log to write, .csv, .parquet or .mcap; LOG-fused.csv beside the log if not given."""


def fuse(
    log: Annotated[Path, LOG_NAME],
    /,
    *,
    given: FuseOptions,
    results: ResultOptions = ResultOptions(),
) -> None:
    """Fuse encoders, gyroscope and camera by a Kalman filter: pose, gyro bias and slip.

    Args:
        log: Log of a drive with belt speeds, .csv, .parquet or .mcap.
        given: The options.
        results: How results are written.
    """
    from grouser.cli.output import LOGS, claim_output
    from grouser.description import load_robot
    from grouser.identify.fusion import fuse_logs
    from grouser.log import read_log, write_log
    from grouser.scenario import robot_of_log

    usual = log.with_name(f"{log.stem}-fused.csv")
    output = claim_output("--out", given.out, usual, overwrite=results.overwrite, suffixes=LOGS)
    latency, offset, robot = given.latency, given.offset, given.robot
    if not 0.0 <= latency < math.inf:
        raise InvalidValue("--latency", latency, "be zero or more seconds")
    if offset is not None and not math.isfinite(offset):
        raise InvalidValue("--offset", offset, "be a finite number of seconds")
    drive, track, terminal = (
        read_log(log, needs=("time",), rows=2),
        read_log(given.camera),
        Terminal(),
    )
    known = robot_of_log(drive) if robot is None else load_robot(robot)
    if known is None:
        raise InvalidLog(log, "the log does not contain its robot; name one (--robot NAME)")
    with show_progress(terminal, "fusing") as show:
        origins = str(log), str(given.camera)
        fusion = fuse_logs(
            drive, track, known, latency=latency, offset=offset, origins=origins, show=show
        )
    file = output.write(lambda path: write_log(fusion.log, path))
    report_fusion(fusion, file, as_json=results.as_json)


def report_fusion(fusion: Fusion, out: Path, *, as_json: bool) -> None:
    """Print each state at the end of the log with its standard deviation, and where the log is."""
    from grouser.report.measure import fused_states

    terminal, states = Terminal(), fused_states(fusion.log)
    if as_json:
        content: dict[str, Any] = {"sightings": fusion.sightings, "rejected": fusion.rejected}
        content |= {"offset_s": fusion.offset, "offset_known": not fusion.note}
        content |= {"offset_note": fusion.note or None}
        if (found := fusion.found) is not None:
            content |= {"clock_ahead_s": [found.low, found.high]}
        terminal.json({**content, "states": states, "log": out, **_position_error(fusion.log)})
        return
    terminal.heading(f"{fusion.sightings} poses, {fusion.rejected} of them outliers")
    if fusion.found is not None:
        span = f"{1e3 * fusion.found.low:.1f} to {1e3 * fusion.found.high:.1f} ms"
        terminal.line(f"the clock of the track is ahead by {span} (95 %)")
    if fusion.note:
        terminal.line(fusion.note)
    if fusion.offset:
        terminal.line(f"added to the times of the track: {1e3 * fusion.offset:.1f} ms")
    write_states(terminal, states)
    for name, value in _position_error(fusion.log).items():
        terminal.line(f"{name.replace('_', ' ')}: {value:.3g}")
    terminal.line(f"log: {out}")


def write_states(terminal: Terminal, states: dict[str, dict[str, Any]]) -> None:
    """Write the states as a table."""
    rows = [
        (name.replace("_", " "), f"{s['value']:.5f}", f"{s['deviation']:.5f}", s["unit"])
        for name, s in states.items()
    ]
    headings = ("state at the end", "value", "deviation", "unit")
    terminal.table(headings, rows, numbers=(1, 2))
    if unknown := [name.replace("_", " ") for name, s in states.items() if not s["known"]]:
        terminal.line(
            f"unidentifiable from this drive: {', '.join(unknown)} (about as at the start)"
        )


def _position_error(log: Log) -> dict[str, float]:
    """Return how far the fused position is from that of the log, if it has one."""
    import numpy as np

    if not {"x", "y"} <= set(log):
        return {}
    gaps = np.hypot(log["fused.x"] - log["x"], log["fused.y"] - log["y"])[len(log) // 10 :]
    return {"position_error_rms_mm": 1e3 * float(np.sqrt(np.nanmean(gaps**2)))}
