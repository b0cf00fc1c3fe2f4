"""Lines of paint on the ground: path, border, start and goal."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import Course
from grouser.drawing.ground_mesh import LIFT, extent_of
from grouser.drawing.mesh import creased, disc, flat, join, moved

DASH, PERIOD = 0.22, 0.40
"""Length of the dashes of a path, and their distance [m]."""
HEIGHT = 2.4 * LIFT
"""Height of paint above the ground [m]."""
STEEP = 0.03
"""Difference of height within a dash from which it is left out: paint does not hang in air [m]."""


def painted_marks(course: Course) -> Iterator[tuple[str, Trimesh]]:
    """Yield the name of the paint and the mesh of each mark of a course."""
    size = min(max(0.06 * extent_of(course).size, 0.08), 0.4)
    yield "white", join(_dashes(course, 0.09 * size))
    yield "yellow", join(_border(course, 0.10 * size))
    yield "white", _start(course, size)
    if (goal := _goal(course, size)) is not None:
        yield "red", goal


def ribbon(points: NDArray[np.float64], width: float) -> Trimesh:
    """Return a band of a width over points (n, 3) [m]."""
    along = np.gradient(points[:, :2], axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    side = 0.5 * width * np.column_stack((-along[:, 1], along[:, 0], np.zeros(len(points))))
    count = len(points)
    here = np.arange(count - 1)
    faces = np.concatenate(
        (
            np.column_stack((here, here + 1, here + count)),
            np.column_stack((here + 1, here + count + 1, here + count)),
        )
    )
    return Trimesh(
        vertices=np.concatenate((points - side, points + side)), faces=faces, process=False
    )


def _laid(course: Course, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    z = np.nan_to_num(np.asarray(course.terrain.height(x, y))) + HEIGHT
    return np.column_stack((x, y, z))


def _dashes(course: Course, width: float) -> Iterator[Trimesh]:
    if course.path is None:
        return
    count = max(round(course.path.length / PERIOD), 1)
    period = course.path.length / count
    part = np.linspace(0.0, period * DASH / PERIOD, 6)
    x, y, _ = course.path.at(np.arange(count)[:, None] * period + part)
    z = np.nan_to_num(np.asarray(course.terrain.height(x, y))) + HEIGHT
    a, b, _ = next(iter(course.terrain.planes)).top if course.terrain.planes else (0.0, 0.0, 0.0)
    level = np.ptp(z - a * x - b * y, axis=1) < STEEP
    for points in np.stack((x, y, z), axis=-1)[level]:
        yield ribbon(points, width)


def _border(course: Course, width: float) -> Iterator[Trimesh]:
    if course.area is None:
        return
    (x0, x1), (y0, y1) = course.area.x, course.area.y
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
    count = 2 if course.terrain.is_flat else 60
    for a, b in zip(corners, corners[1:], strict=False):
        yield ribbon(_laid(course, *np.linspace(a, b, count).T), width)


def _start(course: Course, size: float) -> Trimesh:
    """Return a flat bar across the path and an arrow in front of it."""
    bar = flat([(-0.1 * size, -size), (0.0, -size), (0.0, size), (-0.1 * size, size)], 0.002)
    tip = flat([(0.08 * size, -0.2 * size), (0.4 * size, 0.0), (0.08 * size, 0.2 * size)], 0.002)
    pose = course.terrain.pose_at(course.start.x, course.start.y, course.start.yaw)
    place = (float(pose.x), float(pose.y), float(np.nan_to_num(pose.z)) + HEIGHT)
    turn = Rotation.from_quat(np.nan_to_num(pose.rotation.as_quat()))
    return creased(moved(join((bar, tip)), place, turn))


def _goal(course: Course, size: float) -> Trimesh | None:
    """Return a flag on a pole at the end of the path, unless that is the start."""
    if course.path is None:
        return None
    x, y, heading = (float(value) for value in course.path.at(course.path.length))
    if math.hypot(x - course.start.x, y - course.start.y) < size:
        return None
    upright = Rotation.from_euler("x", 90.0, degrees=True)
    pole = moved(disc(0.02 * size, 1.6 * size, 12), (0.0, 0.0, 0.8 * size), upright)
    foot = moved(disc(0.3 * size, 0.006, 24), (0.0, 0.0, 0.003), upright)
    corners = ((0.0, 0.0), (0.0, 0.45 * size), (-0.7 * size, 0.225 * size))
    cloth = moved(flat(corners, 0.02 * size), (0.0, 0.01 * size, 1.15 * size), upright)
    z = float(np.nan_to_num(course.terrain.height(x, y)))
    return moved(creased(join((pole, foot, cloth))), (x, y, z), Rotation.from_euler("z", heading))
