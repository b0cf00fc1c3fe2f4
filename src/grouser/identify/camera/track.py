"""Overhead-camera tracking: markers in a film give a log of poses."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.drawing.markers import import_cv2
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose, wrap_angle
from grouser.identify.camera.calibrate import Calibration, calibrate_camera
from grouser.identify.camera.frames import Frame
from grouser.laws.camera import (
    IN_SPACE,
    ON_FLOOR,
    FoundPose,
    PinholeCamera,
    overhead_view,
    pose_from_pixels,
)
from grouser.log import Column, Log, Provenance, resample
from grouser.version import VERSION


class MarkerFinder:
    """Detects the markers of a rig."""

    def __init__(self, rig: Rig) -> None:
        self._cv2 = cv2 = import_cv2()
        family = getattr(cv2.aruco, f"DICT_{rig.dictionary.upper()}")
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(
            cv2.aruco.getPredefinedDictionary(family), parameters
        )
        self._ids = {marker.id for marker in rig.markers}

    def find(self, picture: NDArray[np.uint8]) -> dict[int, NDArray[np.float64]]:
        """Return the corners (4, 2) of each unambiguous marker, clockwise from the upper left."""
        grey = (
            picture if picture.ndim == 2 else self._cv2.cvtColor(picture, self._cv2.COLOR_BGR2GRAY)
        )
        corners, numbers, _ = self._detector.detectMarkers(grey)
        if numbers is None:
            return {}
        seen = [int(number) for number in np.ravel(numbers)]
        return {
            number: np.asarray(four, dtype=np.float64).reshape(4, 2)
            for number, four in zip(seen, corners, strict=True)
            if number in self._ids and seen.count(number) == 1
        }


MAX_REPROJECTION_ERROR = 3.0
"""Largest reprojection error; markers beyond it are left out [pixels]."""
MAX_MARKER_ROLL = 0.1
"""Largest roll of a marker that alone gives the start of the pose search [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """Pose of a robot in one picture."""

    pose: Pose
    """Pose; the yaw is continuous from picture to picture."""
    markers: tuple[int, ...]
    """Numbers of the markers that were used."""
    error: float
    """Root mean square reprojection error of the corners [pixels]."""
    deviations: NDArray[np.float64]
    """Standard deviations of x, y, yaw, or of all six coordinates [m and rad]."""


class Tracker:
    """Tracks one robot from picture to picture."""

    def __init__(
        self,
        rig: Rig,
        camera: PinholeCamera,
        *,
        in_space: bool = False,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Prepare the tracker; `noise` is added to each corner coordinate [pixels].

        With `in_space` the robot may leave the floor; its height is then much less accurate than
        its horizontal position.
        """
        self._rig, self._camera, self._finder = rig, camera, MarkerFinder(rig)
        self._markers = {marker.id: marker for marker in rig.markers}
        self._free = IN_SPACE if in_space else ON_FLOOR
        self._noise, self._generator = noise, np.random.default_rng(seed)
        self._last: Pose | None = None

    def find(self, picture: NDArray[np.uint8]) -> Sighting | None:
        """Return the pose of the robot in the next picture; None if it is not visible."""
        found = self._finder.find(picture)
        if self._noise:
            found = {
                number: four + self._generator.normal(0.0, self._noise, four.shape)
                for number, four in found.items()
            }
        return self.locate(found)

    def locate(self, corners: dict[int, NDArray[np.float64]]) -> Sighting | None:
        """Return the pose of the robot from the corners (4, 2) of its markers [pixels]."""
        seen = dict(corners)
        while seen:
            guess = self._guess(seen)
            if guess is None:
                return None
            found = self._solve(seen, guess)
            if found.error <= MAX_REPROJECTION_ERROR or len(seen) == 1:
                break
            # The corners of a partly hidden marker are wrong.
            errors = np.linalg.norm(found.residuals, axis=1).reshape(-1, 4).max(axis=1)
            del seen[list(seen)[int(np.argmax(errors))]]
        else:
            return None
        if found.error > MAX_REPROJECTION_ERROR:
            return None
        return self._remember(found, tuple(sorted(seen)))

    def _solve(self, seen: dict[int, NDArray[np.float64]], guess: Pose) -> FoundPose:
        points = np.concatenate([self._markers[number].corners() for number in seen])
        pixels = np.concatenate(list(seen.values()))
        found = pose_from_pixels(self._camera, points, pixels, guess)
        if self._free == ON_FLOOR:
            return found
        return pose_from_pixels(self._camera, points, pixels, found.pose, self._free)

    def _guess(self, seen: dict[int, NDArray[np.float64]]) -> Pose | None:
        for number, pixels in seen.items():
            marker = self._markers[number]
            if abs(marker.roll) < MAX_MARKER_ROLL:
                # The pose of the body for a level marker at its nominal height.
                corners = self._camera.lift(pixels, marker.position[2])
                along = corners[1] - corners[0]
                level = Pose(yaw=float(np.arctan2(along[1], along[0])) - marker.yaw)
                x, y, _ = corners.mean(axis=0) - level.rotation.apply(np.array(marker.position))
                return replace(level, x=float(x), y=float(y))
        return self._last

    def _remember(self, found: FoundPose, markers: tuple[int, ...]) -> Sighting:
        before = self._last.yaw if self._last else 0.0
        yaw = float(before + wrap_angle(found.pose.yaw - before))
        self._last = pose = replace(found.pose, yaw=yaw)
        corner_noise = max(self._rig.camera.corner_noise, found.error / np.sqrt(2.0))
        deviations = corner_noise * np.sqrt(np.diag(found.spread))
        return Sighting(pose=pose, markers=markers, error=found.error, deviations=deviations)


CALIBRATION_PICTURES = 10
"""Number of pictures that are searched for the grid."""
_UNITS = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Poses of a film."""

    log: Log
    """Poses, a row for each picture; NaN where the robot was not visible."""
    calibration: Calibration | None
    """Calibration from the grid; None if the camera of the rig was used."""


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
    """Return the pose of the robot in each picture.

    An interrupt (Ctrl-C) ends the tracking; the log then has the status "interrupted". An interrupt
    before the first picture is raised. `uses_grid` calibrates the camera from the grid, instead of
    using the pose in the rig; `in_space` lets the robot leave the floor; `noise` is added to each
    corner coordinate [pixels].
    """
    rest = _checked(frames, rig, origin)
    first = list(islice(rest, CALIBRATION_PICTURES))
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
            f"{origin}: no marker was found in {len(sightings)} pictures; rig {rig.name!r} "
            f"has {numbers} of dictionary {rig.dictionary}"
        )
    names = tuple(_UNITS) if in_space else ("x", "y", "yaw")
    notes = {"film": origin, "rig": rig.name, **_describe(calibration)}
    provenance = Provenance(grouser_version=VERSION, status=status, notes=notes)
    columns = _columns(times[: len(sightings)], sightings, names)
    return Track(log=Log(columns, provenance), calibration=calibration)


def until(frames: Iterable[Frame], seconds: float | None) -> Iterator[Frame]:
    """Yield frames of the first seconds; all if None [s]."""
    if seconds is None:
        return iter(frames)
    first: list[float] = []

    def is_early(frame: Frame) -> bool:
        first.append(frame.time) if not first else None
        return frame.time - first[0] <= seconds

    return takewhile(is_early, frames)


def measure_track(track: Track) -> dict[str, Any]:
    """Return how often and how well the robot was seen, and the calibration."""
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


def compare_track(drive: Log, track: Log) -> dict[str, Any]:
    """Return the error of the track, if the log of the same drive holds poses."""
    if not {"x", "y", "yaw"} <= set(drive):
        return {}
    inside = np.isfinite(track["x"]) & (track.time <= drive.time[-1] + 1e-9)
    inside &= track.time >= drive.time[0] - 1e-9
    if not inside.any():
        return {}
    truth = resample(drive, np.clip(track.time[inside], drive.time[0], drive.time[-1]))
    gaps = np.hypot(track["x"][inside] - truth["x"], track["y"][inside] - truth["y"])
    turned = np.abs(np.angle(np.exp(1j * (track["yaw"][inside] - truth["yaw"]))))
    return {
        "position_error_max_mm": 1e3 * float(gaps.max()),
        "position_error_rms_mm": 1e3 * float(np.sqrt(np.mean(gaps**2))),
        "yaw_error_max_mrad": 1e3 * float(turned.max()),
    }


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


def _columns(
    times: list[float], sightings: list[Sighting | None], names: tuple[str, ...]
) -> dict[str, Column]:
    gap = [np.nan] * len(names)
    poses = np.array([gap if s is None else [getattr(s.pose, n) for n in names] for s in sightings])
    spread = np.array([gap if s is None else s.deviations for s in sightings])
    columns = {"time": Column(np.array(times), "s")}
    columns |= {n: Column(poses[:, k], _UNITS[n]) for k, n in enumerate(names)}
    columns |= {f"{n}_deviation": Column(spread[:, k], _UNITS[n]) for k, n in enumerate(names)}
    seen = np.array([0.0 if s is None else float(len(s.markers)) for s in sightings])
    error = np.array([np.nan if s is None else s.error for s in sightings])
    seen_columns = {"markers_seen": seen, "reprojection_error_px": error}
    return columns | {name: Column(values, "1") for name, values in seen_columns.items()}
