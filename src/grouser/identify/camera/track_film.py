"""From pictures to a log of where a robot was."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from grouser.description import Rig
from grouser.errors import GrouserError, InvalidValue
from grouser.identify.camera.calibrate_camera import Calibration, calibrate_camera
from grouser.identify.camera.frames import Frame
from grouser.identify.camera.tracker import Sighting, Tracker
from grouser.laws.overhead_view import overhead_view
from grouser.log import Column, Log, Provenance
from grouser.version import VERSION

LOOKED_AT = 10
"""Pictures in which the grid is looked for before giving up."""
_UNITS = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """What a film told."""

    log: Log
    """Where the robot was: a row for each picture, with gaps where it was not seen."""
    calibration: Calibration | None
    """The camera as found from the grid; None if the rig's own was taken."""


def track_film(
    frames: Iterable[Frame],
    rig: Rig,
    *,
    uses_grid: bool = True,
    in_space: bool = False,
    noise: float = 0.0,
    seed: int = 0,
    show: Callable[[int], None] = lambda count: None,
    origin: str = "film",
) -> Track:
    """Return where the robot was in each picture.

    An interrupt (Ctrl-C) ends it and keeps what was done: the log's status is then "interrupted".
    One before the first picture goes on to the caller.

    Args:
        frames: The pictures.
        rig: Camera, floor and markers.
        uses_grid: Whether the camera is calibrated from the grid; otherwise it is exactly where
            the rig has it.
        in_space: Whether the robot may leave the floor.
        noise: Standard deviation of what is added to each corner, either way [pixels].
        seed: Seed of that noise.
        show: Is told how many pictures are done.
        origin: What the film is called in messages and in the log.

    Raises:
        GrouserError: No grid was found, or no marker was ever seen.
        InvalidValue: The pictures have another size than the rig says.
    """
    rest = _checked(frames, rig, origin)
    first = list(islice(rest, LOOKED_AT))
    if not first:
        raise InvalidValue("film", origin, "have at least one picture")
    calibration = calibrate_camera(rig, (f.pixels for f in first)) if uses_grid else None
    camera = calibration.camera if calibration else overhead_view(rig)
    tracker = Tracker(rig, camera, in_space=in_space, noise=noise, seed=seed)
    times: list[float] = []
    sightings: list[Sighting | None] = []
    status = "complete"
    try:
        for frame in chain(first, rest):
            found = tracker.find(frame.pixels)
            times.append(frame.time)
            sightings.append(found)
            show(len(times))
    except KeyboardInterrupt:
        if not sightings:
            raise
        status = "interrupted"
    if not any(sightings):
        numbers = ", ".join(f"{marker.id} ({marker.name})" for marker in rig.markers)
        raise GrouserError(
            f"{origin}: no marker was ever seen in {len(sightings)} pictures; rig {rig.name!r} "
            f"has {numbers} of dictionary {rig.dictionary}"
        )
    names = tuple(_UNITS) if in_space else ("x", "y", "yaw")
    notes = {"film": origin, "rig": rig.name, **_describe(calibration)}
    provenance = Provenance(grouser_version=VERSION, status=status, notes=notes)
    log = _log(times[: len(sightings)], sightings, names, provenance)
    return Track(log=log, calibration=calibration)


def _checked(frames: Iterable[Frame], rig: Rig, origin: str) -> Iterator[Frame]:
    width, height = rig.camera.size
    for frame in frames:
        found = frame.pixels.shape[1], frame.pixels.shape[0]
        if found != (width, height):
            required = f"be {width} x {height} as camera.size_px of rig {rig.name!r} says"
            raise InvalidValue(f"size of the pictures of {origin}", found, required)
        yield frame


def _describe(calibration: Calibration | None) -> dict[str, object]:
    if calibration is None:
        return {}
    camera = calibration.camera
    return {
        "camera_position_m": camera.position,
        "camera_focal_px": camera.focal,
        "camera_distortion": camera.distortion,
        "grid_crossings": calibration.crossings,
        "grid_error_px": calibration.error,
    }


def _log(
    times: list[float],
    sightings: list[Sighting | None],
    names: tuple[str, ...],
    provenance: Provenance,
) -> Log:
    gap = [np.nan] * len(names)
    poses = np.array([gap if s is None else [getattr(s.pose, n) for n in names] for s in sightings])
    spread = np.array([gap if s is None else s.deviations for s in sightings])
    columns = {"time": Column(np.array(times), "s")}
    columns |= {n: Column(poses[:, k], _UNITS[n]) for k, n in enumerate(names)}
    columns |= {f"{n}_deviation": Column(spread[:, k], _UNITS[n]) for k, n in enumerate(names)}
    seen = np.array([0.0 if s is None else float(len(s.markers)) for s in sightings])
    error = np.array([np.nan if s is None else s.error for s in sightings])
    columns["markers_seen"] = Column(seen, "1")
    columns["reprojection_error_px"] = Column(error, "1")
    return Log(columns, provenance)
