"""Scene nodes to touch a robot: what the pointer grabs, and the spring that it pulls by."""

import math

import numpy as np
import viser

from grouser.description import Robot
from grouser.drawing.mesh import arrow, creased
from grouser.drawing.robot_mesh import shape_robot
from grouser.viewer.scene.overlays import MATERIAL, Rgb, SceneNode, add_mesh
from grouser.viewer.scene.vectors import quaternions_from_x
from grouser.viewer.touchable import Vector

COLOUR: Rgb = (216, 121, 16)
"""Colour of the spring."""
STRETCH = 1.02
"""Size of what the pointer grabs over that of the robot [1]."""
SHORTEST = 1e-3
"""Shortest spring that is drawn [m]."""


def add_grip(scene: viser.SceneApi, name: str, robot: Robot) -> viser.MeshHandle:
    """Add what the pointer grabs: an invisible mesh around hull and drives, in the body frame."""
    shape = shape_robot(robot)
    around = (shape.hull + shape.rubber).convex_hull
    middle = around.bounds.mean(axis=0)
    vertices = middle + STRETCH * (np.asarray(around.vertices) - middle)
    # As a net of lines without colour it hides nothing; a ray still meets its triangles.
    return scene.add_mesh_simple(
        name,
        vertices,
        np.asarray(around.faces),
        wireframe=True,
        opacity=0.0,
        material=MATERIAL,
        cast_shadow=False,
        receive_shadow=False,
    )


class PullNode(SceneNode):
    """An arrow from a point of the robot to where it is pulled, with the force in N."""

    def __init__(self, scene: viser.SceneApi, name: str, thickness: float) -> None:
        """Add a hidden arrow; `thickness` is the radius of its head [m]."""
        super().__init__(scene, name)
        self._thickness = thickness
        self._arrow = add_mesh(scene, f"{name}/arrow", creased(arrow()), COLOUR)
        self._label = scene.add_label(f"{name}/force", "", anchor="bottom-center")
        self.visible = False

    def show(self, spring: tuple[Vector, Vector, Vector] | None) -> None:
        """Show a spring: its two ends in the frame of the course [m] and its force [N]."""
        length = 0.0 if spring is None else math.dist(spring[0], spring[1])
        if spring is None or length < SHORTEST:
            if self.visible:
                self.visible = False
            return
        start, end = np.array(spring[0]), np.array(spring[1])
        (turn,) = quaternions_from_x((end - start)[None] / length)
        self._arrow.position, self._arrow.wxyz = start, turn
        thick = min(self._thickness, 0.3 * length)
        self._arrow.scale = (length, thick, thick)
        self._label.position = end
        words = f"{math.hypot(*spring[2]):.0f} N"
        if self._label.text != words:
            self._label.text = words
        if not self.visible:
            self.visible = True
