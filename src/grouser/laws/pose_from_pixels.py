"""Where a body is, from the pixels that show points of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Pose
from grouser.laws.pinhole import PinholeCamera

ON_FLOOR = ("x", "y", "yaw")
"""What is unknown of a body that stands on the floor."""
IN_SPACE = ("x", "y", "z", "roll", "pitch", "yaw")
"""What is unknown of a body that may climb."""
ROUNDS = 20
"""Most steps of the search."""
STEP = 1e-6
"""Difference by which slopes are taken [m or rad]."""
CLOSE = 1e-9
"""Step of the search below which it ends [m or rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundPose:
    """A pose, and how well it explains the pixels."""

    pose: Pose
    """Where the body is."""
    residuals: NDArray[np.float64]
    """Seen less expected for each point (n, 2) [pixels]."""
    spread: NDArray[np.float64]
    """Covariance of what was free, if each pixel has a standard deviation of one pixel
    [m^2, m rad and rad^2 per pixel^2]."""

    @property
    def error(self) -> float:
        """Root of the mean squared distance between seen and expected [pixels]."""
        return float(np.sqrt(np.mean(np.sum(self.residuals**2, axis=-1))))


def pose_from_pixels(
    camera: PinholeCamera,
    points_in_body: NDArray[np.float64],
    pixels: NDArray[np.float64],
    guess: Pose,
    free: Sequence[str] = ON_FLOOR,
) -> FoundPose:
    """Return the pose with the least squared distances in the picture (Gauss-Newton).

    Args:
        camera: Who sees it.
        points_in_body: Points (n, 3) that are fixed to the body [m].
        pixels: Where they are seen (n, 2) [pixels].
        guess: Where to start; what is not free stays as it is here.
        free: Fields of the pose to find.
    """

    def expected(pose: Pose) -> NDArray[np.float64]:
        place = np.array((pose.x, pose.y, pose.z), dtype=np.float64)
        return camera.project(pose.rotation.apply(points_in_body) + place)

    def slopes(pose: Pose, here: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = (expected(_move(pose, free, axis)) for axis in np.eye(len(free)))
        return np.stack([(there - here).ravel() / STEP for there in moved], axis=1)

    pose, here = guess, expected(guess)
    for _ in range(ROUNDS):
        change = np.linalg.lstsq(slopes(pose, here), (pixels - here).ravel())[0]
        pose = _move(pose, free, change / STEP)
        here = expected(pose)
        if np.max(np.abs(change)) < CLOSE:
            break
    gain = slopes(pose, here)
    spread = np.linalg.pinv(gain.T @ gain).astype(np.float64)
    return FoundPose(pose=pose, residuals=pixels - here, spread=spread)


def _move(pose: Pose, free: Sequence[str], steps: NDArray[Any]) -> Pose:
    """Return a pose that differs by so many `STEP`s in what is free."""
    by = dict(zip(free, steps, strict=True))
    return replace(pose, **{name: getattr(pose, name) + STEP * float(by[name]) for name in by})
