"""What is read from the scene: forces, slip, pressure, support, centres of rotation, lidars."""

from typing import Any

import viser

from grouser.description import Robot
from grouser.report.colours import SCALE
from grouser.viewer.scene.forces import FORCE, ForcesNode
from grouser.viewer.scene.overlays import Rgb, SceneNode
from grouser.viewer.scene.points import PointsNode
from grouser.viewer.scene.pressure import GRAVITY, PressureNode
from grouser.viewer.scene.support import (
    CENTRE,
    CENTRES,
    SAFE,
    SHAPES,
    TIPPING,
    RotationNode,
    SupportNode,
)
from grouser.viewer.scene.vectors import SLIP, ArrowsNode, table
from grouser.viewer.session import Snapshot

LONGEST = 0.8
"""Longest arrow, in robot lengths [1]."""
LEAST_FORCE, LEAST_SLIP = 0.02, 0.05
"""Force and slip that are at least shown with the longest arrow, as shares of the robot's weight
and of its speed limit [1]."""
OVERLAYS = ("forces", "slip", "pressure", "support", "icr", "lidar")
"""Names of all overlays, as switches and addresses have them."""


class Overlays:
    """All overlays of one robot; those that are switched off cost nothing."""

    def __init__(self, server: viser.ViserServer, robot: Robot, root: str = "/world") -> None:
        """Add all overlays, hidden, below a node."""
        self._server, scene = server, server.scene
        longest = LONGEST * (robot.front - robot.rear)
        weight, speed = robot.mass * GRAVITY, robot.drive.speed_limit
        with server.atomic():
            self._forces = ForcesNode(
                scene, f"{root}/forces", robot, longest=longest, least=LEAST_FORCE * weight
            )
            self._slips = ArrowsNode(
                scene, f"{root}/slips", SLIP, longest=longest, least=LEAST_SLIP * speed
            )
            self._pressure = PressureNode(scene, f"{root}/pressure", robot)
            self._support = SupportNode(scene, f"{root}/support", robot)
            self._rotation = RotationNode(scene, f"{root}/icr", robot)
            self._points = PointsNode(scene, f"{root}/lidar", robot)
            self._nodes: dict[str, SceneNode] = dict(
                zip(
                    OVERLAYS,
                    (self._forces, self._slips, self._pressure, self._support, self._rotation,
                     self._points),
                    strict=True,
                )
            )  # fmt: skip
            for node in self._nodes.values():
                node.visible = False
        self._has_contacts = False

    def switch(self, name: str, is_on: bool) -> None:
        """Switch one overlay on or off."""
        node = self._nodes[name]
        if node.visible != is_on:
            node.visible = is_on

    def is_on(self, name: str) -> bool:
        """Return whether an overlay is switched on."""
        return self._nodes[name].visible

    def show(self, now: Snapshot) -> None:
        """Show the overlays that are switched on."""
        motion = now.motion
        self._points.remember(now.time, motion)
        if not any(node.visible for node in self._nodes.values()):
            return
        self._has_contacts = motion.tip_over_angle is not None
        with self._server.atomic():
            if self.is_on("forces"):
                self._forces.show(motion)
            if self.is_on("slip"):
                places = table(motion.contacts, "position_in_world")
                self._slips.show(places, table(motion.contacts, "slip_in_world"))
            if self.is_on("pressure"):
                self._pressure.show(motion)
            if self.is_on("support"):
                self._support.show(motion)
            if self.is_on("icr"):
                self._rotation.show(motion)
            if self.is_on("lidar"):
                self._points.show(now.reading)

    def legend(self) -> list[dict[str, Any]]:
        """Return colour, picture and words of what is switched on, for the page."""
        found: list[dict[str, Any]] = []
        needs_contacts = [name for name in OVERLAYS[:4] if self.is_on(name)]
        if needs_contacts and not self._has_contacts:
            found.append(_entry("#5d6b7a", "line", "this model has no contacts"))
        elif needs_contacts:
            found += self._contact_legend()
        if self.is_on("icr"):
            found += [
                _entry(colour, SHAPES[name], f"ICR of {name}") for name, colour in CENTRES.items()
            ]
        if self.is_on("lidar"):
            words = "lidar, bright is high" if self._points.has_lidars else "no lidar"
            found.append(_entry("linear-gradient(90deg,#440154,#21918c,#fde725)", "strip", words))
        return found

    def _contact_legend(self) -> list[dict[str, Any]]:
        found = []
        if self.is_on("forces"):
            words = f"ground on a track or flipper, {0.01 * self._forces.scale.value:g} N per cm"
            found.append(_entry(FORCE, "arrow", words))
        if self.is_on("slip"):
            words = f"slip, {0.01 * self._slips.scale.value:g} m/s per cm"
            found.append(_entry(SLIP, "arrow", words))
        if self.is_on("pressure"):
            words = f"0 to {1e-3 * self._pressure.scale.value:g} kPa"
            found.append(_entry(f"linear-gradient(90deg,{','.join(SCALE)})", "strip", words))
        if self.is_on("support"):
            found.append(_entry(CENTRE, "centre", "centre of mass, plumb line"))
            found.append(_entry(SAFE, "line", "support polygon"))
            found.append(_entry(TIPPING, "line", "tips over"))
        return found

    def remove(self) -> None:
        """Remove all overlays."""
        with self._server.atomic():
            for node in self._nodes.values():
                node.remove()


def _entry(colour: str | Rgb, picture: str, words: str) -> dict[str, Any]:
    css = colour if isinstance(colour, str) else "rgb({}, {}, {})".format(*colour)
    return {"colour": css, "picture": picture, "words": words}
