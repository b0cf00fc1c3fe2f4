"""Centre of mass with the support polygon, and instantaneous centres of rotation."""

import math
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray
from trimesh import Trimesh
from trimesh.creation import annulus, cylinder, icosphere

from grouser.description import Robot
from grouser.geometry import convex_hull
from grouser.laws.inertial import turn_matrix
from grouser.models import Contact, Motion, SideMeans
from grouser.viewer.scene.overlays import Rgb, SceneNode, add_mesh
from grouser.viewer.scene.vectors import table

CENTRE, WHITE, SAFE, TIPPING = (0, 0, 0), (250, 250, 250), (45, 62, 80), (200, 30, 30)
"""Colours of the centre of mass, black and white as in drawings, and of a polygon that it is inside
or outside of. No overlay has the colour of a trail or ghost."""
CENTRES: dict[str, Rgb] = {
    "body": (29, 39, 51), "left belts": (141, 85, 36), "right belts": (110, 110, 0),
}  # fmt: skip
"""Colours of the centres of rotation."""
SHAPES = {"body": "ring", "left belts": "triangle", "right belts": "square"}
"""Their shapes in the scene, and in the legend."""
PLUMB = 0.35
"""How far the plumb line of the centre of mass reaches above it, in robot lengths [1]."""
LEAST_TURN = 0.02
"""Yaw rate below which there is no centre of rotation [rad/s]."""
FARTHEST = 6.0
"""Distance up to which a centre of rotation is shown, in robot lengths [1]."""


def centre_of_mass(robot: Robot, motion: Motion) -> NDArray[np.float64]:
    """Return the centre of mass of a robot with its flippers where they are, in the world [m]."""
    places = [robot.body.centre_of_mass, *(drive.centre for drive in robot.drives)]
    angles = motion.flipper_angles or [flipper.rest_angle for flipper in robot.flippers]
    places += [
        flipper.centre_at(float(angle))
        for flipper, angle in zip(robot.flippers, angles, strict=True)
    ]
    masses = [part.mass for part in (robot.body, *robot.drives, *robot.flippers)]
    return to_world(np.average(places, axis=0, weights=masses), motion)


def to_world(points: NDArray[np.float64], motion: Motion) -> NDArray[np.float64]:
    """Return points of the body frame (..., 3) in the world frame [m]."""
    pose = motion.pose
    origin = np.array((pose.x, pose.y, pose.z), dtype=np.float64)
    return origin + np.asarray(points) @ turn_matrix(pose).T


def support_polygon(contacts: Sequence[Contact]) -> NDArray[np.float64]:
    """Return the contacts (n, 3) on the convex hull as seen from above, anticlockwise [m]."""
    points = table(contacts, "position_in_world")
    return points[convex_hull(points[:, :2])]


def rotation_centres(robot: Robot, motion: Motion) -> dict[str, tuple[float, float]] | None:
    """Return where the body, and the belts of each side, rotate about, in the body frame [m].

    The body's centre is the point of its plane that does not move over the ground; that of a belt
    is the point that would not move if it were carried along by the belt. None while the robot
    does not turn.
    """
    twist = motion.twist
    turn = float(twist.yaw_rate)
    if not abs(turn) > LEAST_TURN:
        return None
    left, right = SideMeans.of(robot)(motion.belt_speeds)
    x = -float(twist.vy) / turn
    speeds = {"body": 0.0, "left belts": left, "right belts": right}
    return {name: (x, (float(twist.vx) - speed) / turn) for name, speed in speeds.items()}


class SupportNode(SceneNode):
    """Centre of mass, its place above the ground, and the polygon of the contacts."""

    def __init__(self, scene: viser.SceneApi, name: str, robot: Robot) -> None:
        super().__init__(scene, name)
        self._robot, self._scene, self._name = robot, scene, name
        self._size = robot.front - robot.rear
        radius = 0.035 * self._size
        ball = icosphere(3, radius)
        is_dark = np.prod(ball.triangles_center, axis=1) > 0.0  # every second octant
        self._ball = scene.add_frame(f"{name}/ball", show_axes=False)
        for part, colour in ((is_dark, CENTRE), (~is_dark, WHITE)):
            octants = Trimesh(ball.vertices, ball.faces[part], process=False)
            add_mesh(scene, f"{name}/ball/{colour[0]}", octants, colour)
        self._foot = add_mesh(
            scene, f"{name}/foot", cylinder(radius, 0.1 * radius, sections=16), CENTRE
        )
        self._top = add_mesh(scene, f"{name}/top", icosphere(1, 0.6 * radius), CENTRE)
        self._lines: viser.LineSegmentsHandle | None = None

    def show(self, motion: Motion) -> None:
        """Show them as the robot is now."""
        centre, polygon = centre_of_mass(self._robot, motion), support_polygon(motion.contacts)
        ground = float(polygon[:, 2].mean()) if len(polygon) else float(motion.pose.z)
        lift = 0.01 * self._size
        foot = np.array((centre[0], centre[1], ground + lift))
        self._ball.position, self._foot.position = tuple(centre), tuple(foot)
        self._top.position = tuple(centre + (0.0, 0.0, PLUMB * self._size))
        corners = polygon + (0.0, 0.0, lift)
        sides = np.stack((corners, np.roll(corners, -1, axis=0)), axis=1)
        # A plumb line, which also shows above the hull where the centre of mass is hidden in it.
        top = centre + (0.0, 0.0, PLUMB * self._size)
        segments = np.concatenate((sides.reshape(-1, 2, 3), [[top, foot]]))
        is_safe = (motion.tip_over_angle or 0.0) >= 0.0
        self._lines = self._scene.add_line_segments(
            f"{self._name}/lines",
            segments.astype(np.float32),
            SAFE if is_safe else TIPPING,
            thickness=0.012 * self._size,
        )


class RotationNode(SceneNode):
    """A flat shape on the ground at each instantaneous centre of rotation."""

    def __init__(self, scene: viser.SceneApi, name: str, robot: Robot) -> None:
        super().__init__(scene, name)
        self._robot, self._size = robot, robot.front - robot.rear
        radius, height = 0.05 * self._size, 0.012 * self._size
        shapes = {
            "ring": annulus(0.6 * radius, radius, height, sections=24),
            "triangle": cylinder(1.2 * radius, height, sections=3),
            "square": cylinder(1.1 * radius, height, sections=4),
        }
        self._marks = {
            kind: add_mesh(scene, f"{name}/{SHAPES[kind]}", shapes[SHAPES[kind]], colour)
            for kind, colour in CENTRES.items()
        }

    def show(self, motion: Motion) -> None:
        """Show the centres that are near."""
        centres = rotation_centres(self._robot, motion) or {}
        for kind, mark in self._marks.items():
            place = centres.get(kind)
            is_near = place is not None and math.hypot(*place) < FARTHEST * self._size
            if mark.visible != is_near:
                mark.visible = is_near
            if place is not None and is_near:
                mark.position = to_world(np.array((*place, 0.0)), motion)
