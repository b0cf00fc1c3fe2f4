"""Poses of cameras: where a picture is taken from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.errors import UnknownName
from grouser.geometry import Pose
from grouser.models.contact.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A camera in the world."""

    middle: tuple[float, float, float]
    """What is in the middle of the picture, in the world frame [m]."""
    azimuth: float
    """Direction in which the camera looks, counter-clockwise from world x [rad]."""
    elevation: float
    """How far it looks up; down is negative [rad]."""
    distance: float
    """How far it is away [m]."""


CameraKind: TypeAlias = Literal["follow", "top", "fixed"]
"""How a camera moves: behind the robot, not at all but above, not at all."""
CAMERAS: tuple[CameraKind, ...] = ("follow", "top", "fixed")
"""All of them."""
FIELD_OF_VIEW = np.radians(45.0)
"""Angle of what the camera sees, from the lower edge to the upper [rad]."""
CALM = 1.0
"""Over how much of the film a camera that follows takes the mean of where the robot is [s]."""


def check_camera(name: str) -> CameraKind:
    """Return the kind of camera of that name.

    Raises:
        UnknownName: There is none.
    """
    for kind in CAMERAS:
        if kind == name:
            return kind
    raise UnknownName("camera", name, CAMERAS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmCamera:
    """A way to look at a robot that drives."""

    kind: CameraKind = "follow"
    """`follow` stays behind the robot and turns with it; `top` sees the whole way from above, x to
    the right; `fixed` sees the whole way from the direction in which the robot starts."""
    azimuth: float = -0.65
    """Direction in which it looks, from the robot's heading to the left; not for `top` [rad]."""
    elevation: float = -0.35
    """How far it looks up; down is negative; not for `top` [rad]."""
    distance: float = 1.7
    """How far it is away, in sizes of the robot for `follow`; of what is needed to see the whole
    way, per 1.7, for the others [1]."""

    def sights(
        self, poses: Pose, *, across: float, aspect: float, frames_per_second: float
    ) -> Iterator[Sight]:
        """Yield where the camera is for each picture.

        Args:
            poses: Where the robot is in each, with arrays.
            across: Size of the robot from end to end [m].
            aspect: Width of a picture by its height [1].
            frames_per_second: How many pictures a second has when it is played [1/s].
        """
        places = np.stack([np.asarray(p, float) for p in (poses.x, poses.y, poses.z)], axis=1)
        places[:, 2] += 0.15 * across  # the body's origin is on the ground
        yaw = np.asarray(poses.yaw, dtype=np.float64)
        if self.kind == "follow":
            window = 2 * round(0.5 * CALM * frames_per_second) + 1
            calm = _calm(np.column_stack((places, yaw)), window)
            for *middle, heading in calm:
                yield self._sight(np.array(middle), heading, self.distance * across)
            return
        low, high = places.min(axis=0), places.max(axis=0)
        seen = high - low + across
        if self.kind == "top":
            wide = max(seen[0] / aspect, seen[1])
        else:
            way = float(np.hypot(*seen[:2]))
            wide = max(way / aspect, seen[2] + way * abs(np.sin(self.elevation)))
        away = self.distance / 1.7 * 1.25 * 0.5 * wide / np.tan(0.5 * FIELD_OF_VIEW)
        away += 0.5 * (high[2] - low[2])  # what is higher is nearer
        for _ in places:
            yield self._sight(0.5 * (low + high), float(yaw[0]), away)

    def _sight(self, middle: NDArray[np.float64], heading: float, distance: float) -> Sight:
        x, y, z = (float(place) for place in middle)
        is_top = self.kind == "top"
        return Sight(
            middle=(x, y, z),
            azimuth=0.5 * np.pi if is_top else float(self.azimuth + heading),
            elevation=-0.5 * np.pi if is_top else self.elevation,
            distance=float(distance),
        )


def _calm(rows: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return the mean of as many rows around each; the first and the last go on at the ends."""
    half = window // 2
    padded = np.pad(rows, ((half, half), (0, 0)), mode="edge")
    sums = np.cumsum(np.pad(padded, ((1, 0), (0, 0))), axis=0)
    return (sums[window:] - sums[:-window]) / window


def measure_robot(scene: Scene, data: mujoco.MjData) -> tuple[NDArray[np.float64], float]:
    """Return the middle of the robot as it stands, and its size from end to end [m].

    Both are those of a box along the hull around balls around its parts: somewhat too large.
    """
    hull = scene.tables.hull
    origin, rotation = data.xpos[hull], data.xmat[hull].reshape(3, 3)
    places_in_hull = (data.geom_xpos[scene.tables.is_robot] - origin) @ rotation
    reach = scene.model.geom_rbound[scene.tables.is_robot][:, None]
    low, high = (places_in_hull - reach).min(axis=0), (places_in_hull + reach).max(axis=0)
    return origin + rotation @ (0.5 * (low + high)), float(np.max(high - low))
