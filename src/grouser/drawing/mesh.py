"""Triangle meshes: solids, extrusions, smooth shading."""

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh
from trimesh.convex import convex_hull
from trimesh.creation import extrude_triangulation, revolve
from trimesh.graph import smooth_shade
from trimesh.util import concatenate

Outline: TypeAlias = Sequence[tuple[float, float]] | NDArray[np.float64]
"""Corners of a polygon, in either order around [m]."""
CREASE = math.radians(35.0)
"""Edges that bend more than this are drawn sharp [rad]."""
ROUND = 28
"""Number of sides of a circle."""


def moved(
    mesh: Trimesh, offset: tuple[float, float, float], rotation: Rotation | None = None
) -> Trimesh:
    """Return a mesh turned about its origin, then moved by `offset` [m]."""
    matrix = np.eye(4)
    matrix[:3, 3] = offset
    if rotation is not None:
        matrix[:3, :3] = rotation.as_matrix()
    return mesh.copy().apply_transform(matrix)


def join(meshes: Iterable[Trimesh]) -> Trimesh:
    """Return one mesh with the triangles of all."""
    parts = list(meshes)
    return cast(Trimesh, concatenate(parts)) if parts else Trimesh()


def creased(mesh: Trimesh, angle: float = CREASE) -> Trimesh:
    """Return a mesh with separate vertices on both sides of edges sharper than `angle` [rad]."""
    return smooth_shade(mesh, angle=angle, facet_minarea=None)


def flat(corners: Outline, thickness: float) -> Trimesh:
    """Return a convex plate on z = 0, given by its corners in x and y [m]."""
    return extrude_triangulation(np.asarray(corners), _fan(len(corners)), thickness)


def prism(outline: Outline, width: float) -> Trimesh:
    """Return a convex outline in x and z, extended by half of `width` to both sides along y [m]."""
    return _upright(flat(outline, width), width)


def ring(outer: NDArray[np.float64], inner: NDArray[np.float64], width: float) -> Trimesh:
    """Return the solid between two closed outlines (n, 2) in x and z, of a width along y [m]."""
    count = len(outer)
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    faces = np.concatenate(
        (
            np.column_stack((here, there, here + count)),
            np.column_stack((there, there + count, here + count)),
        )
    )
    return _upright(extrude_triangulation(np.concatenate((outer, inner)), faces, width), width)


def box(size: tuple[float, float, float], chamfer: float = 0.0) -> Trimesh:
    """Return a box around the origin, its edges cut by `chamfer` [m]."""
    half = 0.5 * np.asarray(size)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    cut = min(chamfer, 0.45 * min(size))
    inset = cut * (1.0 - np.eye(3)) if cut > 0.0 else np.zeros((1, 3))
    return convex_hull(np.concatenate([signs * (half - by) for by in inset]))


def disc(radius: float, width: float, sides: int = ROUND) -> Trimesh:
    """Return a cylinder along y around the origin."""
    angle = np.arange(sides) * (2.0 * math.pi / sides)
    return prism(np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1), width)


def arrow(shaft: float = 0.35, head: float = 0.35, sides: int = 8) -> Trimesh:
    """Return an arrow of length 1 along x, its head of radius 1; both numbers are relative [1]."""
    neck = 1.0 - head
    profile = [(0.0, 0.0), (shaft, 0.0), (shaft, neck), (1.0, neck), (0.0, 1.0)]
    along_x = Rotation.from_matrix([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return moved(revolve(profile, sections=sides), (0.0, 0.0, 0.0), along_x)


def sheet(corners: NDArray[np.float64]) -> Trimesh:
    """Return a convex sheet on z = 0 that faces up, its corners (n, 2) counter-clockwise [m]."""
    return Trimesh(np.insert(corners, 2, 0.0, axis=1), _fan(len(corners)), process=False)


def _fan(count: int) -> NDArray[np.int64]:
    """Return the triangles of a convex polygon."""
    second = np.arange(1, count - 1)
    return np.column_stack((np.zeros_like(second), second, second + 1))


def _upright(plate: Trimesh, width: float) -> Trimesh:
    """Return a plate on z = 0 turned so that its y is z, its middle at y = 0."""
    return moved(plate, (0.0, 0.5 * width, 0.0), Rotation.from_euler("x", 0.5 * math.pi))
