"""Scene nodes of a robot."""

import math

import numpy as np
import viser
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.drawing.belt_marks import Ribs, find_ribs
from grouser.drawing.colours import BELT, FLIPPER_ARM, HULL, LAMP, METAL, RIB, RIB_MARK, TRIM
from grouser.drawing.playback import Frame
from grouser.drawing.robot_mesh import RobotShape, shape_robot
from grouser.geometry import Pose
from grouser.viewer.scene.overlays import (
    Rgb,
    SceneNode,
    add_batch,
    add_mesh,
    mix,
    to_linear,
    to_rgb,
)

OPACITY = 0.4
"""Opacity of a ghost [1]."""
SHADOW = 0.13
"""Opacity of each layer of the shadow below a robot [1]."""
LEVEL = math.radians(3.0)
"""Largest roll or pitch at which the flat shadow is shown; above it, it would float [rad]."""
MARKED = 6
"""One of this many ribs has another colour, which makes the belt's motion visible."""


class RobotNode(SceneNode):
    """A robot with moving body, belts and flippers."""

    def __init__(
        self, scene: viser.SceneApi, name: str, robot: Robot, *, ghost: Rgb | None = None
    ) -> None:
        """Add a robot at the origin of the parent node; a ghost is translucent in its colour."""
        shape = shape_robot(robot)
        super().__init__(scene, name)
        self._shadow = None
        if ghost is None:
            self._shadow = add_mesh(scene, f"{name}/shade", shape.shade, (0, 0, 0), opacity=SHADOW)
        _add_body(scene, name, shape, ghost)
        self._flippers = _add_flippers(scene, name, robot, shape, ghost)
        self._ribs = [
            (ribs, _add_ribs(scene, f"{name}/ribs{number}", ribs, ghost))
            for number, ribs in enumerate(find_ribs(robot))
        ]
        self._rest = tuple(flipper.rest_angle for flipper in robot.flippers)
        self._pose: Pose | None = None
        self._travels: tuple[float, ...] = ()
        self._angles: tuple[float, ...] = ()
        self.show(Frame(pose=Pose(), belt_travels=(0.0,) * len(robot.drives)))

    def show(self, frame: Frame) -> None:
        """Show this frame; only nodes that changed are updated."""
        if frame.pose != self._pose:
            self._pose = pose = frame.pose
            self._root.position = (float(pose.x), float(pose.y), float(pose.z))
            self._root.wxyz = quaternion(float(pose.roll), float(pose.pitch), float(pose.yaw))
            if self._shadow is not None:
                self._shadow.visible = max(abs(float(pose.roll)), abs(float(pose.pitch))) < LEVEL
        angles, travels = frame.flipper_angles or self._rest, frame.belt_travels
        turned = angles != self._angles
        if turned:
            for node, angle in zip(self._flippers, angles, strict=True):
                node.wxyz = (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
        if turned or travels != self._travels:
            self._angles, self._travels = angles, travels
            for ribs, node in self._ribs:
                points, quaternions = ribs.at(travels, angles)
                node.batched_positions = points.astype(np.float32)
                node.batched_wxyzs = quaternions.astype(np.float32)


def _add_ribs(
    scene: viser.SceneApi, name: str, ribs: Ribs, ghost: Rgb | None
) -> viser.BatchedMeshHandle:
    plain = ghost or to_rgb(RIB)
    marked = mix(ghost, (255, 255, 255), 0.5) if ghost else to_rgb(RIB_MARK)
    colours = rib_colours([row.count for row in ribs.rows], plain, marked)
    opacity = None if ghost is None else OPACITY
    return add_batch(scene, name, ribs.shape, ribs.scales, colours, opacity=opacity)


def _add_body(scene: viser.SceneApi, name: str, shape: RobotShape, ghost: Rgb | None) -> None:
    parts = {"hull": HULL, "trim": TRIM, "mark": LAMP, "rubber": BELT, "metal": METAL}
    for part, colour in parts.items():
        if not len(getattr(shape, part).faces):
            continue  # a hull of the user's has no marks
        if ghost is None:
            add_mesh(scene, f"{name}/{part}", getattr(shape, part), to_rgb(colour))
        elif part != "trim":  # fewer parts are clearer where they are translucent
            tone = mix(ghost, (255, 255, 255), 0.6) if part == "mark" else ghost
            add_mesh(scene, f"{name}/{part}", getattr(shape, part), tone, opacity=OPACITY)


def _add_flippers(
    scene: viser.SceneApi, name: str, robot: Robot, shape: RobotShape, ghost: Rgb | None
) -> list[viser.MeshHandle]:
    nodes = []
    opacity = None if ghost is None else OPACITY
    for flipper, parts in zip(robot.flippers, shape.flippers, strict=True):
        place = f"{name}/{flipper.name}"
        node = add_mesh(scene, place, parts.rubber, ghost or to_rgb(BELT), opacity=opacity)
        node.position = flipper.hinge
        add_mesh(
            scene, f"{place}/metal", parts.metal, ghost or to_rgb(FLIPPER_ARM), opacity=opacity
        )
        nodes.append(node)
    return nodes


def rib_colours(counts: list[int], plain: Rgb, marked: Rgb) -> NDArray[np.uint8]:
    """Return the linear colour of each rib of belts with these numbers of ribs (n, 3)."""
    paint = []
    for count in counts:
        # Spread evenly; a fixed step would put two marked ribs side by side where the belt closes.
        belt, marks = np.zeros(count, dtype=bool), max(count // MARKED, 1)
        belt[np.arange(marks) * count // marks] = True
        paint.append(belt)
    return to_linear(np.where(np.concatenate(paint)[:, None], marked, plain))


def quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """Return the quaternion of a pose, scalar first; ten times as fast as scipy."""
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    cp, sp = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )
