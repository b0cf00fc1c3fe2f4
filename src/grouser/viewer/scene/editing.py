"""The selected piece of a course: its mark on all pages, its gizmos on the page that drives."""

import math
from collections.abc import Callable
from typing import Any, get_args

import viser
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.viewer.building import SMALLEST, Placing
from grouser.viewer.palette import Axis
from grouser.viewer.piece_shapes import Bounds
from grouser.viewer.scene.overlays import Rgb, add_mesh

MARK: Rgb = (240, 130, 20)
"""Colour of the selected piece."""
OPACITY = 0.45
"""How much the mark hides [1]."""
SCALE = 0.55
"""Length of the arrows of gizmos [m]."""
GROWN = 1.004
"""How much larger than its piece a mark is, so that both do not flicker [1]."""
AXES: tuple[Axis, ...] = get_args(Axis)


class MarkNode:
    """A translucent shape where the selected piece is, or is being dragged to."""

    def __init__(self, scene: viser.SceneApi, name: str) -> None:
        self._scene, self._name = scene, name
        self._root: viser.FrameHandle | None = None

    def show(self, mesh: Trimesh, placing: Placing) -> None:
        """Show a mesh, given in the frame of its piece, at a place, instead of the one before."""
        self.hide()
        self._root = self._scene.add_frame(self._name, show_axes=False)
        self.move(placing)
        if len(mesh.faces):
            add_mesh(self._scene, f"{self._name}/shape", mesh, MARK, opacity=OPACITY)

    def move(self, placing: Placing) -> None:
        """Show it at another place."""
        if self._root is not None:
            self._root.position = (placing.x, placing.y, placing.base)
            self._root.wxyz = _quaternion(placing.yaw)

    def hide(self) -> None:
        """Show nothing."""
        if self._root is not None:
            self._root.remove()
            self._root = None


Moved = Callable[[Placing, bool], None]
"""Is called with the place of a gizmo, and whether it was released there."""
Pulled = Callable[[Axis, float, bool], None]
"""Is called with an axis, a factor on the size along it, and whether the grip was released."""


class Gizmos:
    """Gizmos on one page: one to move and turn, or one for each size."""

    def __init__(self, scene: viser.SceneApi, root: str) -> None:
        self._scene, self._root = scene, root
        self._handles: list[viser.TransformControlsHandle] = []

    def hide(self) -> None:
        """Remove all gizmos."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def show_move(self, placing: Placing, height: float, moved: Moved) -> None:
        """Show a gizmo to move and turn a piece on the ground, on top of it [m]."""
        self.hide()
        handle = self._scene.add_transform_controls(
            f"{self._root}/gizmo",
            scale=SCALE,
            active_axes=(True, True, False),
            depth_test=False,
            position=(placing.x, placing.y, placing.base + height),
            wxyz=_quaternion(placing.yaw),
        )
        self._handles.append(handle)

        # A coroutine: viser runs others in a pool, out of order.
        async def update(event: Any) -> None:
            x, y, _ = (float(value) for value in handle.position)
            w, _, _, z = (float(value) for value in handle.wxyz)
            yaw = 2.0 * math.atan2(z, w)
            moved(Placing(x, y, yaw, placing.base), event.phase == "end")

        handle.on_update(update)

    def show_sizes(
        self, placing: Placing, bounds: Bounds, axes: tuple[Axis, ...], pulled: Pulled
    ) -> None:
        """Show a grip for each axis along which a piece can grow."""
        self.hide()
        for axis in axes:
            self._add_grip(placing, bounds, axis, pulled)

    def _add_grip(self, placing: Placing, bounds: Bounds, axis: Axis, pulled: Pulled) -> None:
        number = AXES.index(axis)
        size = max(bounds.high[number], SMALLEST)
        middle = [0.5 * (a + b) for a, b in zip(bounds.low, bounds.high, strict=True)]
        local = [middle[0], middle[1], bounds.high[2]]
        local[number] = size
        cos, sin = math.cos(placing.yaw), math.sin(placing.yaw)
        x = placing.x + cos * local[0] - sin * local[1]
        y = placing.y + sin * local[0] + cos * local[1]
        handle = self._scene.add_transform_controls(
            f"{self._root}/grip-{axis}",
            scale=SCALE,
            active_axes=(axis == "x", axis == "y", axis == "z"),
            disable_sliders=True,
            disable_rotations=True,
            depth_test=False,
            position=(x, y, placing.base + local[2]),
            wxyz=_quaternion(placing.yaw),
        )
        self._handles.append(handle)
        start = handle.position

        async def update(event: Any) -> None:
            dx, dy, dz = (float(a - b) for a, b in zip(handle.position, start, strict=True))
            way = (cos * dx + sin * dy, -sin * dx + cos * dy, dz)[number]
            pulled(axis, max(size + way, SMALLEST) / size, event.phase == "end")

        handle.on_update(update)


def _quaternion(yaw: float) -> Any:
    return Rotation.from_euler("z", yaw).as_quat(scalar_first=True)
