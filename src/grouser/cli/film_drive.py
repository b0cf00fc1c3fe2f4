"""A log as a film of an overhead camera."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from grouser.cli.main import DONE, INTERRUPTED
from grouser.cli.output import Output, claim_folder, claim_output
from grouser.cli.show_progress import show_progress
from grouser.cli.terminal import Terminal
from grouser.drawing.film import import_av
from grouser.drawing.markers import import_cv2, times_file
from grouser.drawing.overhead import overhead_times, write_overhead_film
from grouser.drawing.playback import Playback
from grouser.errors import InvalidValue
from grouser.log import Log, write_log
from grouser.scenario.observers import USUAL_RIG, place_rig


def claim_film(out: Path | None, grain: float, *, with_log: bool, overwrite: bool) -> Output:
    """Return where a film will be written, checked before anything is driven.

    Args:
        out: The film or folder; a name in `out` if not given.
        grain: Noise of each pixel, of 255 [1].
        with_log: Whether the log of the drive is written beside it.
        overwrite: Whether files that exist may be replaced; a folder never is.

    Raises:
        InvalidValue: The name ends in something else than .mp4, there are such files, or the grain
            is out of its range.
        MissingExtra: OpenCV or PyAV is not installed.
    """
    is_named, out = out is not None, out or Path("out/film.mp4")
    if out.suffix.lower() not in ("", ".mp4"):
        raise InvalidValue("--out", str(out), "end in .mp4, or be a folder")
    if not 0.0 <= grain <= 128.0:
        raise InvalidValue("--grain", grain, "be from 0 to 128")
    import_cv2()
    if not out.suffix:
        folder = claim_folder("--out", out, overwrite=False)
        return Output(option="--out", path=folder, overwrite=overwrite, is_named=True)
    import_av()
    if not is_named:
        return claim_output("--out", None, out, overwrite=overwrite)
    for beside in (out, times_file(out), *([out.with_suffix(".csv")] if with_log else [])):
        claim_output("--out", beside, overwrite=overwrite)
    return claim_output("--out", out, overwrite=overwrite)


def film_drive(
    log: Log,
    rig: str | None,
    output: Output,
    *,
    grain: float,
    seed: int,
    smooth: bool,
    is_new: bool = False,
) -> int:
    """Write the film and its times, and the log if it is new; return the exit code."""
    playback, terminal = Playback(log), Terminal()
    chosen = place_rig(rig or USUAL_RIG, playback.course)
    if is_new:
        log_file = _beside(output, output.path.with_suffix(".csv")).write(partial(write_log, log))
        terminal.line(f"log: {log_file}")
    total = len(overhead_times(playback, chosen))
    terminal.remark(f"drawing {total} pictures; Ctrl-C keeps what is drawn")
    drawn = 0

    def draw(path: Path) -> None:
        nonlocal drawn
        with show_progress(terminal, f"{total} pictures") as show:
            drawn = write_overhead_film(
                playback, chosen, path, grain=grain, seed=seed, smooth=smooth, show=show
            )

    out = _write_film(output, draw)
    terminal.line(f"film: {out}")
    terminal.line(f"times and rig: {times_file(out)}")
    if drawn == total:
        return DONE
    terminal.remark(f"grouser: interrupted after {drawn} of {total} pictures; they are in {out}")
    return INTERRUPTED


def _write_film(output: Output, draw: Callable[[Path], None]) -> Path:
    """Write the film, and then the times that are drawn beside it; return the film."""
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
        _beside(output, times_file(film)).write(lambda path: shutil.copyfile(times, path))
    finally:
        for path in drawn:
            times_file(path).unlink(missing_ok=True)
    return film


def _beside(output: Output, path: Path) -> Output:
    return replace(output, path=path)
