"""Everything in the 3D scene."""

from collections.abc import Sequence
from contextlib import nullcontext

import viser

from grouser.description import Course, Robot
from grouser.drawing.playback import Frame
from grouser.viewer.scene.ground import GroundFigure
from grouser.viewer.scene.overlays import ArrowsFigure, Rgb, TrailFigure, line_rgb
from grouser.viewer.scene.robot import RobotFigure

SKY_STYLE = (
    "canvas[data-engine] { background: linear-gradient(#b9cfe4 0%, #dfe9f2 45%, #f4f7f9 75%) }"
)
"""CSS for the page: a sky behind the scene, which is transparent. A picture behind the scene
(`set_background_image`) would cost as much as the floor where there is no graphics card."""


def light_scene(scene: viser.SceneApi) -> None:
    """Give a scene lights without shadows or reflections.

    An environment map and shadows, which are viser's default, cost a browser without a graphics
    card several seconds a frame. The lights stay where they are when the world is moved.
    """
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False, cast_shadow=False)
    scene.add_light_hemisphere(
        "/light/sky", sky_color=(255, 255, 255), ground_color=(175, 175, 180), intensity=1.9
    )
    scene.add_light_directional("/light/sun", intensity=2.0, position=(-1.4, -1.0, 3.0))
    scene.world_axes.visible = False


TRAIL = line_rgb(0)
"""Colour of the robot's own trail: that of its lines in charts."""
LOAD_OF_LONGEST, SLIP_OF_LONGEST = 0.12, 0.4
"""Where arrows are longest: shares of the robot's weight and of its speed limit [1]. A belt has
several contacts, and what is shorter than its height is hidden by it."""
GRAVITY = 9.81
"""Standard gravity, for the scale of forces [m/s^2]."""


class Stage:
    """A robot on a course with its ghosts, on a page."""

    def __init__(
        self,
        page: viser.ViserServer | viser.SceneApi,
        robot: Robot,
        course: Course,
        ghosts: Sequence[str] = (),
        *,
        root: str = "/world",
    ) -> None:
        """Put all of it into a scene.

        Args:
            page: The server, whose clients then see whole frames; or a scene.
            robot: What drives; ghosts look like it.
            course: Where.
            ghosts: Names of what moves beside it, one ghost each.
            root: Node that carries everything; who moves it moves the world.
        """
        scene = page.scene if isinstance(page, viser.ViserServer) else page
        self._atomic = page.atomic if isinstance(page, viser.ViserServer) else nullcontext
        self._scene, self._root, self._robot = scene, root, robot
        with self._atomic():
            light_scene(scene)
            self._ground = GroundFigure(scene, f"{root}/ground", course)
            self._robots = [RobotFigure(scene, f"{root}/robot", robot)]
            self._trails = [self._trail(0, TRAIL)]
            for number in range(len(ghosts)):
                colour = ghost_colour(number)
                name = f"{root}/ghost{number}"
                self._robots.append(RobotFigure(scene, name, robot, ghost=colour))
                self._trails.append(self._trail(number + 1, colour))
            size = robot.front - robot.rear
            self._arrows = ArrowsFigure(
                scene,
                f"{root}/arrows",
                longest=0.8 * size,
                force_of_longest=LOAD_OF_LONGEST * robot.mass * GRAVITY,
                slip_of_longest=SLIP_OF_LONGEST * robot.drive.speed_limit,
            )
            self.arrows = False

    def show(self, frames: Sequence[Frame]) -> None:
        """Show the robot and its ghosts, all at once: the first frame is the robot's."""
        with self._atomic():
            for robot, trail, frame in zip(self._robots, self._trails, frames, strict=True):
                robot.show(frame)
                pose = frame.pose
                trail.extend(float(pose.x), float(pose.y), float(pose.z))
            if self.arrows:
                self._arrows.show(frames[0].contacts)

    @property
    def trails(self) -> bool:
        """Whether trails are seen."""
        return self._trails[0].visible

    @trails.setter
    def trails(self, visible: bool) -> None:
        for trail in self._trails:
            trail.visible = visible

    @property
    def arrows(self) -> bool:
        """Whether contact forces and slip are seen."""
        return self._arrows.visible

    @arrows.setter
    def arrows(self, visible: bool) -> None:
        self._arrows.visible = visible

    def clear_trails(self) -> None:
        """Begin all trails anew, as after a reset."""
        with self._atomic():
            for trail in self._trails:
                trail.clear()

    def remove(self) -> None:
        """Take everything but the lights out of the scene."""
        with self._atomic():
            for figure in (self._ground, *self._robots, *self._trails, self._arrows):
                figure.remove()

    def _trail(self, number: int, colour: Rgb) -> TrailFigure:
        size = self._robot.front - self._robot.rear
        return TrailFigure(
            self._scene,
            f"{self._root}/trail{number}",
            colour,
            spacing=0.04 * size,
            thickness=0.02 * size,
            lift=0.006 * size / (number + 1),  # the robot's own lies on top of equal ones
        )


def ghost_colour(number: int) -> Rgb:
    """Return the colour of a ghost by its number from 0: that of its lines in charts."""
    return line_rgb(number + 1)
