"""A film, a folder or a camera as a log of where a robot was."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from grouser.cli.main import DONE, INTERRUPTED, UNCERTAIN
from grouser.cli.output import Output
from grouser.cli.show_progress import show_progress
from grouser.cli.terminal import Terminal
from grouser.description import Rig, load_rig, load_robot
from grouser.drawing.markers import read_times
from grouser.errors import InvalidValue
from grouser.identify.camera.frames import Frame, Frames
from grouser.identify.camera.track import Track, track_film
from grouser.identify.fusion import fit_slip
from grouser.log import Log, read_log, resample, write_log
from grouser.scenario import robot_of_log
from grouser.scenario.observers import USUAL_RIG


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackJob:
    """What to track, and how."""

    source: str
    """Video file, folder of pictures, or camera:N."""
    rig: str | None
    """Reference of a rig; None for the film's own."""
    out: Output
    """Log to write."""
    log: Path | None
    """Log of the same drive; None if there is none."""
    uses_grid: bool
    """Whether the camera is calibrated from the grid."""
    in_space: bool
    """Whether the robot may leave the floor."""
    noise: float
    """Noise to add to each corner [pixels]."""
    seed: int
    """Seed of that noise."""
    seconds: float | None
    """When to end; None for the end of the film [s]."""
    rate: float | None
    """Pictures per second of a folder without times; None for the rig's [1/s]."""


def track_source(job: TrackJob, *, as_json: bool) -> int:
    """Write the log of a track, tell how well it went, and return the exit code."""
    for name, value in (("--for", job.seconds), ("--rate", job.rate)):
        if value is not None and not 0.0 < value < np.inf:
            raise InvalidValue(name, value, "be a positive number")
    if not 0.0 <= job.noise < np.inf:
        raise InvalidValue("--noise", job.noise, "be zero or more pixels")
    drive = None if job.log is None else read_log(job.log)
    rig, terminal = _find_rig(job), Terminal()
    with Frames(job.source, job.rate or rig.camera.rate) as frames:
        total = frames.count
        title = f"{total} pictures" if total else "pictures"
        terminal.remark(f"tracking {title} of {job.source}; Ctrl-C keeps what is done")
        with show_progress(terminal, title) as show:
            track = track_film(
                _until(frames, job.seconds),
                rig,
                uses_grid=job.uses_grid,
                in_space=job.in_space,
                noise=job.noise,
                seed=job.seed,
                show=lambda count: show(count / total if total else 0.0),
                origin=job.source,
            )
    file = job.out.write(lambda path: write_log(track.log, path))
    content, slip = _measure(track, job), None
    if drive is not None:
        slip = _find_slip(drive, track.log, terminal)
        content |= slip | _compare(drive, track.log)
    if as_json:
        terminal.json(content)
    else:
        terminal.heading(f"{job.source}, rig {rig.name}")
        _write(content, file, terminal)
    if track.log.provenance.status == "interrupted":
        terminal.remark(
            f"grouser: interrupted after {len(track.log)} pictures; their track is in {file}"
        )
        return INTERRUPTED
    return UNCERTAIN if slip is not None and slip.get("slip_doubts") else DONE


def _write(content: dict[str, Any], file: Path, terminal: Terminal) -> None:
    """Write what was measured for a person; sentences have been said already."""
    rows = [
        (name.replace("_", " "), _text(value))
        for name, value in content.items()
        if not isinstance(value, list)
    ]
    terminal.table(("measured", "value"), rows)
    terminal.line(f"log: {file}")


def _find_rig(job: TrackJob) -> Rig:
    if job.rig is not None:
        return load_rig(job.rig)
    _, rig = read_times(job.source)
    return rig or load_rig(USUAL_RIG)


def _until(frames: Frames, seconds: float | None) -> Iterator[Frame]:
    if seconds is None:
        return iter(frames)
    first: list[float] = []

    def is_early(frame: Frame) -> bool:
        first.append(frame.time) if not first else None
        return frame.time - first[0] <= seconds

    return takewhile(is_early, frames)


def _measure(track: Track, job: TrackJob) -> dict[str, Any]:
    log, found = track.log, track.calibration
    seen = log["markers_seen"] > 0.0
    content: dict[str, Any] = {
        "pictures": len(log),
        "pictures_with_the_robot": int(np.count_nonzero(seen)),
        "markers_mean": float(np.mean(log["markers_seen"][seen])),
        "reprojection_error_px": float(np.mean(log["reprojection_error_px"][seen])),
        "position_deviation_mm": 1e3 * float(np.mean(log["x_deviation"][seen])),
    }
    if found is not None:
        content |= {
            "grid_crossings": found.crossings,
            "grid_error_px": found.error,
            "grid_deviation_mm": 1e3 * found.deviation,
            "camera_height_m": float(found.camera.position[2]),
        }
    return content


def _find_slip(drive: Log, track: Log, terminal: Terminal) -> dict[str, Any]:
    """Return the slip with which the belts of a log lead along the track.

    `slip_cannot_tell` names what this drive does not tell, and `slip_doubts` says why what was
    found is not to be believed: then there are no values.
    """
    robot = robot_of_log(drive) or load_robot("tp100")
    try:
        fit = fit_slip(drive, track, robot)
    except InvalidValue as error:
        terminal.remark(f"grouser: the slip was not found: {error}")
        return {}
    content: dict[str, Any] = {"slip_cannot_tell": list(fit.entangled)}
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


def _compare(drive: Log, track: Log) -> dict[str, Any]:
    """Return the error of the track, if the log of the same drive knows its poses."""
    content: dict[str, Any] = {}
    if {"x", "y", "yaw"} <= set(drive):
        inside = np.isfinite(track["x"]) & (track.time <= drive.time[-1] + 1e-9)
        inside &= track.time >= drive.time[0] - 1e-9
        if not inside.any():
            return content
        times = np.clip(track.time[inside], drive.time[0], drive.time[-1])
        truth = resample(drive, times)
        gaps = np.hypot(track["x"][inside] - truth["x"], track["y"][inside] - truth["y"])
        turned = np.abs(np.angle(np.exp(1j * (track["yaw"][inside] - truth["yaw"]))))
        content |= {
            "position_error_max_mm": 1e3 * float(gaps.max()),
            "position_error_rms_mm": 1e3 * float(np.sqrt(np.mean(gaps**2))),
            "yaw_error_max_mrad": 1e3 * float(turned.max()),
        }
    return content


def _text(value: Any) -> str:
    if isinstance(value, dict):
        unit = "" if value["unit"] == "1" else f" {value['unit']}"
        return f"{value['value']:.5f}{unit}  (95 %: {value['low']:.5f} to {value['high']:.5f})"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
