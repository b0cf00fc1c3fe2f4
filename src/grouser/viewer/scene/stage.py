"""The whole 3D scene: robot, ghosts, course, trails and lights."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

import numpy as np
import viser

from grouser.description import Course, Robot
from grouser.drawing.playback import Frame
from grouser.models.ground.ruts import RutGrid
from grouser.viewer.scene.ground import GroundNode
from grouser.viewer.scene.lights import Look, light_scene
from grouser.viewer.scene.lit_ground import LitGround
from grouser.viewer.scene.lit_robot import LitRobot
from grouser.viewer.scene.overlays import Rgb, TrailNode, line_rgb
from grouser.viewer.scene.robot import RobotNode
from grouser.viewer.scene.soil import SoilNode

TRAIL = line_rgb(0)
"""Colour of the robot's trail, the same as that of its lines in charts."""


class Stage:
    """A robot, its ghosts and a course in a scene."""

    def __init__(
        self,
        page: viser.ViserServer | viser.SceneApi,
        robot: Robot,
        course: Course,
        ghosts: Sequence[str] = (),
        *,
        root: str = "/world",
        ruts: RutGrid | None = None,
        look: Look = "lean",
    ) -> None:
        """Add everything below `root`; clients of a server receive whole frames at once.

        The nodes, and so the look, are the same for all clients. Ghosts look the same in every
        look.
        """
        scene = page.scene if isinstance(page, viser.ViserServer) else page
        self._atomic = page.atomic if isinstance(page, viser.ViserServer) else nullcontext
        self._scene, self._root, self._robot, self._course = scene, root, robot, course
        size = robot.front - robot.rear
        colours = [ghost_colour(number) for number in range(len(ghosts))]
        with self._atomic():
            self._terrain, self._frames = course.terrain, None
            self._ground: GroundNode | LitGround | None = None
            self._soil: SoilNode | None = None
            self._dress(look)
            self.show_ruts(ruts)
            self._robots = [self._add_robot()] + [
                RobotNode(scene, f"{root}/ghost{number}", robot, ghost=colour)
                for number, colour in enumerate(colours)
            ]
            self._trails = [
                TrailNode(
                    scene,
                    f"{root}/trail{number}",
                    colour,
                    spacing=0.04 * size,
                    thickness=0.02 * size,
                    lift=0.006 * size / (number + 1),  # the robot's is above equal ones of ghosts
                )
                for number, colour in enumerate((TRAIL, *colours))
            ]

    @property
    def look(self) -> Look:
        """Look of robot and course."""
        return self._look

    @look.setter
    def look(self, look: Look) -> None:
        if look == self._look:
            return
        ruts = None if self._soil is None else self._soil.sheet.grid
        with self._atomic():
            for node in (self._ground, self._soil, self._robots[0]):
                if node is not None:
                    node.remove()
            self._ground = self._soil = None
            self._dress(look)
            self.show_ruts(ruts)
            self._robots[0] = self._add_robot()
            if self._frames is not None:
                self._robots[0].show(self._frames[0])

    def _dress(self, look: Look) -> None:
        """Set the lights of a look, and how ground and robot are added."""
        self._look: Look = look
        light_scene(self._scene, look, root=self._root)
        self._prepare()

    def _prepare(self) -> None:
        """Set how the ground of the course, and the robot, are added in the look."""
        scene, root, course, look = self._scene, self._root, self._course, self._look
        self._add_soil = partial(SoilNode, scene, f"{root}/soil", course.terrain, look=look)
        self._add_ground = partial(GroundNode, scene, f"{root}/ground", course)
        self._add_robot = partial(RobotNode, scene, f"{root}/robot", self._robot)
        if look != "lean":
            lit = {"is_painted": look == "painted"}
            self._add_ground = partial(LitGround, scene, f"{root}/ground", course, **lit)
            self._add_robot = partial(LitRobot, scene, f"{root}/robot", self._robot, **lit)

    def show(self, frames: Sequence[Frame], *, is_past: bool = False) -> None:
        """Show the robot, by the first frame, and its ghosts, by the others, all at once.

        Robots leave trails, except where the past is shown again.
        """
        self._frames = frames
        with self._atomic():
            for robot, trail, frame in zip(self._robots, self._trails, frames, strict=True):
                robot.show(frame)
                if is_past:
                    continue
                x, y, z = (float(getattr(frame.pose, name)) for name in ("x", "y", "z"))
                if self._soil is not None:  # a robot that has sunk in leaves its trail above
                    z = float(np.fmax(z, self._terrain.height(x, y)))
                trail.extend(x, y, z)

    def show_course(self, course: Course, ruts: RutGrid | None) -> None:
        """Show a course instead of the one before; robots stay."""
        with self._atomic():
            for node in (self._ground, self._soil):
                if node is not None:
                    node.remove()
            self._ground = self._soil = None
            self._course, self._terrain = course, course.terrain
            self._prepare()
            self.show_ruts(ruts)

    def show_ruts(self, ruts: RutGrid | None) -> None:
        """Show soft ground with its ruts as they are now; firm ground if None."""
        with self._atomic():
            if self._soil is not None and ruts is not None and self._soil.sheet.fits(ruts):
                self._soil.show(ruts)
                return
            if self._ground is not None and ruts is None and self._soil is None:
                return
            for node in (self._ground, self._soil):
                if node is not None:
                    node.remove()
            self._soil = None if ruts is None else self._add_soil(ruts)
            self._ground = self._add_ground(None if self._soil is None else self._soil.sheet)

    @property
    def deepest_rut(self) -> float:
        """Depth of the deepest rut that is shown [m]."""
        return 0.0 if self._soil is None else self._soil.deepest

    @property
    def trails(self) -> bool:
        """Whether trails are shown."""
        return self._trails[0].visible

    @trails.setter
    def trails(self, visible: bool) -> None:
        for trail in self._trails:
            trail.visible = visible

    def clear_trails(self) -> None:
        """Remove all points of the trails, as after a reset."""
        with self._atomic():
            for trail in self._trails:
                trail.clear()

    def remove(self) -> None:
        """Remove everything but the lights from the scene."""
        with self._atomic():
            for node in (self._ground, self._soil, *self._robots, *self._trails):
                if node is not None:
                    node.remove()


def ghost_colour(number: int) -> Rgb:
    """Return the colour of a ghost by its number from 0, the same as in charts."""
    return line_rgb(number + 1)
