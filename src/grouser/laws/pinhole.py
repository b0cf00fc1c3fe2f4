"""A camera that is fixed in the world: which pixel shows a point, and what a pixel shows.

Frames: world is z up. The camera looks along its own z axis, its x axis points to the right of
the picture and its y axis down. Pixel 0 has its middle at 0.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.laws.lens import distort, undistort

STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Coefficients of a lens that bends nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PinholeCamera:
    """Where a camera is, how it is turned, and its lens."""

    focal: float
    """Focal length [pixels]."""
    centre: tuple[float, float]
    """Pixel on the optical axis [pixels]."""
    position: NDArray[np.float64]
    """Where its pinhole is in the world frame [m]."""
    turn: NDArray[np.float64]
    """Rotation vector that takes world coordinates to camera coordinates [rad]."""
    distortion: tuple[float, float, float, float, float] = STRAIGHT
    """Coefficients k1, k2, p1, p2, k3 of the lens [1]."""

    @property
    def rotation(self) -> NDArray[np.float64]:
        """The matrix that takes world directions to camera directions."""
        return Rotation.from_rotvec(self.turn).as_matrix()

    def project(self, points_in_world: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pixels (..., 2) that show points (..., 3) of the world [pixels]."""
        seen = (points_in_world - self.position) @ self.rotation.T
        flat = seen[..., :2] / seen[..., 2:]
        return self.focal * distort(flat, self.distortion) + np.array(self.centre)

    def lift(self, pixels: NDArray[np.float64], height: float) -> NDArray[np.float64]:
        """Return the points (..., 3) at `height` [m] that pixels (..., 2) show [m]."""
        flat = undistort((pixels - np.array(self.centre)) / self.focal, self.distortion)
        rays = np.concatenate((flat, np.ones_like(flat[..., :1])), axis=-1) @ self.rotation
        lengths = (height - self.position[2]) / rays[..., 2:]
        return self.position + lengths * rays

    def without_lens(self, focal: float, centre: tuple[float, float]) -> "PinholeCamera":
        """Return a pinhole at the same place [both in pixels]."""
        return replace(self, focal=focal, centre=centre, distortion=STRAIGHT)
