"""A terrain as the engine sees it: planes, boxes, height fields."""

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description import Course
from grouser.description.heightfield import HeightField
from grouser.description.solids import Plane, Slab
from grouser.description.surface import Surface

PLATE = 0.05
"""Thickness of the plate that is the top of a sloping slab [m]."""


def add_terrain(spec: mujoco.MjSpec, course: Course) -> dict[str, Surface]:
    """Add the solids of a course to the world; return the surface of each geom by name."""
    terrain = course.terrain
    surfaces: dict[str, Surface] = {}
    for number, solid in enumerate(terrain.solids):
        name = f"terrain{number}"
        surfaces[name] = terrain.surfaces[solid.surface]
        match solid:
            case Plane():
                _add_plane(spec, solid, name)
            case Slab():
                _add_slab(spec, solid, name)
            case HeightField():
                _add_field(spec, solid, name)
    return surfaces


def patch_table(course: Course) -> NDArray[np.float64]:
    """Return a row per patch: x, y, cos, sin, half length, half width, friction along, across."""
    terrain = course.terrain
    rows = []
    for patch in terrain.patches:
        where, surface = patch.footprint, terrain.surfaces[patch.surface]
        rows.append(
            (where.x, where.y, np.cos(where.yaw), np.sin(where.yaw), where.length / 2,
             where.width / 2, surface.friction, surface.friction_across)
        )  # fmt: skip
    return np.array(rows).reshape(-1, 8)


def _add_plane(spec: mujoco.MjSpec, plane: Plane, name: str) -> None:
    a, b, c = plane.top
    normal = np.array([-a, -b, 1.0]) / np.sqrt(1.0 + a * a + b * b)
    rotation = Rotation.align_vectors([normal], [[0.0, 0.0, 1.0]])[0]
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 1.0],
        pos=[0.0, 0.0, c],
        quat=rotation.as_quat(scalar_first=True).tolist(),
    )


def _add_slab(spec: mujoco.MjSpec, slab: Slab, name: str) -> None:
    where = slab.footprint
    rise = slab.top_end - slab.top_start
    angle = np.arctan2(rise, where.length)
    middle = 0.5 * (slab.top_start + slab.top_end)
    level = slab.is_level
    thickness = slab.top_end - slab.bottom if level else PLATE
    rotation = Rotation.from_euler("ZY", [where.yaw, -angle])
    top = np.array([where.x, where.y, middle])
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.5 * where.length / np.cos(angle), 0.5 * where.width, 0.5 * thickness],
        pos=(top - rotation.apply([0.0, 0.0, 0.5 * thickness])).tolist(),
        quat=rotation.as_quat(scalar_first=True).tolist(),
    )


def _add_field(spec: mujoco.MjSpec, field: HeightField, name: str) -> None:
    heights = field.heights
    low, high = float(heights.min()), float(heights.max())
    where = field.footprint
    span = max(high - low, 1e-6)
    spec.add_hfield(
        name=name,
        nrow=heights.shape[0],
        ncol=heights.shape[1],
        size=[where.length / 2, where.width / 2, span, 0.1],
        userdata=((heights - low) / span).ravel().tolist(),
    )
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_HFIELD,
        hfieldname=name,
        pos=[where.x, where.y, low],
        quat=Rotation.from_euler("Z", where.yaw).as_quat(scalar_first=True).tolist(),
    )
