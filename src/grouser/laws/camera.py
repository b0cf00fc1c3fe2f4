"""A camera fixed in the world: the pixel of a point, and the pose of a body from its pixels.

Frames: world is z up. The camera looks along its own z axis, its x axis points to the right of the
picture and its y axis down. Pixel 0 has its middle at 0.

The lens bends what a pinhole would see by the polynomial of Brown (1966) and Conrady (1919), with
the coefficients in the order k1, k2, p1, p2, k3 of most calibration programs, on the plane at
distance 1 before the pinhole. Left out: fish-eye lenses and rolling shutters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.geometry import Pose

UNDISTORT_ROUNDS = 50
"""Largest number of iterations of `undistort`; each gains about half a digit."""
UNDISTORT_TOLERANCE = 1e-12
"""Change below which it ends [1]."""


def distort(places: NDArray[np.float64], coefficients: Sequence[float]) -> NDArray[np.float64]:
    """Return where a lens puts what a pinhole would see at `places` (..., 2) [1].

    x' = x (1 + k1 r2 + k2 r2^2 + k3 r2^3) + 2 p1 x y + p2 (r2 + 2 x^2)
    y' = y (1 + k1 r2 + k2 r2^2 + k3 r2^3) + p1 (r2 + 2 y^2) + 2 p2 x y
    """
    k1, k2, p1, p2, k3 = coefficients
    x, y = places[..., 0], places[..., 1]
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.stack(
        (
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ),
        axis=-1,
    )


def undistort(places: NDArray[np.float64], coefficients: Sequence[float]) -> NDArray[np.float64]:
    """Return what a pinhole would see where a lens shows `places` (..., 2) [1].

    Inverts `distort` by stepping back what it adds, which converges for lenses whose picture does
    not fold over.
    """
    if not any(coefficients):
        return places
    found = places
    for _ in range(UNDISTORT_ROUNDS):
        excess = distort(found, coefficients) - places
        found = found - excess
        if not np.max(np.abs(excess), initial=0.0) > UNDISTORT_TOLERANCE:
            break
    return found


STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Coefficients of a lens without distortion."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PinholeCamera:
    """Position, orientation and lens of a camera."""

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
        from scipy.spatial.transform import Rotation

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


FLOOR_SHARE = 0.9
"""Share of the picture that the floor fills, if a rig has no focal length [1]."""


def overhead_view(rig: Rig) -> PinholeCamera:
    """Return the camera that a rig describes; missing values are estimated.

    Without tilt the picture's right is world x turned by the camera's yaw, and its upper edge is
    world y turned likewise.
    """
    camera, floor = rig.camera, rig.floor
    width, height = camera.size
    fitting = min(width / floor.size[0], height / floor.size[1]) * FLOOR_SHARE * camera.height
    from scipy.spatial.transform import Rotation

    cos, sin = np.cos(camera.yaw), np.sin(camera.yaw)
    right = np.array((cos, sin, 0.0))
    top = np.array((-sin, cos, 0.0))
    ahead = np.sin(camera.tilt) * top - np.array((0.0, 0.0, np.cos(camera.tilt)))
    matrix = np.stack((right, np.cross(ahead, right), ahead))
    return PinholeCamera(
        focal=camera.lens.focal or fitting,
        centre=rig.lens_centre,
        position=np.array(
            (
                floor.centre[0] + camera.offset[0],
                floor.centre[1] + camera.offset[1],
                camera.height,
            )
        ),
        turn=Rotation.from_matrix(matrix).as_rotvec(),
        distortion=camera.lens.distortion or STRAIGHT,
    )


ON_FLOOR = ("x", "y", "yaw")
"""Unknowns of a body on the floor."""
IN_SPACE = ("x", "y", "z", "roll", "pitch", "yaw")
"""Unknowns of a body that may climb."""
POSE_ROUNDS = 20
"""Largest number of Gauss-Newton steps."""
POSE_STEP = 1e-6
"""Difference by which slopes are taken [m or rad]."""
POSE_TOLERANCE = 1e-9
"""Step of the search below which it ends [m or rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundPose:
    """A pose, and its residuals in the picture."""

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

    `points_in_body` (n, 3) are fixed to the body [m] and seen at `pixels` (n, 2) [pixels]; what is
    not `free` stays as in the guess.
    """

    def expected(pose: Pose) -> NDArray[np.float64]:
        place = np.array((pose.x, pose.y, pose.z), dtype=np.float64)
        return camera.project(pose.rotation.apply(points_in_body) + place)

    def slopes(pose: Pose, here: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = (expected(_move(pose, free, axis)) for axis in np.eye(len(free)))
        return np.stack([(there - here).ravel() / POSE_STEP for there in moved], axis=1)

    pose, here = guess, expected(guess)
    for _ in range(POSE_ROUNDS):
        change = np.linalg.lstsq(slopes(pose, here), (pixels - here).ravel())[0]
        pose = _move(pose, free, change / POSE_STEP)
        here = expected(pose)
        if np.max(np.abs(change)) < POSE_TOLERANCE:
            break
    gain = slopes(pose, here)
    spread = np.linalg.pinv(gain.T @ gain).astype(np.float64)
    return FoundPose(pose=pose, residuals=pixels - here, spread=spread)


def _move(pose: Pose, free: Sequence[str], steps: NDArray[Any]) -> Pose:
    """Return a pose that differs by so many `POSE_STEP`s in what is free."""
    by = dict(zip(free, steps, strict=True))
    return replace(pose, **{name: getattr(pose, name) + POSE_STEP * float(by[name]) for name in by})


def rigid_fit(
    points_in_body: NDArray[np.float64], points_in_world: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return x, y [m] and yaw [rad] that take points (n, 2) to (..., n, 2) by least squares [m].

    yaw = atan2(sum b x w, sum b . w),   t = mean(w) - R(yaw) mean(b)

    with b and w counted from their means. For a camera that looks straight down on points of one
    height, without a lens, this is what `pose_from_pixels` searches for.

    Reference:
        B. K. P. Horn, Closed-form solution of absolute orientation using unit quaternions, 1987,
        in the plane and without scale.
    """
    middle_in_body, middle = points_in_body.mean(axis=-2), points_in_world.mean(axis=-2)
    body, world = points_in_body - middle_in_body, points_in_world - middle[..., np.newaxis, :]
    across = (body[..., 0] * world[..., 1] - body[..., 1] * world[..., 0]).sum(axis=-1)
    along = (body * world).sum(axis=(-2, -1))
    yaw = np.arctan2(across, along)
    cos, sin = np.cos(yaw), np.sin(yaw)
    x = middle[..., 0] - (cos * middle_in_body[0] - sin * middle_in_body[1])
    y = middle[..., 1] - (sin * middle_in_body[0] + cos * middle_in_body[1])
    return x, y, yaw
