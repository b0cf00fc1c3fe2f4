"""Centre of mass with the support polygon, and instantaneous centres of rotation."""

import math
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray
from trimesh.creation import cylinder, icosphere

from grouser.description import Robot
from grouser.geometry import convex_hull
from grouser.laws.inertial import turn_matrix
from grouser.models import Contact, Motion, SideMeans
from grouser.viewer.scene.overlays import Rgb, SceneNode, add_batch, add_mesh, line_rgb, to_linear
from grouser.viewer.scene.vectors import HIDDEN, table

CENTRE, SAFE, TIPPING = line_rgb(6), line_rgb(1), (200, 30, 30)
"""Colours of the centre of mass, and of a polygon that it is inside or outside of."""
CENTRES: dict[str, Rgb] = {
    "body": line_rgb(6), "left belts": line_rgb(0), "right belts": line_rgb(2),
}  # fmt: skip
"""Colours of the centres of rotation."""
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
        self._ball = add_mesh(scene, f"{name}/ball", icosphere(1, radius), CENTRE)
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
    """Discs on the ground at the instantaneous centres of rotation."""

    def __init__(self, scene: viser.SceneApi, name: str, robot: Robot) -> None:
        super().__init__(scene, name)
        self._robot, self._size = robot, robot.front - robot.rear
        colours = to_linear(np.array(list(CENTRES.values()), dtype=np.float64))
        disc = cylinder(0.05 * self._size, 0.012 * self._size, sections=20)
        self._node = add_batch(scene, f"{name}/discs", disc, np.full((3, 3), HIDDEN), colours)

    def show(self, motion: Motion) -> None:
        """Show the centres that are near."""
        centres = rotation_centres(self._robot, motion)
        scales, places = np.full((3, 3), HIDDEN), np.zeros((3, 3))
        for number, place in enumerate((centres or {}).values()):
            if math.hypot(*place) < FARTHEST * self._size:
                scales[number], places[number, :2] = 1.0, place
        self._node.batched_positions = to_world(places, motion).astype(np.float32)
        self._node.batched_scales = scales.astype(np.float32)
