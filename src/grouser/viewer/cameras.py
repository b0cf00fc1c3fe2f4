"""Cameras: each page has its own.

To follow the robot, the world node is moved and the camera stays where it is. So turning and
zooming with the mouse never conflicts with following.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import viser
from scipy.spatial.transform import Rotation

from grouser.geometry import Pose, wrap_angle

ROOT = "/world"
"""Node that is the parent of everything visible."""
Mode = Literal["follow", "orbit", "top", "fixed"]
"""Behind the robot and turning with it; beside it; above it; at a fixed place in the world."""
MODES: tuple[Mode, ...] = get_args(Mode)
LAG = 0.35
"""Time constant with which the `follow` camera turns to the robot's heading [s]."""
OFFSETS: dict[Mode, tuple[float, float, float]] = {
    "follow": (-2.2, -0.6, 1.25),
    "orbit": (-1.9, -1.9, 1.5),
    "top": (-0.01, 0.0, 4.5),
    "fixed": (-2.4, -2.4, 2.2),
}
"""Initial camera position relative to the point it looks at, in robot lengths [1]."""


@dataclass(slots=True)
class _View:
    client: viser.ClientHandle
    mode: Mode
    world: viser.FrameHandle
    yaw: float = 0.0
    placed: Pose | None = None


class Cameras:
    """The camera of every page."""

    def __init__(self) -> None:
        self._views: dict[int, _View] = {}
        self._size, self._pose = 1.0, Pose()

    def add(self, client: viser.ClientHandle) -> None:
        """Give a page its camera."""
        world = client.scene.add_frame(ROOT, show_axes=False)
        view = _View(client, "follow", world, float(self._pose.yaw))
        self._views[client.client_id] = view
        self._aim(view)

    def remove(self, client: viser.ClientHandle) -> None:
        """Remove the camera of a page that was closed."""
        self._views.pop(client.client_id, None)

    def mode(self, client: viser.ClientHandle) -> Mode:
        """Return the camera mode of a page."""
        return self._views[client.client_id].mode

    def frame(self, client: int) -> Pose:
        """Return where the course lies on a page, by its client id."""
        view = self._views.get(client)
        return Pose() if view is None or view.placed is None else view.placed

    def set_mode(self, client: viser.ClientHandle, mode: Mode) -> None:
        """Set the camera mode of a page."""
        view = self._views.get(client.client_id)
        if view is not None:
            view.mode, view.placed = mode, None
            self._aim(view)

    def aim_all(self, size: float, pose: Pose) -> None:
        """Aim all cameras at a new robot of a length [m] at its pose."""
        self._size, self._pose = size, pose
        for view in tuple(self._views.values()):
            view.yaw = float(pose.yaw)
            self._aim(view)

    def follow(self, pose: Pose, passed: float) -> None:
        """Move the world node of each page; `passed` is the time since the last call [s]."""
        self._pose = pose
        for view in tuple(self._views.values()):
            turn = float(wrap_angle(pose.yaw - view.yaw))
            view.yaw += turn * (1.0 - math.exp(-passed / LAG))
            world = _world(view.mode, pose, view.yaw)
            if world != view.placed:
                view.placed = world
                _place(view.world, world)

    def _aim(self, view: _View) -> None:
        client = view.client
        forward, left, up = (self._size * part for part in OFFSETS[view.mode])
        x, y, z = (0.0, 0.0, 0.1 * self._size)
        if view.mode == "fixed":
            x, y, z = float(self._pose.x), float(self._pose.y), float(self._pose.z)
        with client.atomic():
            # In this order, because setting the position also moves look_at.
            client.camera.position = (x + forward, y + left, z + up)
            client.camera.look_at = (x, y, z)


def _world(mode: Mode, pose: Pose, yaw: float) -> Pose:
    """Return the pose of the world node: the robot stays at the origin, unless `fixed`."""
    if mode == "fixed":
        return Pose()
    turn = yaw if mode == "follow" else 0.0
    cos, sin = math.cos(turn), math.sin(turn)
    x, y, z = float(pose.x), float(pose.y), float(pose.z)
    return Pose(x=-cos * x - sin * y, y=sin * x - cos * y, z=-z, yaw=-turn)


def _place(frame: viser.FrameHandle, pose: Pose) -> None:
    frame.position = (float(pose.x), float(pose.y), float(pose.z))
    turn = Rotation.from_euler("z", float(pose.yaw))
    frame.wxyz = tuple(turn.as_quat(scalar_first=True))
