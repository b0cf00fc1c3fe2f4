"""The shapes and masses of a hull from a URDF or MJCF file."""

import re
from contextlib import suppress
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from grouser.errors import InvalidDescription
from grouser.models.mujoco.read_xml import check_files, read_xml
from grouser.models.rigid import HULL, ConvexShape, Inertia
from grouser.storage import is_file

MOST_CORNERS = 64
"""Largest number of corners of a convex shape."""
RING, CAP = 24, 6
"""Corners that stand for a circle, and for that half-way to the pole of a capsule."""


def import_body(
    hull: mujoco.MjsBody, file: Path, origin: tuple[float, float, float], *, prefix: str
) -> None:
    """Put the first body of a file, with all that hangs on it, onto the hull.

    Masses are split by what can move: parts that are rigid with the hull are counted in the
    robot's own mass and inertia, parts on a joint keep those of the file, with their damping,
    limits and actuators. What else a world may have (lights, keyframes, other bodies) is left out.

    Args:
        hull: The body that carries it.
        file: URDF or MJCF; meshes are searched beside it.
        origin: Origin of the file in the frame of the hull [m].
        prefix: Beginning of the names of the file in the scene.

    Raises:
        InvalidDescription: The file is missing, is neither kind, or has no body to put on.
    """
    _, root = _read_root(file)
    hull.add_frame(pos=list(origin)).attach_body(root, prefix, "")


def read_shapes(file: Path, origin: tuple[float, float, float]) -> tuple[ConvexShape, ...]:
    """Return each shape of a file that touches, in the frame of the hull, joints at rest.

    A mesh is its convex hull. Spheres, ellipsoids, cylinders and capsules become polyhedra, and
    shapes of more than `MOST_CORNERS` corners lose those that stand out least.
    """
    model, data = _compile(file)
    found = []
    for geom in range(model.ngeom):
        if not model.geom_bodyid[geom] or not (
            model.geom_contype[geom] or model.geom_conaffinity[geom]
        ):
            continue
        corners = _corners(model, geom)
        if corners is not None:
            turn = data.geom_xmat[geom].reshape(3, 3)
            vertices = corners @ turn.T + data.geom_xpos[geom] + np.array(origin)
            name = model.geom(geom).name
            found.append(ConvexShape(name=f"{HULL}/{name or geom}", vertices=vertices))
    return tuple(found)


def read_moving_mass(file: Path, origin: tuple[float, float, float]) -> list[Inertia]:
    """Return the masses of a file's parts that hang on joints, in the frame of the hull, at rest.

    All others are counted in the robot's own mass.
    """
    model, data = _compile(file)
    found = []
    for body in range(1, model.nbody):
        mass = float(model.body_mass[body])
        if model.body_weldid[body] and mass > 0.0:
            turn = data.ximat[body].reshape(3, 3)
            moments = turn @ np.diag(model.body_inertia[body]) @ turn.T
            centre = data.xipos[body] + np.array(origin)
            found.append(Inertia(mass=mass, centre=centre, moments=moments))
    return found


def _compile(file: Path) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return a file as a model of its own, at rest, its first body fixed."""
    spec, _ = _read_root(file)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


def _corners(model: mujoco.MjModel, geom: int) -> NDArray[np.float64] | None:
    """Return the corners of a geom in its own frame; None if it is not convex [m]."""
    kinds, size = mujoco.mjtGeom, model.geom_size[geom]
    match int(model.geom_type[geom]):
        case kinds.mjGEOM_BOX:
            return np.array(list(product(*((-side, side) for side in size))))
        case kinds.mjGEOM_SPHERE | kinds.mjGEOM_ELLIPSOID:
            radii = size if size[1] else size[0]  # a sphere has only the first
            return radii * _icosphere()
        case kinds.mjGEOM_CYLINDER:
            return np.concatenate([_ring(size[0], z, RING) for z in (-size[1], size[1])])
        case kinds.mjGEOM_CAPSULE:
            radius, half = size[:2]
            inner, rise = radius * np.sqrt(0.5), half + radius * np.sqrt(0.5)
            rings = [_ring(radius, z, RING) for z in (-half, half)]
            rings += [_ring(inner, z, CAP) for z in (-rise, rise)]
            poles = [[[0.0, 0.0, z]] for z in (-half - radius, half + radius)]
            return np.concatenate([*rings, *poles])
        case kinds.mjGEOM_MESH:
            mesh = model.geom_dataid[geom]
            first = model.mesh_vertadr[mesh]
            vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(np.float64)
            return _decimate(vertices)
    return None


def _ring(radius: float, z: float, count: int) -> NDArray[np.float64]:
    angles = 2.0 * np.pi * np.arange(count) / count
    return np.stack((radius * np.cos(angles), radius * np.sin(angles), np.full(count, z)), axis=1)


def _icosphere() -> NDArray[np.float64]:
    """Return the 42 corners of a once divided icosahedron on the unit sphere."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    corners = [
        np.roll((0.0, a, b * golden), shift)
        for shift, a, b in product(range(3), (-1.0, 1.0), (-1.0, 1.0))
    ]
    edges = [a + b for a, b in combinations(corners, 2) if np.linalg.norm(a - b) < 2.1]
    points = np.array(corners + edges)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _decimate(vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return at most `MOST_CORNERS` corners of the convex hull of points: the farthest ones."""
    with suppress(QhullError):  # if all points lie in a plane
        vertices = vertices[ConvexHull(vertices).vertices]
    if len(vertices) <= MOST_CORNERS:
        return vertices
    steps = np.arange(MOST_CORNERS)
    z = 1.0 - (2.0 * steps + 1.0) / MOST_CORNERS
    angle = np.pi * (3.0 - np.sqrt(5.0)) * steps  # a spiral that covers a sphere evenly
    level = np.sqrt(1.0 - z * z)
    directions = np.stack((level * np.cos(angle), level * np.sin(angle), z))
    return vertices[np.unique(np.argmax(vertices @ directions, axis=0))]


def _read_root(file: Path) -> tuple[mujoco.MjSpec, mujoco.MjsBody]:
    """Return a file and its first body, fixed and without the mass that the robot has itself."""
    spec = _read(file)
    root = _root(spec, file)
    for joint in list(root.joints):
        spec.delete(joint)
    for key in list(spec.keys):
        spec.delete(key)
    _remove_mass(root)
    try:
        spec.copy().compile()
    except ValueError as error:
        raise InvalidDescription(file, [f"the engine refuses it: {_one_line(error)}"]) from None
    return spec, root


def _read(file: Path) -> mujoco.MjSpec:
    tree = read_xml(file)
    if tree.tag not in ("robot", "mujoco"):
        mistake = f"must be URDF (robot) or MJCF (mujoco), not {tree.tag!r}"
        raise InvalidDescription(file, [mistake])
    if tree.tag == "mujoco" and file.suffix != ".xml":
        raise InvalidDescription(file, ["the name of an MJCF file must end in .xml"])
    if tree.tag == "mujoco":
        check_files(tree, file)
    try:
        return _read_urdf(tree, file) if tree.tag == "robot" else mujoco.MjSpec.from_file(str(file))
    except ValueError as error:
        raise InvalidDescription(file, [f"the engine refuses it: {_one_line(error)}"]) from None


def _read_urdf(tree: ElementTree.Element, file: Path) -> mujoco.MjSpec:
    """Read a URDF with what it shows, which the engine leaves out unless the file asks for it."""
    section = tree.find("mujoco")
    section = ElementTree.SubElement(tree, "mujoco") if section is None else section
    compiler = section.find("compiler")
    compiler = ElementTree.SubElement(section, "compiler") if compiler is None else compiler
    compiler.attrib.setdefault("discardvisual", "false")
    compiler.attrib.update(fusestatic="false", strippath="false")
    folder = file.resolve().parent / compiler.attrib.pop("meshdir", "")
    for mesh in tree.iter("mesh"):
        mesh.attrib["filename"] = str(_find_mesh(file, folder, mesh.get("filename", "")))
    return mujoco.MjSpec.from_string(ElementTree.tostring(tree, encoding="unicode"))


def _find_mesh(file: Path, folder: Path, name: str) -> Path:
    """Return the file of a mesh: in a package, the folder above the URDF's is the package's."""
    rest = Path(re.sub(r"^(package://[^/]+/|file://)", "", name))
    places = [folder / rest, folder.parent / rest, folder / rest.name]
    found = next((place for place in places if is_file(place)), None)
    if found is None:
        raise InvalidDescription(file, [f"mesh {name!r} is not there; looked for {places[0]}"])
    return found


def _root(spec: mujoco.MjSpec, file: Path) -> mujoco.MjsBody:
    bodies = list(spec.worldbody.bodies)
    if len(bodies) != 1:
        mistake = f"must have one body in its world, to which tracks are added, not {len(bodies)}"
        raise InvalidDescription(file, [mistake])
    root = bodies[0]
    if any(joint.type != mujoco.mjtJoint.mjJNT_FREE for joint in root.joints):
        mistake = f"body {root.name!r} must be free or fixed: it becomes part of the hull"
        raise InvalidDescription(file, [mistake])
    return root


def _remove_mass(body: mujoco.MjsBody) -> None:
    """Take the mass from a body and from all that is rigid with it."""
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = 0.0, [0.0] * 3, [0.0] * 3
    body.fullinertia = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]
    for child in body.bodies:
        if not child.joints:
            _remove_mass(child)


def _one_line(error: ValueError) -> str:
    return " ".join(str(error).split())
