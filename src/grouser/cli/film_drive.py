"""A log as a film of an overhead camera."""

import math
from pathlib import Path

from grouser.cli.main import DONE, INTERRUPTED
from grouser.cli.show_progress import show_progress
from grouser.cli.terminal import Terminal
from grouser.description import Course, Rig, load_rig
from grouser.description.reference import parse_reference
from grouser.errors import InvalidValue
from grouser.identify.camera.film_times import times_file
from grouser.identify.camera.import_cv2 import import_cv2
from grouser.log import Log, write_log
from grouser.viewer.film_file import import_av
from grouser.viewer.playback import Playback
from grouser.viewer.write_overhead_film import overhead_times, write_overhead_film

USUAL = "tp100-overhead"
"""The rig that is taken if none is named."""


def check_film(out: Path, grain: float) -> None:
    """Refuse, before anything is driven, a film that could not be written.

    Raises:
        InvalidValue: The name ends in something else than .mp4, or the grain is out of its range.
        MissingExtra: OpenCV or PyAV is not installed.
    """
    if out.suffix.lower() not in ("", ".mp4"):
        raise InvalidValue("--out", str(out), "end in .mp4, or be a folder")
    if not 0.0 <= grain <= 128.0:
        raise InvalidValue("--grain", grain, "be from 0 to 128")
    import_cv2()
    if out.suffix:
        import_av()


def film_drive(
    log: Log,
    rig: str | None,
    out: Path,
    *,
    grain: float,
    seed: int,
    smooth: bool,
    log_file: Path | None = None,
) -> int:
    """Write the film and its times, and the log if it is new; return the exit code."""
    playback, terminal = Playback(log), Terminal()
    chosen = place_rig(rig or USUAL, playback.course)
    if log_file is not None:
        write_log(log, log_file)
        terminal.line(f"log: {log_file}")
    total = len(overhead_times(playback, chosen))
    terminal.remark(f"drawing {total} pictures; Ctrl-C keeps what is drawn")
    with show_progress(terminal, f"{total} pictures") as show:
        drawn = write_overhead_film(
            playback, chosen, out, grain=grain, seed=seed, smooth=smooth, show=show
        )
    terminal.line(f"film: {out}")
    terminal.line(f"times and rig: {times_file(out)}")
    if drawn == total:
        return DONE
    terminal.remark(f"grouser: interrupted after {drawn} of {total} pictures; they are in {out}")
    return INTERRUPTED


def place_rig(reference: str, course: Course) -> Rig:
    """Return a rig; unless told where, its floor lies in the middle of the course's area."""
    _, given = parse_reference(reference)
    rig, area = load_rig(reference), course.area
    if given or area is None or not {"x_m", "y_m"} <= set(rig.parameters):
        return rig
    middle = {"x_m": math.fsum(area.x) / 2.0, "y_m": math.fsum(area.y) / 2.0}
    return load_rig(reference, **middle)
