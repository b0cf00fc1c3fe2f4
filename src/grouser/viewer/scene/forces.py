"""The force of the ground on each track and flipper: an arrow beside it, with its size in N."""

import numpy as np
import viser

from grouser.description import Robot
from grouser.drawing.mesh import arrow, creased
from grouser.laws.inertial import turn_matrix
from grouser.models import Motion
from grouser.viewer.scene.overlays import Rgb, SceneNode, add_mesh
from grouser.viewer.scene.vectors import Scale, quaternions_from_x, table

FORCE: Rgb = (106, 27, 154)
"""Colour of the arrows. look.js finds them by it, and draws them above all else."""
ASIDE = 0.12
"""Distance of the arrows from the outermost contact, in robot lengths [1]."""
WEAKEST = 0.5
"""Force below which a part counts as lifted [N]."""


class ForcesNode(SceneNode):
    """An arrow for each track, wheel and flipper of a robot."""

    def __init__(
        self, scene: viser.SceneApi, name: str, robot: Robot, *, longest: float, least: float
    ) -> None:
        """Add hidden arrows; the scale adapts so that none is longer than `longest` [m]."""
        super().__init__(scene, name)
        self.scale = Scale(longest, least)
        self._thickness = 0.03 * longest
        self._outermost, self._aside = 0.0, ASIDE * (robot.front - robot.rear)
        shape = creased(arrow())
        self._arrows = {
            part.name: (
                add_mesh(scene, f"{name}/{part.name}", shape, FORCE),
                scene.add_label(f"{name}/{part.name}-label", "", anchor="bottom-center"),
            )
            for part in (*robot.drives, *robot.flippers)
        }
        for handles in self._arrows.values():
            _show(handles, is_shown=False)

    def show(self, motion: Motion) -> None:
        """Show the sum of the forces at the contacts of each part, beside it."""
        contacts = motion.contacts
        origin = np.array([motion.pose.x, motion.pose.y, motion.pose.z], dtype=np.float64)
        turn = np.asarray(turn_matrix(motion.pose))
        places = (table(contacts, "position_in_world") - origin) @ turn
        forces = table(contacts, "force_in_world")
        self._outermost = max(self._outermost, float(np.abs(places[:, 1]).max(initial=0.0)))
        owners = np.array([contact.drive for contact in contacts])
        sums = {name: forces[owners == name].sum(axis=0) for name in self._arrows}
        largest = max(float(np.linalg.norm(force)) for force in sums.values())
        scale = self.scale.fit(largest)
        for name, (mesh, label) in self._arrows.items():
            force = sums[name]
            size = float(np.linalg.norm(force))
            _show((mesh, label), is_shown=size > WEAKEST)
            if size <= WEAKEST:
                continue
            own = owners == name
            x, y, z = np.average(places[own], axis=0, weights=np.linalg.norm(forces[own], axis=1))
            side = 1.0 if y >= 0.0 else -1.0
            start = origin + turn @ (x, side * (self._outermost + self._aside), z)
            (mesh.wxyz,) = quaternions_from_x(force[None] / size)
            mesh.position, label.position = start, start + force / scale
            mesh.scale = (size / scale, self._thickness, self._thickness)
            words = f"{size:.0f} N"
            if label.text != words:
                label.text = words


def _show(handles: tuple[viser.MeshHandle, viser.LabelHandle], *, is_shown: bool) -> None:
    for handle in handles:
        if handle.visible != is_shown:
            handle.visible = is_shown
