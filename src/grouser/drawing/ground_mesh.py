"""A course as meshes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import Course
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import Plane, Slab
from grouser.description.surface import Rectangle
from grouser.description.terrain import Terrain
from grouser.drawing.mesh import moved, prism
from grouser.geometry import rotate

SKIRT = 0.01
"""Depth of the sides of a height field below its lowest node [m]."""
NODES = 200
"""Largest number of nodes of a height field drawn along each side."""
DRAPE = 0.1
"""Distance of the points at which a patch follows the ground [m]."""
UPRIGHT = 0.02
"""Largest upward component of the normal of a triangle that is seen from the side only [1]."""
CLEAR = 0.002
"""Least distance between a height field and a plane that it joins [m]."""
LIFT = 0.003
"""Height of patches and lines above the ground [m]."""
DASH, GAP = 0.12, 0.06
"""Length of the dashes of a path, and of the gaps between them [m]."""


def slab_mesh(slab: Slab) -> Trimesh:
    """Return a block, or a wedge where one end of its top meets its bottom."""
    where = slab.footprint
    half = 0.5 * where.length
    outline = [(-half, slab.bottom), (half, slab.bottom)]
    outline += [(half, slab.top_end)] if slab.top_end > slab.bottom else []
    outline += [(-half, slab.top_start)] if slab.top_start > slab.bottom else []
    turned = Rotation.from_euler("z", where.yaw)
    return moved(prism(outline, where.width), (where.x, where.y, 0.0), turned)


def slab_edges(slab: Slab) -> NDArray[np.float64]:
    """Return the edges of the top of a slab, and those below its corners (n, 2, 3) [m]."""
    corners = slab.footprint.corners
    tops = np.array([slab.top_start, slab.top_end, slab.top_end, slab.top_start])
    top = np.column_stack((corners, tops))
    bottom = np.column_stack((corners, np.full(4, slab.bottom)))
    around = np.stack((top, np.roll(top, -1, axis=0)), axis=1)
    upright = np.stack((bottom, top), axis=1)[tops > slab.bottom + 1e-9]
    return np.concatenate((around, upright))


def field_mesh(field: HeightField, planes: Sequence[Plane] = ()) -> Trimesh:
    """Return a height field as a closed block; cells at nodes without a height are left out.

    Where it lies on a plane or just below it is drawn a little above: where both are equally high,
    chance would decide in each picture which of them is seen.
    """
    stride = max(1, math.ceil(max(field.heights.shape) / NODES))
    rows, columns = (_thin(count, stride) for count in field.heights.shape)
    heights = field.heights[np.ix_(rows, columns)]
    u = (columns - 0.5 * (field.heights.shape[1] - 1)) * field.spacing_along
    v = (rows - 0.5 * (field.heights.shape[0] - 1)) * field.spacing_across
    along, across = np.meshgrid(u, v)
    x, y = rotate(along, across, field.yaw)
    low = float(np.nanmin(heights)) - SKIRT
    flat = np.column_stack((np.ravel(x) + field.x, np.ravel(y) + field.y))
    z = np.nan_to_num(heights, nan=low).ravel()
    for plane in planes:
        floor = flat @ plane.top[:2] + plane.top[2]
        z = np.where(np.abs(z - floor) < CLEAR, floor + CLEAR, z)
    top = np.column_stack((flat, z))
    bottom = np.column_stack((flat, np.full(len(flat), low)))
    return _close(top, bottom, _cells(~np.isnan(heights)))


def solid_mesh(mesh: Mesh) -> Trimesh:
    """Return a closed mesh of a course."""
    return Trimesh(vertices=mesh.vertices, faces=mesh.triangles, process=False)


def without_top(mesh: Trimesh) -> Trimesh:
    """Return a mesh without the triangles that can be seen from above."""
    sides = mesh.face_normals[:, 2] < UPRIGHT
    return Trimesh(vertices=mesh.vertices, faces=mesh.faces[sides], process=False)


def split_by_height(mesh: Trimesh, bands: int) -> list[Trimesh]:
    """Return the triangles of a mesh by height, from the lowest band to the highest.

    Each triangle has its own corners, so that it is drawn flat; empty bands are empty meshes.
    """
    heights = mesh.vertices[mesh.faces, 2].mean(axis=1)
    low, high = float(np.min(mesh.vertices[:, 2])) + SKIRT, float(np.max(mesh.vertices[:, 2]))
    band = np.clip(((heights - low) / max(high - low, 1e-9) * bands).astype(np.intp), 0, bands - 1)
    parts = []
    for number in range(bands):
        corners = mesh.vertices[mesh.faces[band == number]].reshape(-1, 3)
        parts.append(
            Trimesh(vertices=corners, faces=np.arange(len(corners)).reshape(-1, 3), process=False)
        )
    return parts


def drape(terrain: Terrain, where: Rectangle) -> Trimesh:
    """Return a sheet over the ground below a rectangle, a little above it."""
    counts = [max(math.ceil(size / DRAPE), 1) + 1 for size in (where.length, where.width)]
    if terrain.is_flat:
        counts = [2, 2]
    u, v = np.meshgrid(
        np.linspace(-0.5, 0.5, counts[0]) * where.length,
        np.linspace(-0.5, 0.5, counts[1]) * where.width,
    )
    x, y = rotate(u.ravel(), v.ravel(), where.yaw)
    x, y = x + where.x, y + where.y
    z = np.asarray(terrain.height(x, y)) + LIFT
    known = ~np.isnan(z)
    cells = _cells(known.reshape(u.shape))
    faces = np.concatenate((cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]))
    return Trimesh(
        vertices=np.column_stack((x, y, np.where(known, z, 0.0))), faces=faces, process=False
    )


def path_dashes(course: Course) -> NDArray[np.float64]:
    """Return the reference path as dashes over the ground (n, 2, 3); none without a path [m]."""
    if course.path is None:
        return np.empty((0, 2, 3))
    count = max(round(course.path.length / (DASH + GAP)), 1)
    period = course.path.length / count
    dash = period * DASH / (DASH + GAP)
    parts = np.linspace(0.0, dash, 4)
    stations = np.arange(count)[:, None] * period + parts
    x, y, _ = course.path.at(stations)
    z = np.asarray(course.terrain.height(x, y)) + 2.0 * LIFT
    points = np.stack((x, y, z), axis=-1)
    dashes = np.stack((points[:, :-1], points[:, 1:]), axis=2).reshape(-1, 2, 3)
    return dashes[~np.isnan(dashes).any(axis=(1, 2))]


def area_border(course: Course) -> NDArray[np.float64]:
    """Return the border of the area over the ground (n, 2, 3); none without an area [m]."""
    if course.area is None:
        return np.empty((0, 2, 3))
    (x0, x1), (y0, y1) = course.area.x, course.area.y
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
    share = np.linspace(0.0, 1.0, 1 if course.terrain.is_flat else 20, endpoint=False)[:, None]
    sides = [a + share * (b - a) for a, b in zip(corners, corners[1:], strict=False)]
    line = np.concatenate((*sides, corners[:1]))
    z = np.asarray(course.terrain.height(line[:, 0], line[:, 1])) + LIFT
    points = np.column_stack((line, np.nan_to_num(z)))
    return np.stack((points[:-1], points[1:]), axis=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Extent of a course."""

    x: tuple[float, float]
    """Smallest and largest world x [m]."""
    y: tuple[float, float]
    """Smallest and largest world y [m]."""

    @property
    def size(self) -> float:
        """The longer side [m]."""
        return max(self.x[1] - self.x[0], self.y[1] - self.y[0])

    @property
    def middle(self) -> tuple[float, float]:
        """The middle in x and y [m]."""
        return 0.5 * (self.x[0] + self.x[1]), 0.5 * (self.y[0] + self.y[1])


def extent_of(course: Course) -> Extent:
    """Return the smallest rectangle around start, path, area and all pieces but planes."""
    points = [np.array([[course.start.x, course.start.y]])]
    points += [outline.polygon for outline in course.outlines()]
    points += [course.path.points(0.1)] if course.path else []
    points += [np.array([course.area.x, course.area.y]).T] if course.area else []
    low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
    return Extent(x=(float(low[0]), float(high[0])), y=(float(low[1]), float(high[1])))


def _thin(count: int, stride: int) -> NDArray[np.intp]:
    """Return every `stride`-th of `count` numbers, and the last."""
    return np.unique(np.append(np.arange(0, count, stride), count - 1))


def _cells(known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the corners of the cells of a grid whose nodes are all known, counter-clockwise."""
    rows, columns = known.shape
    number = np.arange(rows * columns).reshape(rows, columns)
    corners = np.stack(
        (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]), axis=-1
    ).reshape(-1, 4)
    return corners[known.ravel()[corners].all(axis=1)]


def _close(
    top: NDArray[np.float64], bottom: NDArray[np.float64], cells: NDArray[np.intp]
) -> Trimesh:
    """Return the closed mesh between a surface of cells and the floor below it.

    Cells are cut as height fields are: from their node of least u and v to the opposite one.
    """
    count = len(top)
    ahead = np.roll(cells, -1, axis=1)
    upper = np.concatenate((cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]))
    lower = np.concatenate((cells[:, [0, 2, 1]], cells[:, [0, 3, 2]])) + count
    edges = np.column_stack((cells.ravel(), ahead.ravel()))
    inner = {(b, a) for a, b in edges.tolist()}
    rim = np.array([edge not in inner for edge in map(tuple, edges.tolist())])
    a, b = edges[rim].T
    sides = np.concatenate(
        (np.column_stack((a, a + count, b)), np.column_stack((b, a + count, b + count)))
    )
    vertices = np.concatenate((top, bottom))
    return Trimesh(vertices=vertices, faces=np.concatenate((upper, lower, sides)), process=False)
