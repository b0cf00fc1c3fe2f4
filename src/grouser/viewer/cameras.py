"""Cameras: each page has its own.

To follow the robot, the world node is moved and the camera stays where it is. So turning and
zooming with the mouse never conflicts with following.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
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
STANDS = 1e-4
"""Distance to the robot below which a camera that was held is back [m]."""
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
    held: Pose | None = None
    """Pose of the robot when the view was held; None if it follows."""
    shift: Pose = field(default_factory=Pose)
    """How far it is still behind the robot."""


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
        if view is not None and view.mode != mode:
            view.mode, view.placed = mode, None
            self._aim(view)

    def describe(self, client_id: int) -> dict[str, Any]:
        """Return camera mode, position and the point that a page looks at, for its address."""
        view = self._views.get(client_id)
        if view is None:
            return {}
        camera = view.client.camera
        eye = [round(float(part), 2) for part in (*camera.position, *camera.look_at)]
        return {"camera": view.mode, "eye": eye}

    def set_eye(self, client_id: int, eye: Sequence[float]) -> None:
        """Move a page's camera: its position, then the point that it looks at [m]."""
        view = self._views.get(client_id)
        if view is not None and math.dist(eye[:3], eye[3:]) > 0.0:
            with view.client.atomic():
                view.client.camera.position = np.array(eye[:3])
                view.client.camera.look_at = np.array(eye[3:])

    def aim_all(self, size: float, pose: Pose) -> None:
        """Aim all cameras at a new robot of a length [m] at its pose."""
        self._size, self._pose = size, pose
        for view in tuple(self._views.values()):
            view.yaw = float(pose.yaw)
            self._aim(view)

    def follow(self, pose: Pose, passed: float) -> None:
        """Move the world node of each page; `passed` is the time since the last call [s]."""
        self._pose, decay = pose, math.exp(-passed / LAG)
        for view in tuple(self._views.values()):
            if view.held is not None:
                continue
            turn = float(wrap_angle(pose.yaw - view.yaw))
            view.yaw += turn * (1.0 - decay)
            view.shift = _shorter(view.shift, decay)
            world = _world(view.mode, _moved(pose, view.shift, 1.0), view.yaw)
            if world != view.placed:
                view.placed = world
                _place(view.world, world)

    def hold(self, client: int, is_held: bool) -> None:
        """Let a page's camera stand, or let it glide back to the robot and follow it."""
        view = self._views.get(client)
        if view is None or is_held == (view.held is not None):
            return
        if is_held:
            view.held = _moved(self._pose, view.shift, 1.0)
        elif view.held is not None:
            view.shift, view.held = _moved(view.held, self._pose, -1.0), None

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


def _moved(pose: Pose, by: Pose, sign: float) -> Pose:
    """Return a pose that is shifted by the place of another, either way."""
    parts = {name: getattr(pose, name) + sign * getattr(by, name) for name in ("x", "y", "z")}
    return replace(pose, **{name: float(part) for name, part in parts.items()})


def _shorter(shift: Pose, share: float) -> Pose:
    x, y, z = (float(part) * share for part in (shift.x, shift.y, shift.z))
    return Pose() if max(map(abs, (x, y, z))) < STANDS else Pose(x=x, y=y, z=z)


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
