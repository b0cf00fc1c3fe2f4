"""A robot as URDF: for `robot_description`, RViz, MuJoCo, pinocchio.

One file without meshes. Frames and joint names are those of ROS topics and bags: REP-103 axes,
`base_link` as REP-105 has it, a fixed `<name>_link` for every sensor.
"""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from grouser.description.export.links import (
    BASE,
    FOOTPRINT,
    ORIGIN,
    Frame,
    Joint,
    Link,
    Shape,
    robot_links,
    sensor_frames,
)
from grouser.description.export.xml import format_numbers, format_xml
from grouser.description.robot import Robot
from grouser.description.schema import Vector

COLOURS = {"hull": (0.85, 0.55, 0.15, 1.0), "belt": (0.2, 0.2, 0.22, 1.0)}
"""Red, green, blue and opacity of each material, from 0 to 1 [1]."""


def robot_urdf(robot: Robot, frames: Sequence[Frame] = (), *, footprint: bool = False) -> str:
    """Return the robot as URDF.

    Args:
        robot: Robot to write.
        frames: More frames fixed to the body, beside those of the robot's sensors.
        footprint: Whether to add `base_footprint`, below `base_link` in the tree, so that
            `odom` can be the parent of `base_link`.

    Raises:
        InvalidValue: Two links or joints would have the same name.
    """
    frames = (*sensor_frames(robot), *frames)
    root = Element("robot", name=robot.name)
    for name, colour in COLOURS.items():
        material = SubElement(root, "material", name=name)
        SubElement(material, "color", rgba=format_numbers(colour))
    for link in robot_links(robot, frames):
        _add_link(root, link)
        if link.joint is not None:
            _add_origin(_add_joint(root, link.joint, link.name), link.position)
    if footprint:
        frames = (Frame(FOOTPRINT, own_link=FOOTPRINT), *frames)
    for frame in frames:
        SubElement(root, "link", name=frame.link)
        joint = _add_joint(root, Joint(name=f"{frame.name}_joint"), frame.link, frame.parent)
        _add_origin(joint, frame.position, frame.rpy)
    return format_xml(root)


def _add_link(root: Element, link: Link) -> None:
    parent = SubElement(root, "link", name=link.name)
    inertial = SubElement(parent, "inertial")
    _add_origin(inertial, link.centre)
    SubElement(inertial, "mass", value=format_numbers([link.mass]))
    xx, yy, zz = (format_numbers([moment]) for moment in link.moments)
    SubElement(inertial, "inertia", ixx=xx, ixy="0", ixz="0", iyy=yy, iyz="0", izz=zz)
    for shape in link.shapes:
        visual = _add_shape(parent, "visual", shape)
        SubElement(visual, "material", name="belt" if link.side else "hull")
        _add_shape(parent, "collision", shape)


def _add_shape(link: Element, tag: str, shape: Shape) -> Element:
    parent = SubElement(link, tag)
    _add_origin(parent, shape.position, shape.rpy)
    geometry = SubElement(parent, "geometry")
    if shape.kind == "box":
        SubElement(geometry, "box", size=format_numbers(shape.size))
    else:
        radius, length = (format_numbers([size]) for size in shape.size)
        SubElement(geometry, "cylinder", radius=radius, length=length)
    return parent


def _add_joint(root: Element, joint: Joint, child: str, parent_link: str = BASE) -> Element:
    kind = "fixed" if joint.limits is None else "revolute"
    parent = SubElement(root, "joint", name=joint.name, type=kind)
    SubElement(parent, "parent", link=parent_link)
    SubElement(parent, "child", link=child)
    if joint.limits is not None:
        numbers = (*joint.limits, joint.effort, joint.velocity)
        names = ("lower", "upper", "effort", "velocity")
        texts = {n: format_numbers([v]) for n, v in zip(names, numbers, strict=True)}
        SubElement(parent, "axis", xyz="0 1 0")
        SubElement(parent, "limit", texts)
    return parent


def _add_origin(parent: Element, place: Vector, rpy: Vector = ORIGIN) -> None:
    SubElement(parent, "origin", xyz=format_numbers(place), rpy=format_numbers(rpy))
