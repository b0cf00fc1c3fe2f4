"""The shapes of a course as a scene for rays.

Frame: that of the course, the world. Shapes are exact: ramps with their sides, meshes as their
triangles, height fields as the triangles of the description. Patches are paint and ruts are left
out: rays meet the ground as the course describes it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grouser.description import Course
from grouser.description.heightfield import HeightField
from grouser.description.solids import Slab
from grouser.description.terrain import Terrain
from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.models.rays.compiled import compiled
from grouser.models.rays.fields import hit_field, make_fields
from grouser.models.rays.tree import hit_shapes, make_shapes

SCENES_KEPT = 4
"""Number of courses whose scenes are kept."""


class RayScene:
    """The solids of a terrain, met by rays."""

    def __init__(self, terrain: Terrain) -> None:
        slabs = terrain.slabs
        meshes = [mesh.vertices[mesh.triangles] for mesh in terrain.meshes]
        shapes = make_shapes(
            np.array([_block(slab) for slab in slabs], np.float64).reshape(-1, 12),
            np.array([_box(slab) for slab in slabs], np.float64).reshape(-1, 6),
            np.concatenate([np.zeros((0, 3, 3)), *meshes]),
        )
        floors = [_floor(field, terrain) for field in terrain.fields]
        fields = make_fields(terrain.fields, floors)
        planes = np.array([plane.top for plane in terrain.planes], np.float64).reshape(-1, 3)
        self._tables = (
            planes, shapes.boxes, shapes.starts, shapes.order, shapes.blocks, shapes.corners,
            fields.rows, fields.heights, fields.tiles,
        )  # fmt: skip

    def __deepcopy__(self, memo: Any) -> "RayScene":
        """Return the scene itself, which never changes."""
        return self

    def cast(self, origins: ArrayLike, directions: ArrayLike, reach: float = math.inf) -> Array:
        """Return how far each ray goes until it meets a surface; infinity beyond `reach` [m].

        A ray that starts inside a solid meets its surface from inside.

        Args:
            origins: Where rays start in the world, one place (3) or one for each ray (n, 3) [m].
            directions: Where they point in the world, of any length but zero (n, 3) [1].
            reach: Largest distance [m].

        Raises:
            InvalidValue: Arrays have other shapes, or a direction has no length.
        """
        rays = np.ascontiguousarray(directions, np.float64)
        if rays.ndim != 2 or rays.shape[1] != 3:
            raise InvalidValue("directions", f"of shape {rays.shape}", "be of shape (n, 3)")
        places = np.asarray(origins, np.float64)
        if places.shape not in ((3,), rays.shape):
            required = f"be of shape (3,) or {rays.shape}"
            raise InvalidValue("origins", f"of shape {places.shape}", required)
        lengths = np.sqrt((rays * rays).sum(axis=1))
        if not (lengths > 0.0).all() or not np.isfinite(lengths).all():
            raise InvalidValue("directions", "one without a length", "be finite and not zero")
        ranges = np.empty(len(rays))
        # A copy: code for views and for other orders would be compiled besides.
        places = np.array(np.broadcast_to(places, rays.shape), order="C")
        rays = np.ascontiguousarray(rays / lengths[:, np.newaxis])
        _cast(places, rays, float(reach), *self._tables, ranges)
        return ranges


_SCENES: dict[str, RayScene] = {}


def ray_scene(course: Course) -> RayScene:
    """Return the scene of a course; those of the last courses are kept."""
    key = course.content_hash
    scene = _SCENES[key] = _SCENES.pop(key, None) or RayScene(course.terrain)
    while len(_SCENES) > SCENES_KEPT:
        del _SCENES[next(iter(_SCENES))]
    return scene


def _block(slab: Slab) -> tuple[float, ...]:
    half_length, half_width = slab.footprint.half_sizes
    where = slab.footprint
    return *where.along, half_length, *where.across, half_width, *slab.top, slab.bottom


def _box(slab: Slab) -> tuple[float, ...]:
    corners = slab.footprint.corners
    (low_x, low_y), (high_x, high_y) = corners.min(axis=0), corners.max(axis=0)
    return low_x, low_y, slab.bottom, high_x, high_y, max(slab.top_start, slab.top_end)


def _floor(field: HeightField, terrain: Terrain) -> float:
    """Return the height of the lowest plane below a field; infinity without a plane [m]."""
    return min(
        (a * x + b * y + c for a, b, c in (p.top for p in terrain.planes)
         for x, y in field.footprint.corners.tolist()),
        default=math.inf,
    )  # fmt: skip


@compiled
def _cast(
    origins: Any, rays: Any, reach: float, planes: Any, boxes: Any, starts: Any, order: Any,
    blocks: Any, corners: Any, fields: Any, heights: Any, tiles: Any, ranges: Any,
) -> None:  # fmt: skip
    waiting, entries = np.empty(128, np.int64), np.empty(128)
    inverse = np.empty(3)
    for n in range(len(rays)):
        origin, ray, nearest = origins[n], rays[n], reach
        for plane in planes:
            fall = plane[0] * ray[0] + plane[1] * ray[1] - ray[2]
            above = origin[2] - plane[0] * origin[0] - plane[1] * origin[1] - plane[2]
            if fall != 0.0 and 0.0 <= above / fall < nearest:
                nearest = above / fall
        if len(order):
            for axis in range(3):
                inverse[axis] = 1.0 / ray[axis]
            nearest = hit_shapes(
                boxes,
                starts,
                order,
                blocks,
                corners,
                origin,
                ray,
                inverse,
                nearest,
                waiting,
                entries,
            )
        for f in range(len(fields)):
            nearest = hit_field(fields[f], heights, tiles, origin, ray, nearest)
        ranges[n] = nearest if nearest < reach else np.inf
