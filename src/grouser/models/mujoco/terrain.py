"""A terrain in MuJoCo: planes, boxes, height fields, meshes."""

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from grouser.description import Course
from grouser.description.heightfield import HeightField
from grouser.description.solids import Plane, Slab
from grouser.description.surface import Surface

TERRAIN = "terrain"
"""Beginning of the names of all geoms of the ground."""
PLATE = 0.05
"""Thickness of the plate that is the top of a sloping slab [m]."""
SHELL = 0.02
"""Thickness of the prisms that are the faces of a mesh which is not convex [m]."""
CONVEX = 1e-6
"""Part of its convex hull's volume that a convex mesh may lack [1]."""


def add_terrain(spec: mujoco.MjSpec, course: Course) -> dict[str, Surface]:
    """Add the solids of a course to the world; return the surface of each geom by name.

    MuJoCo has one friction for a geom: that along the track. It has none for patches.
    """
    terrain = course.terrain
    surfaces: dict[str, Surface] = {}
    for number, solid in enumerate(terrain.solids):
        surface = terrain.surfaces[solid.surface]
        for name in _add_solid(spec, solid, f"{TERRAIN}{number}"):
            surfaces[name] = surface
    return surfaces


def _add_solid(spec: mujoco.MjSpec, solid: Any, name: str) -> list[str]:
    match solid:
        case Plane():
            add_plane(spec, solid, name)
        case Slab():
            add_slab(spec, solid, name)
        case HeightField():
            add_field(spec, solid, name)
        case _:
            return list(_add_shells(spec, solid.vertices, solid.triangles, name))
    return [name]


def add_plane(spec: mujoco.MjSpec, plane: Plane, name: str) -> None:
    """Add a plane."""
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


def add_slab(spec: mujoco.MjSpec, slab: Slab, name: str) -> None:
    """Add a slab: a block if its top is level, else a plate below its top."""
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


def add_field(spec: mujoco.MjSpec, field: HeightField, name: str) -> None:
    """Add a height field; its holes are as deep as its lowest node, as MuJoCo has none."""
    low, high = float(np.nanmin(field.heights)), float(np.nanmax(field.heights))
    heights = np.where(np.isnan(field.heights), low, field.heights)
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


def add_mesh(
    spec: mujoco.MjSpec, vertices: NDArray[np.float64], triangles: NDArray[np.intp], name: str
) -> None:
    """Add a mesh with its own faces, for pictures only: it touches nothing."""
    mesh = spec.add_mesh(name=name)
    mesh.uservert, mesh.userface = np.ravel(vertices).tolist(), np.ravel(triangles).tolist()
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    spec.worldbody.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, contype=0, conaffinity=0
    )


def _add_shells(
    spec: mujoco.MjSpec,
    vertices: NDArray[np.float64],
    triangles: NDArray[np.intp],
    name: str,
) -> Iterator[str]:
    """Add a closed mesh: itself if it is convex, else a prism behind each of its faces.

    MuJoCo collides with the convex hull of a mesh, whatever its faces are.
    """
    corners = vertices[triangles]
    volume = float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6
    if volume >= (1.0 - CONVEX) * ConvexHull(vertices).volume:
        _add_convex(spec, vertices, name)
        yield name
        return
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    for number, (face, normal, length) in enumerate(zip(corners, normals, lengths, strict=True)):
        if length > 0.0:
            back = face - SHELL * normal / length
            _add_convex(spec, np.concatenate((face, back)), f"{name}.{number}")
            yield f"{name}.{number}"


def _add_convex(spec: mujoco.MjSpec, vertices: NDArray[np.float64], name: str) -> None:
    spec.add_mesh(name=name, uservert=np.ravel(vertices).tolist())
    spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
