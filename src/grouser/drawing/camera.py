"""Camera poses for pictures and films."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import mujoco
import numpy as np

from grouser.errors import UnknownName
from grouser.geometry import Array, Pose
from grouser.models.mujoco.build import BuiltScene


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraPose:
    """Pose of a camera in the world, given by the point it looks at."""

    middle: tuple[float, float, float]
    """Point in the middle of the picture, in the world frame [m]."""
    azimuth: float
    """Direction in which the camera looks, counter-clockwise from world x [rad]."""
    elevation: float
    """Angle above the horizontal in which the camera looks; negative is downward [rad]."""
    distance: float
    """Distance of the camera from that point [m]."""


CameraKind: TypeAlias = Literal["follow", "top", "fixed"]
"""`follow` moves with the robot, `top` stands above the whole path, `fixed` at its side."""
CAMERAS: tuple[CameraKind, ...] = ("follow", "top", "fixed")
FIELD_OF_VIEW = np.radians(45.0)
"""Vertical field of view [rad]."""
SMOOTHING = 1.0
"""Window of the moving mean of the robot's pose that a `follow` camera uses [s]."""


def check_camera(name: str) -> CameraKind:
    """Return the kind of camera with a name; UnknownName if there is none."""
    if name not in CAMERAS:
        raise UnknownName("camera", name, CAMERAS)
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmCamera:
    """How a film shows a moving robot."""

    kind: CameraKind = "follow"
    """`follow` stays behind the robot and turns with it; `top` shows the whole path from above, x
    to the right; `fixed` shows the whole path, `azimuth` from the robot's first heading."""
    azimuth: float = -0.65
    """Viewing direction, counter-clockwise from the robot's heading; not for `top` [rad]."""
    elevation: float = -0.35
    """Viewing angle above the horizontal, negative is downward; not for `top` [rad]."""
    distance: float = 1.7
    """Distance in robot extents for `follow`; for the others relative to 1.7, at which the whole
    path fills the picture [1]."""

    def camera_poses(
        self, poses: Pose, *, extent: float, aspect: float, frames_per_second: float
    ) -> Iterator[CameraPose]:
        """Yield the camera pose of each picture.

        `poses` are arrays; `extent` is the largest of the robot [m], `aspect` the width of a
        picture over its height [1], `frames_per_second` the rate of the film [1/s].
        """
        places = np.stack([np.asarray(p, float) for p in (poses.x, poses.y, poses.z)], axis=1)
        places[:, 2] += 0.15 * extent  # the body's origin is on the ground
        yaw = np.asarray(poses.yaw, dtype=np.float64)
        if self.kind == "follow":
            window = 2 * round(0.5 * SMOOTHING * frames_per_second) + 1
            smoothed = _moving_mean(np.column_stack((places, yaw)), window)
            for *middle, heading in smoothed:
                yield self._camera_pose(np.array(middle), heading, self.distance * extent)
            return
        low, high = places.min(axis=0), places.max(axis=0)
        span = high - low + extent
        if self.kind == "top":
            width = max(span[0] / aspect, span[1])
        else:
            diagonal = float(np.hypot(*span[:2]))
            width = max(diagonal / aspect, span[2] + diagonal * abs(np.sin(self.elevation)))
        distance = self.distance / 1.7 * 1.25 * 0.5 * width / np.tan(0.5 * FIELD_OF_VIEW)
        distance += 0.5 * (high[2] - low[2])  # the highest point is nearer to the camera
        for _ in places:
            yield self._camera_pose(0.5 * (low + high), float(yaw[0]), distance)

    def _camera_pose(self, middle: Array, heading: float, distance: float) -> CameraPose:
        x, y, z = (float(place) for place in middle)
        is_top = self.kind == "top"
        return CameraPose(
            middle=(x, y, z),
            azimuth=0.5 * np.pi if is_top else float(self.azimuth + heading),
            elevation=-0.5 * np.pi if is_top else self.elevation,
            distance=float(distance),
        )


def _moving_mean(rows: Array, window: int) -> Array:
    """Return the moving mean over `window` rows; the ends are padded with the end rows."""
    half = window // 2
    padded = np.pad(rows, ((half, half), (0, 0)), mode="edge")
    sums = np.cumsum(np.pad(padded, ((1, 0), (0, 0))), axis=0)
    return (sums[window:] - sums[:-window]) / window


def measure_robot(built: BuiltScene, data: mujoco.MjData) -> tuple[Array, float]:
    """Return middle and largest extent of a box, along the hull, around the whole robot [m]."""
    hull, mine = built.hull, ~built.is_ground
    origin, rotation = data.xpos[hull], data.xmat[hull].reshape(3, 3)
    places_in_hull = (data.geom_xpos[mine] - origin) @ rotation
    reach = built.model.geom_rbound[mine][:, None]
    low, high = (places_in_hull - reach).min(axis=0), (places_in_hull + reach).max(axis=0)
    return origin + rotation @ (0.5 * (low + high)), float(np.max(high - low))
