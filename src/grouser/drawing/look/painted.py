"""Parts of robots: meshes with the paint of each, which are drawn as one."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from scipy.spatial.transform import Rotation
from trimesh import Trimesh
from trimesh.convex import convex_hull

from grouser.description.schema import Vector
from grouser.drawing.look.glb import Part
from grouser.drawing.look.ground_parts import join_parts
from grouser.drawing.look.materials import palette_places
from grouser.drawing.look.pictures import palette_skin
from grouser.drawing.mesh import Outline, box, creased, disc, moved, prism

Painted: TypeAlias = tuple[str, Trimesh]
"""Name of a paint in the palette, and what it covers."""

UPRIGHT = Rotation.from_euler("x", 90.0, degrees=True)
"""Turns a disc so that its axis is vertical."""
AHEAD = Rotation.from_euler("z", 90.0, degrees=True)
"""Turns a disc so that its axis points forward."""


def as_part(painted: Iterable[Painted]) -> Part:
    """Return painted meshes as one part of the palette's material."""
    parts = []
    for name, mesh in painted:
        if not len(mesh.faces):
            continue
        sharp = creased(mesh)
        parts.append(
            Part(
                vertices=np.asarray(sharp.vertices),
                faces=np.asarray(sharp.faces),
                places=palette_places(name, len(sharp.vertices)),
                skin=palette_skin(),
            )  # fmt: skip
        )
    return join_parts(parts)


def place(
    painted: Iterable[Painted], offset: Vector, turn: Rotation | None = None
) -> list[Painted]:
    """Return painted meshes turned about their origin, then moved by `offset` [m]."""
    return [(name, moved(mesh, offset, turn)) for name, mesh in painted]


def block(paint: str, size: Vector, at: Vector, chamfer: float | None = None) -> Painted:
    """Return a box with cut edges around a point [m]."""
    cut = 0.12 * min(size) if chamfer is None else chamfer
    return paint, moved(box(size, cut), at)


def drum(paint: str, radius: float, height: float, at: Vector, sides: int = 24) -> Painted:
    """Return an upright cylinder that stands on a point [m]."""
    x, y, z = at
    return paint, moved(disc(radius, height, sides), (x, y, z + 0.5 * height), UPRIGHT)


def lens(paint: str, radius: float, depth: float, at: Vector, sides: int = 20) -> Painted:
    """Return a cylinder that looks forward, around a point [m]."""
    return paint, moved(disc(radius, depth, sides), at, AHEAD)


def rod(paint: str, start: Vector, end: Vector, radius: float, sides: int = 10) -> Painted:
    """Return a round bar between two points [m]."""
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(b - a))
    turn = Rotation.align_vectors([(b - a) / length], [(0.0, 1.0, 0.0)])[0]
    x, y, z = (0.5 * (a + b)).tolist()
    return paint, moved(disc(radius, length, sides), (x, y, z), turn)


def shell(paint: str, profile: Outline, width: float, cut: float) -> Painted:
    """Return a convex profile in x and z, of a width along y, with cut side edges [m]."""
    outline = np.asarray(profile, dtype=np.float64)
    middle = 0.5 * (outline.min(axis=0) + outline.max(axis=0))
    reach = np.abs(outline - middle).max(axis=0)
    small = middle + (outline - middle) * np.maximum(1.0 - cut / reach, 0.1)
    rings = [
        np.insert(ring, 1, side * half, axis=1)
        for side in (-1.0, 1.0)
        for ring, half in ((outline, 0.5 * width - cut), (small, 0.5 * width))
    ]
    return paint, convex_hull(np.concatenate(rings))


def wedge(paint: str, profile: Outline, width: float, at: Vector) -> Painted:
    """Return a convex profile in x and z, of a width along y, moved to a point [m]."""
    return paint, moved(prism(profile, width), at)
