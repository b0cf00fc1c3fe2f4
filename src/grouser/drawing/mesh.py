"""Triangle meshes: solids, extrusions, smooth shading."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

CREASE = math.radians(35.0)
"""Edges that bend more than this are drawn sharp [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mesh:
    """Triangles, counter-clockwise seen from outside."""

    vertices: NDArray[np.float64]
    """Corners (n, 3) [m]."""
    faces: NDArray[np.intp]
    """Indices of the corners of each triangle (m, 3)."""

    @property
    def volume(self) -> float:
        """What the triangles enclose, positive if they face outward [m^3]."""
        a, b, c = self.vertices[self.faces].swapaxes(0, 1)
        return float(np.sum(a * np.cross(b, c))) / 6.0

    @property
    def is_closed(self) -> bool:
        """Whether each edge joins two triangles that run along it in opposite directions."""
        edges = np.concatenate([self.faces[:, [i, (i + 1) % 3]] for i in range(3)])
        there = {tuple(edge) for edge in edges.tolist()}
        return len(there) == len(edges) and all((b, a) in there for a, b in there)

    @property
    def normals(self) -> NDArray[np.float64]:
        """Unit vector out of each triangle; zero for one without area [1]."""
        a, b, c = self.vertices[self.faces].swapaxes(0, 1)
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return normals / np.where(lengths > 0.0, lengths, 1.0)

    def moved(self, offset: tuple[float, float, float], rotation: Rotation | None = None) -> "Mesh":
        """Return the mesh turned about its origin, then moved by `offset` [m]."""
        turned = self.vertices if rotation is None else rotation.apply(self.vertices)
        return Mesh(vertices=turned + np.asarray(offset), faces=self.faces)

    def creased(self, angle: float = CREASE) -> "Mesh":
        """Return the mesh with own corners on both sides of sharp edges.

        A renderer that averages normals around a corner then keeps the edge sharp, and round
        what bends less than `angle` [rad].
        """
        corners = np.arange(self.faces.size).reshape(-1, 3)
        first, second = self._smooth_edges(angle)
        pairs = np.concatenate(
            [
                np.stack((corners[f, i], corners[g, j]), axis=-1)
                for (f, i), (g, j) in ((first[0], second[1]), (first[1], second[0]))
            ]
        )
        count = self.faces.size
        links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
        number, label = connected_components(links, directed=False)
        vertices = np.empty((number, 3))
        vertices[label] = self.vertices[self.faces.ravel()]
        return Mesh(vertices=vertices, faces=label.reshape(-1, 3).astype(np.intp))

    def _smooth_edges(self, angle: float) -> tuple[list, list]:
        """Return the two ends, as (triangle, corner), of edges that bend less than `angle`.

        Once as the one triangle runs along them, once as the other does.
        """
        forward = {
            (int(face[i]), int(face[(i + 1) % 3])): (number, i)
            for number, face in enumerate(self.faces)
            for i in range(3)
        }
        there = [(a, b) for a, b in forward if a < b and (b, a) in forward]
        ours = np.array([forward[a, b] for a, b in there], dtype=np.intp).reshape(-1, 2)
        theirs = np.array([forward[b, a] for a, b in there], dtype=np.intp).reshape(-1, 2)
        normals = self.normals
        bend = np.sum(normals[ours[:, 0]] * normals[theirs[:, 0]], axis=1)
        smooth = bend > math.cos(angle)
        return _ends(ours[smooth]), _ends(theirs[smooth])


def _ends(edges: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    return [(edges[:, 0], edges[:, 1]), (edges[:, 0], (edges[:, 1] + 1) % 3)]


def join(meshes: Iterable[Mesh]) -> Mesh:
    """Return one mesh with the triangles of all."""
    parts = list(meshes)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Mesh(
        vertices=np.concatenate([np.empty((0, 3)), *(part.vertices for part in parts)]),
        faces=np.concatenate(
            [
                np.empty((0, 3), dtype=np.intp),
                *(part.faces + start for part, start in zip(parts, starts, strict=False)),
            ]
        ),
    )


ROUND = 28
"""How many sides a circle is drawn with."""


def prism(outline: Sequence[tuple[float, float]] | NDArray[np.float64], width: float) -> Mesh:
    """Return a convex outline in x and z, extended by half of `width` to both sides along y.

    Args:
        outline: Corners (x, z) in either order around [m].
        width: Size along y [m].
    """
    points = np.asarray(outline, dtype=np.float64)
    x, z = points.T
    if np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z) < 0.0:
        points = points[::-1]
    count = len(points)
    right = np.insert(points, 1, -0.5 * width, axis=1)
    left = np.insert(points, 1, 0.5 * width, axis=1)
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    fan = np.stack((np.zeros(count - 2, dtype=np.intp), here[1:-1], here[2:]), axis=1)
    sides = np.concatenate(
        (
            np.stack((here, here + count, there), axis=1),
            np.stack((there, here + count, there + count), axis=1),
        )
    )
    return Mesh(
        vertices=np.concatenate((right, left)),
        faces=np.concatenate((fan, fan[:, ::-1] + count, sides)),
    )


def box(size: tuple[float, float, float], chamfer: float = 0.0) -> Mesh:
    """Return a box around the origin, its edges cut by `chamfer` [m]."""
    half = 0.5 * np.asarray(size)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    cut = min(chamfer, 0.45 * min(size))
    inset = cut * (1.0 - np.eye(3)) if cut > 0.0 else np.zeros((1, 3))
    points = np.concatenate([signs * (half - by) for by in inset])
    hull = ConvexHull(points)
    faces = hull.simplices.astype(np.intp)
    a, b, c = points[faces].swapaxes(0, 1)
    inward = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0.0
    faces[inward] = faces[inward, ::-1]
    return Mesh(vertices=points, faces=faces)


def disc(radius: float, width: float, sides: int = ROUND) -> Mesh:
    """Return a cylinder along y around the origin."""
    angle = np.arange(sides) * (2.0 * math.pi / sides)
    return prism(np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1), width)


def ring(outer: NDArray[np.float64], inner: NDArray[np.float64], width: float) -> Mesh:
    """Return what lies between two outlines in x and z that go around alike, closed, along y.

    Args:
        outer: Corners (n, 2) of the outer outline, clockwise seen from -y [m].
        inner: Corners (n, 2) of the inner one, each opposite to its outer one [m].
        width: Size along y [m].
    """
    count = len(outer)
    rails = [(outer, -0.5), (outer, 0.5), (inner, 0.5), (inner, -0.5)]
    vertices = np.concatenate([np.insert(line, 1, side * width, axis=1) for line, side in rails])
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    faces = []
    for number in range(4):
        a, b = number * count, (number + 1) % 4 * count
        faces.append(np.stack((here + a, there + a, here + b), axis=1))
        faces.append(np.stack((there + a, there + b, here + b), axis=1))
    return Mesh(vertices=vertices, faces=np.concatenate(faces))


def arrow(shaft: float = 0.35, head: float = 0.35, sides: int = 8) -> Mesh:
    """Return an arrow of length 1 along x from the origin, its head of radius 1.

    Args:
        shaft: Radius of the shaft, as a share of the head's [1].
        head: Length of the head, as a share of the whole [1].
        sides: How many sides it has around.
    """
    angle = np.arange(sides) * (2.0 * math.pi / sides)
    circle = np.stack((np.zeros(sides), np.cos(angle), np.sin(angle)), axis=1)
    along = np.array([1.0, 0.0, 0.0])
    tail, neck = circle * shaft, circle * shaft + (1.0 - head) * along
    rails = [tail, neck, circle + (1.0 - head) * along]
    vertices = np.concatenate([*rails, np.zeros((1, 3)), along[None]])
    here, there = np.arange(sides), np.roll(np.arange(sides), -1)
    last = 3 * sides
    faces = [np.stack((there, here, np.full(sides, last)), axis=1)]
    for number in range(2):
        a, b = number * sides, (number + 1) * sides
        faces.append(np.stack((here + a, there + a, here + b), axis=1))
        faces.append(np.stack((there + a, there + b, here + b), axis=1))
    faces.append(np.stack((here + 2 * sides, there + 2 * sides, np.full(sides, last + 1)), axis=1))
    return Mesh(vertices=vertices, faces=np.concatenate(faces))


def flat(corners: Sequence[tuple[float, float]] | NDArray[np.float64], thickness: float) -> Mesh:
    """Return a convex plate on z = 0, given by its corners in x and y [m]."""
    upright = prism(np.asarray(corners, dtype=np.float64), thickness)
    x, y, z = upright.vertices.T
    vertices = np.stack((x, z, 0.5 * thickness - y), axis=1)
    return Mesh(vertices=vertices, faces=upright.faces)


def sheet(corners: NDArray[np.float64]) -> Mesh:
    """Return a convex sheet on z = 0 that faces up, its corners (n, 2) counter-clockwise [m]."""
    here = np.arange(len(corners) - 2)
    faces = np.column_stack((np.zeros_like(here), here + 1, here + 2))
    return Mesh(vertices=np.column_stack((corners, np.zeros(len(corners)))), faces=faces)
