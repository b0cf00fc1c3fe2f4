"""Clicks and drags in the scene: from the frame of a page to the frame of the course.

Cameras move the course on each page, so all that viser reports is in the frame of one page. Here
it is brought into the frame of the course, offered to the tools that were added, and ignored if
it comes from a page that only watches.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from grouser.description.terrain import Terrain
from grouser.geometry import Pose
from grouser.viewer.cameras import Cameras
from grouser.viewer.input import DriverLock

Point: TypeAlias = tuple[float, float, float]
"""A place in the frame of the course [m]."""
Phase: TypeAlias = Literal["start", "update", "end"]
"""Where a drag is: its button was pressed, its pointer moved, its button was released."""
REACH = 60.0
"""Distance from the camera up to which the ground is found [m]."""
STRIDE = 0.02
"""Distance of the places at which a ray is compared with the ground [m]."""


@dataclass(frozen=True, slots=True)
class Ray:
    """A half line in the frame of the course."""

    origin: Point
    """Where it starts: the camera [m]."""
    direction: Point
    """Unit vector [1]."""

    def at(self, distance: float) -> Point:
        """Return the place at a distance from the origin [m]."""
        parts = zip(self.origin, self.direction, strict=True)
        x, y, z = (start + distance * step for start, step in parts)
        return x, y, z


@dataclass(frozen=True, slots=True)
class Click:
    """A click of the driver anywhere in the scene."""

    client: int
    """Number of the page."""
    ray: Ray
    """From the camera through the pixel."""
    place: Point | None
    """Where the ray meets the ground; None if it does not [m]."""
    modifier: str | None
    """Keys that were held, as `shift` or `cmd/ctrl`."""


@dataclass(frozen=True, slots=True)
class Drag:
    """A drag of the driver at a node of the scene."""

    client: int
    """Number of the page."""
    phase: Phase
    start: Point
    """Where the node was grabbed; moves with the node [m]."""
    end: Point
    """Where the pointer is now, in the plane of the picture through the start [m]."""
    modifier: str | None
    """Keys that were held when it began."""


class Pointer:
    """Offers the driver's clicks and drags to tools, in the frame of the course.

    A tool of clicks returns whether it has used the click; the one that was added last is asked
    first. As long as there is none, pages do not report clicks.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        cameras: Cameras,
        lock: DriverLock,
        terrain: Callable[[], Terrain],
    ) -> None:
        self._scene, self._cameras, self._lock = scene, cameras, lock
        self._terrain = terrain
        self._tools: list[Callable[[Click], bool]] = []

    def add_tool(self, tool: Callable[[Click], bool]) -> None:
        """Offer clicks to a tool, before all others."""
        if not self._tools:
            self._scene.on_click()(self._clicked)  # pyright: ignore[reportArgumentType]
        self._tools.append(tool)

    def remove_tool(self, tool: Callable[[Click], bool]) -> None:
        """Offer no more clicks to a tool; one that was not added is ignored."""
        if tool in self._tools:
            self._tools.remove(tool)
            if not self._tools:
                self._scene.remove_click_callback("all")

    def on_drag(
        self,
        node: Any,
        act: Callable[[Drag], None],
        *,
        modifier: Any = None,
    ) -> None:
        """Report drags with the left button at a node; they do not turn the camera then."""

        async def dragged(event: Any) -> None:
            if not self._lock.acquire(event.client_id):
                return
            places = [event.start_position, event.end_position]
            start, end = map(_point, self.to_course(event.client_id, places))
            act(Drag(event.client_id, event.phase, start, end, event.modifier))

        node.on_drag("left", modifier=modifier)(dragged)

    def hold_camera(self, client: int, is_held: bool) -> None:
        """Let the camera of a page stand, or follow the robot again."""
        self._cameras.hold(client, is_held)

    def to_course(self, client: int, points: Any) -> NDArray[np.float64]:
        """Return points (n, 3) of a page in the frame of the course [m]."""
        frame = self._cameras.frame(client)
        shifted = np.asarray(points, np.float64) - _place(frame)
        return shifted @ frame.rotation.as_matrix()

    def ray(self, client: int, origin: ArrayLike, direction: ArrayLike) -> Ray:
        """Return a ray of a page in the frame of the course."""
        (start,) = self.to_course(client, [origin])
        turned = (
            np.asarray(direction, np.float64) @ self._cameras.frame(client).rotation.as_matrix()
        )
        size = float(np.linalg.norm(turned))
        return Ray(_point(start), _point(turned / size if size > 0.0 else (0.0, 0.0, -1.0)))

    def look_at(self, client: viser.ClientHandle, at: tuple[float, float]) -> Point | None:
        """Return the ground below a place of a page, by shares of its width and height [1]."""
        camera = client.camera
        half = math.tan(0.5 * float(camera.fov))
        right, down = (2.0 * at[0] - 1.0) * half * float(camera.aspect), (2.0 * at[1] - 1.0) * half
        seen = Rotation.from_quat(np.asarray(camera.wxyz, np.float64), scalar_first=True)
        direction = seen.apply([right, down, 1.0])  # a camera looks along z, y points down
        return self.find_ground(self.ray(client.client_id, camera.position, direction))

    def find_ground(self, ray: Ray) -> Point | None:
        """Return where a ray meets the ground; None if it does not."""
        return meet_ground(self._terrain(), ray)

    async def _clicked(self, event: Any) -> None:
        # A coroutine: viser runs others in a pool, out of order.
        if not self._lock.acquire(event.client_id):
            return
        ray = self.ray(event.client_id, event.ray_origin, event.ray_direction)
        click = Click(event.client_id, ray, self.find_ground(ray), event.modifier)
        for tool in reversed(tuple(self._tools)):
            if tool(click):
                return


def meet_ground(terrain: Terrain, ray: Ray) -> Point | None:
    """Return where a ray first comes below the ground; None if it does not within `REACH`."""
    distances = np.arange(0.0, REACH, STRIDE)
    points = np.asarray(ray.origin) + distances[:, None] * np.asarray(ray.direction)
    heights = np.asarray(terrain.height(points[:, 0], points[:, 1]), np.float64)
    below = np.flatnonzero(points[:, 2] <= heights)  # never where there is no ground: NaN
    if not below.size:
        return None
    high = float(distances[below[0]])
    low = max(high - STRIDE, 0.0)
    for _ in range(20):
        middle = 0.5 * (low + high)
        x, y, z = ray.at(middle)
        if z <= float(terrain.height(x, y)):
            high = middle
        else:
            low = middle
    return ray.at(high)


def _place(frame: Pose) -> NDArray[np.float64]:
    return np.array([float(frame.x), float(frame.y), float(frame.z)])


def _point(values: ArrayLike) -> Point:
    x, y, z = (float(value) for value in np.asarray(values))
    return (x, y, z) if all(map(math.isfinite, (x, y, z))) else (0.0, 0.0, 0.0)
