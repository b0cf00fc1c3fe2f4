"""Finds a robot in pictures by its markers."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.description.rig import Marker
from grouser.geometry import Pose, wrap_angle
from grouser.identify.camera.marker_finder import MarkerFinder
from grouser.laws.pinhole import PinholeCamera
from grouser.laws.pose_from_pixels import IN_SPACE, ON_FLOOR, FoundPose, pose_from_pixels

ALLOWED = 3.0
"""Largest reprojection error; a marker that makes it larger is left out [pixels]."""
FLAT = 0.1
"""How far a marker may be from level to tell where the robot is by itself [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """Where a robot was seen."""

    pose: Pose
    """Where it was; the yaw goes on from picture to picture."""
    markers: tuple[int, ...]
    """Numbers of the markers that count."""
    error: float
    """Root of the mean squared distance of corners from where they should be [pixels]."""
    deviations: NDArray[np.float64]
    """Standard deviations of what was found: x, y, yaw, or all six [m and rad]."""


class Tracker:
    """Follows one robot from picture to picture."""

    def __init__(
        self,
        rig: Rig,
        camera: PinholeCamera,
        *,
        in_space: bool = False,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Begin.

        Args:
            rig: The markers, and how well their corners are seen.
            camera: The camera, calibrated.
            in_space: Whether the robot may leave the floor; from above, its height is then known
                less well by far than its place.
            noise: Standard deviation of what is added to each corner, either way [pixels].
            seed: Seed of that noise.
        """
        self._rig, self._camera, self._finder = rig, camera, MarkerFinder(rig)
        self._markers = {marker.id: marker for marker in rig.markers}
        self._free = IN_SPACE if in_space else ON_FLOOR
        self._noise, self._generator = noise, np.random.default_rng(seed)
        self._last: Pose | None = None

    def find(self, picture: NDArray[np.uint8]) -> Sighting | None:
        """Return where the robot is in the next picture; None if it is not seen."""
        found = self._finder.find(picture)
        if self._noise:
            found = {
                number: four + self._generator.normal(0.0, self._noise, four.shape)
                for number, four in found.items()
            }
        return self.locate(found)

    def locate(self, corners: dict[int, NDArray[np.float64]]) -> Sighting | None:
        """Return where the robot is, from the corners (4, 2) of its markers [pixels]."""
        seen = dict(corners)
        while seen:
            guess = self._guess(seen)
            if guess is None:
                return None
            found = self._solve(seen, guess)
            if found.error <= ALLOWED or len(seen) == 1:
                break
            # Of a marker that is half hidden, the corners are elsewhere.
            errors = np.linalg.norm(found.residuals, axis=1).reshape(-1, 4).max(axis=1)
            del seen[list(seen)[int(np.argmax(errors))]]
        else:
            return None
        return None if found.error > ALLOWED else self._remember(found, tuple(sorted(seen)))

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
            if abs(marker.roll) < FLAT:
                return self._pose_of(marker, pixels)
        return self._last

    def _pose_of(self, marker: Marker, pixels: NDArray[np.float64]) -> Pose:
        """Return where the body is if this marker lies level at its height."""
        upper_left, upper_right, *_ = corners = self._camera.lift(pixels, marker.position[2])
        along = upper_right - upper_left
        yaw = float(np.arctan2(along[1], along[0])) - marker.yaw
        level = Pose(yaw=yaw)
        x, y, _ = corners.mean(axis=0) - level.rotation.apply(np.array(marker.position))
        return replace(level, x=float(x), y=float(y))

    def _remember(self, found: FoundPose, markers: tuple[int, ...]) -> Sighting:
        pose = found.pose
        if self._last is not None:
            turned = wrap_angle(pose.yaw - self._last.yaw)
            pose = replace(pose, yaw=float(self._last.yaw + turned))
        else:
            pose = replace(pose, yaw=float(wrap_angle(pose.yaw)))
        self._last = pose
        corner_noise = max(self._rig.camera.corner_noise, found.error / np.sqrt(2.0))
        return Sighting(
            pose=pose,
            markers=markers,
            error=found.error,
            deviations=corner_noise * np.sqrt(np.diag(found.spread)),
        )
