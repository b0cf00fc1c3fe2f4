"""The shapes of a hull, and what moves on it, from a URDF or MJCF file."""

import re
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np

from grouser.errors import InvalidDescription
from grouser.models.contact.read_xml import check_files, read_xml
from grouser.storage import is_file


def import_body(
    hull: mujoco.MjsBody, file: Path, origin: tuple[float, float, float], *, prefix: str
) -> None:
    """Put the first body of a file, with all that hangs on it, onto the hull.

    Masses are split by what can move: whatever is rigid with the hull counts in the robot's own
    mass and inertia, whatever hangs on a joint keeps those of the file, with its damping, limits
    and actuators. What else a world may hold (lights, keyframes, other bodies) is left out.

    Args:
        hull: The body that carries it.
        file: URDF or MJCF; meshes are looked for beside it.
        origin: Where the origin of the file lies in the frame of the hull [m].
        prefix: What the names of the file begin with in the scene.

    Raises:
        InvalidDescription: The file is missing, is neither kind, or has no body to put on.
    """
    spec = _read(file)
    root = _root(spec, file)
    for joint in list(root.joints):
        spec.delete(joint)
    for key in list(spec.keys):
        spec.delete(key)
    _weigh_nothing(root)
    try:
        spec.copy().compile()
    except ValueError as error:
        raise InvalidDescription(file, [f"the engine refuses it: {_one_line(error)}"]) from None
    hull.add_frame(pos=list(origin)).attach_body(root, prefix, "")


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


def _weigh_nothing(body: mujoco.MjsBody) -> None:
    """Take the mass from a body and from all that is rigid with it."""
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = 0.0, [0.0] * 3, [0.0] * 3
    body.fullinertia = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]
    for child in body.bodies:
        if not child.joints:
            _weigh_nothing(child)


def _one_line(error: ValueError) -> str:
    return " ".join(str(error).split())
