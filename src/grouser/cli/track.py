"""`grouser track`: overhead-camera tracking of a robot's markers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED, UNCERTAIN
from grouser.cli.options import File, Flag, OutFile, RandomSeed, RigName, Seconds, options
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal, show_progress
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from grouser.description import Rig
    from grouser.log import Log


@options
class TrackOptions:
    """How a film is tracked, and what is written."""

    rig: RigName = None
    out: OutFile | None = None
    """Log to write, .csv, .parquet or .mcap; out/track.csv if not given."""
    log: File | None = None
    """Log of the same drive: from its belt speeds the slip is found, and its poses, if it has any,
    are compared with the track."""
    grid: bool = True
    """Whether to calibrate the camera from the grid on the floor; --no-grid takes it exactly where
    the rig has it."""
    space: Flag = False
    """Find height, roll and pitch, too: for robots that climb. Less exact by far."""
    noise: Annotated[float, Parameter(metavar="PIXELS")] = 0.0
    """Noise to add to each corner of a marker: its standard deviation [pixels]."""
    seed: RandomSeed = 0
    """Seed of the noise that is added to corners: same seed, same track."""
    timeout: Seconds | None = None
    """End after so much time of the film [s]; at its end, or at Ctrl-C, if not given."""
    rate: Annotated[float | None, Parameter(metavar="HZ")] = None
    """Frames per second [1/s] of a folder without times; the rig's if not given."""

    def check(self) -> None:
        """Check numbers.

        Raises:
            InvalidValue: One is out of its range.
        """
        for name, value in {"--timeout": self.timeout, "--rate": self.rate}.items():
            if value is not None and not 0.0 < value < math.inf:
                raise InvalidValue(name, value, "be a positive number")
        if not 0.0 <= self.noise < math.inf:
            raise InvalidValue("--noise", self.noise, "be zero or more pixels")


def track(
    source: Annotated[str, Parameter(name="FILM")],
    /,
    *,
    given: TrackOptions = TrackOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Find a robot in a film by its markers: where it was in each frame, as a log.

    Args:
        source: Video file, folder of pictures, or camera:N for a camera, as camera:0.
        given: The options.
        results: How results are written.
    """
    from grouser.cli.output import LOGS, claim_output
    from grouser.identify.camera.frames import Frames
    from grouser.identify.camera.track import compare_track, measure_track, track_film, until
    from grouser.log import read_log, write_log

    usual = Path("out/track.csv")
    output = claim_output("--out", given.out, usual, overwrite=results.overwrite, suffixes=LOGS)
    given.check()
    drive = None if given.log is None else read_log(given.log)
    chosen, terminal = _find_rig(given.rig, source), Terminal()
    with Frames(source, given.rate or chosen.camera.rate) as frames:
        total = frames.count
        title = f"{total} frames" if total else "frames"
        terminal.remark(f"tracking {title} of {source}; Ctrl-C keeps what is done")
        with show_progress(terminal, title) as show:
            found = track_film(
                until(frames, given.timeout), chosen, uses_grid=given.grid, in_space=given.space,
                noise=given.noise, seed=given.seed,
                show=lambda count: show(count / total if total else 0.0),
                origin=source,
            )  # fmt: skip
    file = output.write(lambda path: write_log(found.log, path))
    content = measure_track(found)
    slip = {} if drive is None else _find_slip(drive, found.log, terminal)
    content |= slip if drive is None else slip | compare_track(drive, found.log)
    if results.as_json:
        terminal.json(content)
    else:
        terminal.heading(f"{source}, rig {chosen.name}")
        _print(content, file, terminal)
    if found.log.provenance.status == "interrupted":
        frames = f"interrupted after {len(found.log)} frames"
        terminal.remark(f"grouser: {frames}; their track is in {file}")
        return INTERRUPTED
    return UNCERTAIN if slip.get("slip_doubts") else DONE


def _find_rig(reference: str | None, source: str) -> Rig:
    from grouser.description import load_rig
    from grouser.drawing.markers import read_times
    from grouser.scenario.observers import DEFAULT_RIG

    if reference is not None:
        return load_rig(reference)
    _, rig = read_times(source)
    return rig or load_rig(DEFAULT_RIG)


def _print(content: dict[str, Any], file: Path, terminal: Terminal) -> None:
    """Print what was measured; sentences have been printed already."""
    rows = [
        (name.replace("_", " "), _text(value))
        for name, value in content.items()
        if not isinstance(value, list)
    ]
    terminal.table(("measured", "value"), rows)
    terminal.line(f"log: {file}")


def _find_slip(drive: Log, track: Log, terminal: Terminal) -> dict[str, Any]:
    """Return the slip with which the belts of a log lead along the track.

    `slip_cannot_tell` names parameters that are unidentifiable from this drive, and `slip_doubts`
    why the fit is not reliable: then there are no values.
    """
    from grouser.description import load_robot
    from grouser.identify.fusion import fit_slip
    from grouser.scenario import robot_of_log

    robot = robot_of_log(drive) or load_robot("tp100")
    try:
        fit = fit_slip(drive, track, robot)
    except InvalidValue as error:
        terminal.remark(f"grouser: the slip was not found: {error}")
        return {}
    content: dict[str, Any] = {"slip_cannot_tell": list(fit.unidentifiable)}
    if not fit.status.is_trusted:
        doubts = list(fit.doubts) or [f"The fit of the slip is {fit.status}."]
        terminal.remark(f"grouser: the slip was not found: {' '.join(doubts)}")
        return content | {"slip_doubts": doubts}
    for sentence in fit.advice:
        terminal.remark(sentence)
    return content | {
        name: {"value": e.value, "low": e.low, "high": e.high, "unit": e.unit}
        for name, e in fit.parameters.items()
    }


def _text(value: Any) -> str:
    if isinstance(value, dict):
        unit = "" if value["unit"] == "1" else f" {value['unit']}"
        return f"{value['value']:.5f}{unit}  (95 %: {value['low']:.5f} to {value['high']:.5f})"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
