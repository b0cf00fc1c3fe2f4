"""Blocks with cut edges, and the painted edges of stairs."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description.solids import Slab
from grouser.description.terrain import Terrain
from grouser.drawing.look.glb import Part, Skin, box_places
from grouser.drawing.look.materials import Material

CUT = 0.008
"""Width of the cut along the upper edges of a block [m]."""
ROOT = 0.06
"""How far a block reaches into the ground: back faces cast shadows, and one close below a thin
wedge would darken its own top in stripes [m]."""
NOSE = (0.035, 0.0015)
"""Width of the painted edge of a stair, and its height above it [m]."""
BESIDE = 0.02
"""Distance from an edge at which the ground beside it is looked up [m]."""
DROP = 0.04
"""Least height of an edge that is painted [m]."""

_QUADS = np.array(
    [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7),
     (4, 5, 9, 8), (5, 6, 10, 9), (6, 7, 11, 10), (7, 4, 8, 11),
     (8, 9, 10, 11), (3, 2, 1, 0)]
)  # fmt: skip
"""Sides, cut edges, top and underside of a block, by its rings of corners."""


def block(slab: Slab, material: Material, skin: Skin) -> Part:
    """Return a block or wedge with cut upper edges; each side has its own corners."""
    where = slab.footprint
    tops = np.array([slab.top_start, slab.top_end, slab.top_end, slab.top_start])
    bottom = slab.bottom - (ROOT if slab.bottom <= 1e-6 else 0.0)
    cut = min(CUT, 0.2 * float(np.max(tops - slab.bottom)), 0.2 * min(where.length, where.width))
    flat = 0.5 * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    outer = flat * (where.length, where.width)
    inner = outer - 2.0 * cut * flat
    low = np.maximum(tops - cut, slab.bottom)
    rings = [np.full(4, bottom), low, tops]
    corners = np.concatenate(
        [np.column_stack((ring, z)) for ring, z in zip((outer, outer, inner), rings, strict=True)]
    )
    local = corners[_QUADS].reshape(-1, 3)
    normals = np.repeat(_facing(corners[_QUADS]), 4, axis=0)
    first = 4 * np.arange(len(_QUADS))[:, None]
    faces = np.concatenate((first + (0, 1, 2), first + (0, 2, 3)))
    grain = local[:, [1, 0, 2]] if where.width > where.length else local
    facing = normals[:, [1, 0, 2]] if where.width > where.length else normals
    # Equal blocks show different places of the texture.
    start = 0.37 * np.array([where.x + 1.7 * where.y, where.y + 0.7 * slab.top_end])
    turn = Rotation.from_euler("z", where.yaw)
    return Part(
        vertices=turn.apply(local) + (where.x, where.y, 0.0), faces=faces,
        normals=turn.apply(normals), skin=skin,
        places=box_places(grain, facing, material.tile) + start,
    )  # fmt: skip


def _facing(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normals of quads (n, 4, 3)."""
    across = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    return across / np.where(length > 0.0, length, 1.0)


def nosing(slabs: Sequence[Slab], terrain: Terrain) -> Iterator[Trimesh]:
    """Yield a strip along each end of level slabs at which the ground falls."""
    width, lift = NOSE
    for slab in slabs:
        where = slab.footprint
        if not slab.is_level or where.length < 3.0 * width:
            continue
        turn = Rotation.from_euler("z", where.yaw)
        ends = np.array([(side * (0.5 * where.length + BESIDE), 0.0, 0.0) for side in (-1, 1)])
        x, y, _ = (turn.apply(ends) + (where.x, where.y, 0.0)).T
        beside = np.nan_to_num(np.asarray(terrain.height(x, y)), nan=slab.bottom)
        inside_x, inside_y, _ = (turn.apply(0.9 * ends) + (where.x, where.y, 0.0)).T
        here = np.nan_to_num(np.asarray(terrain.height(inside_x, inside_y)))
        for side, low, top in zip((-1, 1), beside, here, strict=True):
            if low > slab.top_end - DROP or top > slab.top_end + DROP:
                continue
            middle = side * (0.5 * where.length - 0.5 * width - 2.0 * CUT)
            half = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
            flat = half * (width, where.width - 6.0 * CUT) + (middle, 0.0)
            corners = turn.apply(np.insert(flat, 2, slab.top_end + lift, axis=1))
            yield Trimesh(
                vertices=corners + (where.x, where.y, 0.0),
                faces=[(0, 1, 2), (0, 2, 3)],
                process=False,
            )
