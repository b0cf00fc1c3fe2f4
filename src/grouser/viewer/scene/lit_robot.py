"""Scene nodes of a robot in the painted and in the full look."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from grouser.description import Robot
from grouser.description.track import Flipper
from grouser.drawing.belt_marks import Ribs
from grouser.drawing.look.gear import WheelRow, find_shoes, find_wheels, flipper_gear, still_gear
from grouser.drawing.look.glb import Image, Part, Skin, write_glb
from grouser.drawing.look.hulls import paint_hull
from grouser.drawing.look.materials import PALETTE
from grouser.drawing.look.painted import as_part
from grouser.drawing.look.pictures import encode
from grouser.drawing.playback import Frame
from grouser.geometry import Pose
from grouser.viewer.scene.overlays import SceneNode, to_rgb
from grouser.viewer.scene.robot import LEVEL, quaternion, rib_colours

SHADE_PIXELS = 64
"""Side of the picture of the shadow below a robot [pixels]."""
SHADE_LIFT = 0.006
"""Height of that picture above the ground [m]."""
DARKEST = {True: 0.62, False: 0.45}
"""Opacity of the shadow below a robot in the painted look, and in the full look [1]."""


class LitRobot(SceneNode):
    """A robot with hull, turning wheels, shoes and flippers: about seven draw calls."""

    def __init__(self, scene: viser.SceneApi, name: str, robot: Robot, *, is_painted: bool) -> None:
        """Add a robot at the origin of the parent node."""
        super().__init__(scene, name)
        casts: dict[str, Any] = {"cast_shadow": not is_painted, "receive_shadow": not is_painted}
        hull = write_glb([as_part([*paint_hull(robot), *still_gear(robot)])])
        scene.add_glb(f"{name}/hull", hull, **casts)
        self._wheels = [
            (row, _add_wheels(scene, f"{name}/wheels{number}", row, casts))
            for number, row in enumerate(find_wheels(robot))
        ]
        self._shoes = [
            (shoes, _add_shoes(scene, f"{name}/shoes{number}", shoes, casts))
            for number, shoes in enumerate(find_shoes(robot))
        ]
        self._flippers = [
            (indices, _add_flippers(scene, f"{name}/flippers{number}", flippers, casts))
            for number, (indices, flippers) in enumerate(_alike(robot.flippers))
        ]
        self._shade = _add_shade(scene, f"{name}/shade", robot, is_painted)
        self._rest = tuple(flipper.rest_angle for flipper in robot.flippers)
        self._pose: Pose | None = None
        self._travels: tuple[float, ...] = ()
        self._angles: tuple[float, ...] | None = None
        self.show(Frame(pose=Pose(), belt_travels=(0.0,) * len(robot.drives)))

    def show(self, frame: Frame) -> None:
        """Show this frame; only nodes that changed are updated."""
        if frame.pose != self._pose:
            self._pose = pose = frame.pose
            self._root.position = (float(pose.x), float(pose.y), float(pose.z))
            self._root.wxyz = quaternion(float(pose.roll), float(pose.pitch), float(pose.yaw))
            is_level = max(abs(float(pose.roll)), abs(float(pose.pitch))) < LEVEL
            if self._shade.visible != is_level:
                self._shade.visible = is_level
        angles, travels = frame.flipper_angles or self._rest, frame.belt_travels
        turned = angles != self._angles
        if turned:
            for indices, node in self._flippers:
                node.batched_wxyzs = _about_y([angles[index] for index in indices])
        if turned or travels != self._travels:
            self._angles, self._travels = angles, travels
            for row, node in (*self._wheels, *self._shoes):
                points, turns = row.at(travels, angles)
                node.batched_positions = points.astype(np.float32)
                node.batched_wxyzs = turns.astype(np.float32)


def _alike(flippers: Sequence[Flipper]) -> list[tuple[list[int], list[Flipper]]]:
    """Return flippers with equal belts together, each with its number."""
    found: dict[tuple, tuple[list[int], list[Flipper]]] = {}
    for number, flipper in enumerate(flippers):
        numbers, same = found.setdefault((flipper.track.loop, flipper.track.width), ([], []))
        numbers.append(number)
        same.append(flipper)
    return list(found.values())


def _about_y(angles: Sequence[float]) -> np.ndarray:
    """Return the quaternions (n, 4) of turns about y [rad]."""
    half, zero = 0.5 * np.asarray(angles, dtype=np.float64), np.zeros(len(angles))
    return np.column_stack((np.cos(half), zero, np.sin(half), zero)).astype(np.float32)


def _add_flippers(
    scene: viser.SceneApi, name: str, flippers: Sequence[Flipper], casts: dict[str, Any]
) -> viser.BatchedGlbHandle:
    glb = write_glb([as_part(flipper_gear(flippers[0]))])
    hinges = np.array([flipper.hinge for flipper in flippers])
    turns = _about_y([flipper.rest_angle for flipper in flippers])
    return scene.add_batched_glb(name, glb, turns, hinges, lod="off", **casts)


def _add_wheels(
    scene: viser.SceneApi, name: str, row: WheelRow, casts: dict[str, Any]
) -> viser.BatchedGlbHandle:
    count = len(row.places)
    still = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    glb = write_glb([as_part(row.painted)])
    return scene.add_batched_glb(
        name, glb, still, row.places, batched_scales=row.scales, lod="off", **casts
    )


def _add_shoes(
    scene: viser.SceneApi, name: str, shoes: Ribs, casts: dict[str, Any]
) -> viser.BatchedMeshHandle:
    count = len(shoes.scales)
    plain, marked = to_rgb(PALETTE["shoe"].colour), to_rgb((0.36, 0.37, 0.38))
    return scene.add_batched_meshes_simple(
        name,
        shoes.shape.vertices,
        shoes.shape.faces,
        np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)),
        np.zeros((count, 3)),
        batched_scales=shoes.scales,
        batched_colors=rib_colours([row.count for row in shoes.rows], plain, marked),
        lod="off",
        material="standard",
        **casts,
    )


def _add_shade(scene: viser.SceneApi, name: str, robot: Robot, is_painted: bool) -> viser.GlbHandle:
    """Add the shadow of the sky below a robot, which no light casts."""
    place = np.abs(np.linspace(-1.0, 1.0, SHADE_PIXELS)) ** 4
    inside = np.clip(1.0 - (place[:, None] + place[None, :]) ** 0.25, 0.0, 1.0)
    pixels = np.zeros((SHADE_PIXELS, SHADE_PIXELS, 4), dtype=np.uint8)
    soft = np.clip(inside / 0.34, 0.0, 1.0)
    pixels[..., 3] = np.round(255.0 * DARKEST[is_painted] * soft * soft * (3.0 - 2.0 * soft))
    wide = 1.16 * max(abs(drive.y) + 0.5 * drive.width for drive in robot.drives)
    feet = [bound for track in robot.tracks for bound in track.loop.bounds[:2]]
    feet += [wheel.x + side * wheel.radius for wheel in robot.wheels for side in (-1.0, 1.0)]
    middle, half = 0.5 * (min(feet) + max(feet)), 0.58 * (max(feet) - min(feet))
    signs = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    corners = np.column_stack((signs * (half, wide) + (middle, 0.0), np.full(4, SHADE_LIFT)))
    part = Part(
        vertices=corners, faces=np.array([(0, 1, 2), (0, 2, 3)]),
        normals=np.tile((0.0, 0.0, 1.0), (4, 1)), places=0.5 * (signs + 1.0),
        skin=Skin(texture=Image(content=encode(pixels)), is_unlit=True, is_clear=True),
    )  # fmt: skip
    return scene.add_glb(name, write_glb([part]), cast_shadow=False, receive_shadow=False)
