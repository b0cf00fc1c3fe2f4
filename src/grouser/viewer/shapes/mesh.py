"""Triangles that bound a shape."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
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
