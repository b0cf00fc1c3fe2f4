"""A robot as SDF for gz-sim: belts by TrackController, steering by TrackedVehicle.

TrackController moves the surface of a link, in the contacts only, which is what `csm` does, too.
TrackedVehicle turns a twist into belt speeds: v -+ w separation / (2 steering efficiency).
"""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement

from grouser.description.export.links import (
    BASE,
    Frame,
    Joint,
    Link,
    Shape,
    robot_links,
    sensor_frames,
)
from grouser.description.export.urdf import COLOURS
from grouser.description.export.xml import format_numbers, format_xml
from grouser.description.robot import Robot
from grouser.description.schema import Vector
from grouser.errors import InvalidValue

VERSION = "1.9"
"""Version of SDF: that of gz-sim 6 (Fortress); later ones read it, too."""
FRICTION = 1.0
"""Friction of belts; the smaller one of belt and ground acts, so that most grounds decide [1]."""


def robot_sdf(
    robot: Robot,
    *,
    steering_efficiency: float,
    frames: Sequence[Frame] = (),
    friction: float = FRICTION,
) -> str:
    """Return the robot as a model in SDF, with plug-ins of gz-sim.

    Args:
        robot: Robot to write.
        steering_efficiency: Gauge over distance of the sides' centres of rotation, which is
            `grouser.models.steering_efficiency(robot).eta` [1].
        frames: More frames fixed to the body, beside those of the robot's sensors.
        friction: Coefficient of friction of belts, in all directions [1].

    Raises:
        InvalidValue: Two links or joints would have the same name, or a number is not above 0.
    """
    for name, value in (("steering_efficiency", steering_efficiency), ("friction", friction)):
        if not 0.0 < value < float("inf"):
            raise InvalidValue(name, value, "be a number above 0")
    frames = (*sensor_frames(robot), *frames)
    links = robot_links(robot, frames)
    root = Element("sdf", version=VERSION)
    model = SubElement(root, "model", name=robot.name, canonical_link=BASE)
    for link in links:
        _add_link(model, link, friction)
    for link in links:
        if link.joint is not None:
            _add_joint(model, link.joint, link.name)
    for frame in frames:
        parent = SubElement(model, "frame", name=frame.link, attached_to=frame.parent)
        _add_pose(parent, frame.position, frame.rpy)
    tracks = [(link.side, link.name) for link in links if link.side]
    height = 2.0 * robot.wheel_radius
    vehicle = tracked_vehicle(tracks, robot.gauge, steering_efficiency, height)
    SubElement(vehicle, "body_link").text = BASE
    model.append(vehicle)
    model.extend(_track_controller(name, robot) for _, name in tracks)
    hinges = [link.joint for link in links if link.joint and link.joint.limits]
    model.extend(_flipper_controller(joint) for joint in hinges)
    return format_xml(root)


def tracked_vehicle(
    tracks: Iterable[tuple[str, str]],
    separation: float,
    efficiency: float,
    height: float | None = None,
) -> Element:
    """Return gz-sim's plug-in that steers tracks, given by side and link.

    Args:
        tracks: Side and link of each track.
        separation: Distance between the tracks [m].
        efficiency: Steering efficiency; 1 is a differential drive, less turns slower [1].
        height: Height of the tracks, for the plug-in's odometry; its own default if None [m].
    """
    plugin = _plugin("tracked-vehicle", "TrackedVehicle")
    for side, link in tracks:
        SubElement(SubElement(plugin, f"{side}_track"), "link").text = link
    numbers = {"tracks_separation": separation, "steering_efficiency": efficiency}
    _add_numbers(plugin, numbers if height is None else numbers | {"track_height": height})
    return plugin


def _track_controller(link: str, robot: Robot) -> Element:
    plugin = _plugin("track-controller", "TrackController")
    SubElement(plugin, "link").text = link
    speed, acceleration = robot.drive.speed_limit, robot.drive.acceleration_limit
    limits = {"min_velocity": -speed, "max_velocity": speed}
    limits |= {"min_acceleration": -acceleration, "max_acceleration": acceleration}
    _add_numbers(plugin, limits)
    return plugin


def _flipper_controller(joint: Joint) -> Element:
    plugin = _plugin("joint-position-controller", "JointPositionController")
    SubElement(plugin, "joint_name").text = joint.name
    SubElement(plugin, "use_velocity_commands").text = "true"
    limits = {"cmd_max": joint.velocity, "cmd_min": -joint.velocity}
    _add_numbers(plugin, limits | {"initial_position": joint.rest_angle})
    return plugin


def _plugin(library: str, system: str) -> Element:
    names = {"filename": f"gz-sim-{library}-system", "name": f"gz::sim::systems::{system}"}
    return Element("plugin", names)


def _add_link(model: Element, link: Link, friction: float) -> None:
    parent = SubElement(model, "link", name=link.name)
    _add_pose(parent, link.position)
    inertial = SubElement(parent, "inertial")
    _add_pose(inertial, link.centre)
    _add_numbers(inertial, {"mass": link.mass})
    moments = dict(zip(("ixx", "iyy", "izz"), link.moments, strict=True))
    _add_numbers(SubElement(inertial, "inertia"), moments | {"ixy": 0.0, "ixz": 0.0, "iyz": 0.0})
    colour = format_numbers(COLOURS["belt" if link.side else "hull"])
    for number, shape in enumerate(link.shapes):
        visual = _add_shape(parent, "visual", number, shape)
        material = SubElement(visual, "material")
        SubElement(material, "ambient").text = colour
        SubElement(material, "diffuse").text = colour
        collision = _add_shape(parent, "collision", number, shape)
        if link.side:
            surface = SubElement(SubElement(collision, "surface"), "friction")
            _add_numbers(SubElement(surface, "ode"), {"mu": friction, "mu2": friction})


def _add_shape(link: Element, tag: str, number: int, shape: Shape) -> Element:
    parent = SubElement(link, tag, name=f"{tag}{number}")
    _add_pose(parent, shape.position, shape.rpy)
    geometry = SubElement(SubElement(parent, "geometry"), shape.kind)
    if shape.kind == "box":
        SubElement(geometry, "size").text = format_numbers(shape.size)
    else:
        _add_numbers(geometry, dict(zip(("radius", "length"), shape.size, strict=True)))
    return parent


def _add_joint(model: Element, joint: Joint, child: str) -> None:
    kind = "fixed" if joint.limits is None else "revolute"
    parent = SubElement(model, "joint", name=joint.name, type=kind)
    SubElement(parent, "parent").text = BASE
    SubElement(parent, "child").text = child
    if joint.limits is not None:
        axis = SubElement(parent, "axis")
        SubElement(axis, "xyz").text = "0 1 0"
        numbers = (*joint.limits, joint.effort, joint.velocity)
        names = ("lower", "upper", "effort", "velocity")
        _add_numbers(SubElement(axis, "limit"), dict(zip(names, numbers, strict=True)))


def _add_numbers(parent: Element, numbers: dict[str, float]) -> None:
    for name, value in numbers.items():
        SubElement(parent, name).text = format_numbers([value])


def _add_pose(parent: Element, place: Vector, rpy: Vector = (0.0, 0.0, 0.0)) -> None:
    SubElement(parent, "pose").text = format_numbers((*place, *rpy))
