"""How far a robot is from tipping over: the angle until its centre of mass is above an edge."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from grouser.description import Robot
from grouser.geometry import Array, Pose, convex_hull, half_hull, wrap_angle
from grouser.laws.inertial import turn_matrix

TOUCHING = 2e-4
"""How far above the plane that a robot stands on a belt still counts as standing on it [m]."""
RIM_POINTS = 32
"""Points of the rim of a wheel [1]."""


class TipOverMeter:
    """Measures the angle by which a robot can still lean until it tips over.

    The edges are those of what the robot stands on with its flippers as they are: the convex hull
    of its lowest belts and wheels. They belong to the robot, not to the contacts of the moment,
    which on rough ground are few and change while nothing tips. Left out: motion, and ground that
    is not under all of the robot, as at a ledge.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._fixed = list(_fixed_parts(robot))
        self._known: tuple[tuple[float, ...], Array] | None = None

    def angle(self, pose: Pose, centre_of_mass: Array, flipper_angles: Sequence[float]) -> float:
        """Return the least angle about an edge; negative beyond it [rad].

        Args:
            pose: Where the robot is.
            centre_of_mass: Its centre of mass in the world frame [m].
            flipper_angles: Angle of each flipper [rad].
        """
        turn = turn_matrix(pose)
        centre = (centre_of_mass - (float(pose.x), float(pose.y), float(pose.z))) @ turn
        if not np.isfinite(turn).all() or not np.isfinite(centre).all():
            return math.nan
        return tip_over_angle(self.support(centre, flipper_angles), centre, turn[2])

    def support(self, centre: Array, flipper_angles: Sequence[float]) -> Array:
        """Return the corners (n, 3) of what it stands on, anticlockwise, in the body frame [m].

        Args:
            centre: The centre of mass in the body frame [m].
            flipper_angles: Angle of each flipper [rad].
        """
        key = tuple(flipper_angles)
        if self._known is None or self._known[0] != key:
            parts = [*self._fixed, *_flipper_parts(self._robot, key)]
            self._known = key, _find_support(parts, centre)
        return self._known[1]


def tip_over_angle(corners: Array, centre: Array, up: Array) -> float:
    """Return the angle until the centre of mass is above an edge of the support, of all the least.

    The angle between the vertical and the direction from the edge to the centre of mass, in the
    plane across the edge; negative if the centre of mass is beyond the edge.

    Reference:
        E. Papadopoulos and D. Rey, A new measure of tipover stability margin for mobile
        manipulators, ICRA 1996: its angle, with gravity as the only force.

    Args:
        corners: Corners of the support (n, 3), anticlockwise as seen from above [m].
        centre: Centre of mass [m].
        up: Unit vector against gravity, in the same frame [1].
    """
    along = np.roll(corners, -1, axis=0) - corners
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.cross(along, np.roll(along, -1, axis=0)).sum(axis=0)
    normal = normal / np.linalg.norm(normal)
    inward = np.cross(normal, along)
    to_centre = centre - corners

    def lean(vectors: Array) -> Array:
        return np.arctan2(np.sum(vectors * inward, axis=1), vectors @ normal)

    left = lean(to_centre) - lean(np.broadcast_to(up, along.shape))
    return float(np.min(wrap_angle(left)))


def _fixed_parts(robot: Robot) -> Iterator[tuple[Array, float, float]]:
    """Yield points (x, z) of each track and wheel, and its right and left side [m]."""
    for track in robot.tracks:
        yield track.loop.outline(), track.y - 0.5 * track.width, track.y + 0.5 * track.width
    turn = np.linspace(0.0, 2.0 * math.pi, RIM_POINTS, endpoint=False)
    for wheel in robot.wheels:
        rim = wheel.radius * np.column_stack((np.sin(turn), 1.0 - np.cos(turn)))
        yield rim + (wheel.x, 0.0), wheel.y - 0.5 * wheel.width, wheel.y + 0.5 * wheel.width


def _flipper_parts(robot: Robot, angles: Sequence[float]) -> Iterator[tuple[Array, float, float]]:
    for flipper, angle in zip(robot.flippers, angles, strict=True):
        cos, sin = math.cos(angle), math.sin(angle)
        turned = flipper.track.loop.outline() @ np.array(((cos, -sin), (sin, cos)))
        half = 0.5 * flipper.track.width
        y = flipper.hinge[1]
        yield turned + (flipper.hinge[0], flipper.hinge[2]), y - half, y + half


def _find_support(parts: Sequence[tuple[Array, float, float]], centre: Array) -> Array:
    """Return the hull of all points on the plane that parts stand on, as seen from above."""
    places = np.concatenate([points for points, _, _ in parts])
    (x1, z1), (x2, z2) = _standing_line(places, centre)
    slope = (z2 - z1) / (x2 - x1)
    touching = np.array(
        [
            (x, y)
            for points, *sides in parts
            for x, _ in points[points[:, 1] - z1 - slope * (points[:, 0] - x1) < TOUCHING]
            for y in sides
        ]
    )
    hull = touching[convex_hull(touching)]
    return np.column_stack((hull, z1 + slope * (hull[:, 0] - x1)))


def _standing_line(places: Array, centre: Array) -> tuple[Array, Array]:
    """Return the side of the lower hull of points (x, z) on which a robot comes to rest.

    The centre of mass is above it, across it; of several such sides it is the most level one.
    """
    order: list[int] = np.lexsort((places[:, 1], places[:, 0])).tolist()
    chain = places[half_hull(places, order)]
    sides = [(a, b) for a, b in zip(chain, chain[1:], strict=False) if b[0] - a[0] > 1e-9]

    def rank(side: tuple[Array, Array]) -> tuple[bool, float]:
        along = side[1] - side[0]
        share = float((centre[[0, 2]] - side[0]) @ along / (along @ along))
        return not 0.0 <= share <= 1.0, abs(float(along[1] / along[0]))

    return min(sides, key=rank)
