"""A robot as links, joints and primitive shapes: what URDF and SDF have in common.

Every link hangs on `base_link`, which is the body frame: on the ground, midway between the drives.
A track is a link of boxes and cylinders that does not move; its joint `<track>_belt` has the name
of its belt in joint states, and is fixed, because a belt that runs does not move its link. A wheel
is the same, a cylinder. A flipper turns about y on a revolute joint of its own name.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grouser.description.loop import Arc, Line, Loop
from grouser.description.outer_sensors import Camera
from grouser.description.robot import Driven, Robot, Wheel, box_moments
from grouser.description.schema import Side, Vector
from grouser.description.sensors import MountedSensor
from grouser.description.track import Flipper
from grouser.errors import InvalidValue

BASE = "base_link"
"""Name of the link that is the robot's body, by ROS convention (REP-105)."""
FOOTPRINT = "base_footprint"
"""Name of the frame on the ground below the body (REP-120)."""
ORIGIN: Vector = (0.0, 0.0, 0.0)
OPTICAL: Vector = (-0.5 * math.pi, 0.0, -0.5 * math.pi)
"""Roll, pitch and yaw from the frame of a camera to that of its pictures, by REP-103 [rad]."""
LEAST_MASS_SHARE = 1e-3
"""Mass of a part whose mass is counted in the body's, over the body's; the body is that much
lighter. Engines need a mass for every link [1]."""
UNKNOWN_EFFORT = 1000.0
"""Largest torque of a hinge whose file states none; URDF has no word for unknown [N m]."""
CHORD = math.radians(15.0)
"""Largest turn of a curved run that is drawn as one straight box [rad]."""


class Frame(NamedTuple):
    """A frame that is fixed to another one, such as that of a sensor."""

    name: str
    """Name of what has the frame: its joint is `<name>_joint`."""
    position: Vector = ORIGIN
    """Origin in the parent's frame [m]."""
    rpy: Vector = ORIGIN
    """Roll, pitch and yaw there, about fixed x, y, z in this order [rad]."""
    parent: str = BASE
    """Name of the link or frame that it is fixed to."""
    own_link: str = ""
    """Name of its link where that is not `<name>_link`."""

    @property
    def link(self) -> str:
        """Name of its link."""
        return self.own_link or link_name(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A box, or a cylinder along its own z."""

    kind: str
    """`box` or `cylinder`."""
    size: tuple[float, ...]
    """Lengths along x, y, z of a box, or radius and length of a cylinder [m]."""
    position: Vector
    """Its middle in the frame of its link [m]."""
    rpy: Vector = ORIGIN
    """Its roll, pitch and yaw there [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What holds a link on `base_link`; a hinge about y if it has limits, else fixed."""

    name: str
    """Its name, as in joint states."""
    limits: tuple[float, float] | None = None
    """Smallest and largest angle; None for a fixed joint [rad]."""
    rest_angle: float = 0.0
    """Angle without a command [rad]."""
    effort: float = UNKNOWN_EFFORT
    """Largest torque [N m]."""
    velocity: float = 0.0
    """Largest angular speed [rad/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A rigid part; its frame is parallel to the body frame when its joint is at zero."""

    name: str
    """Name, unique in the robot."""
    position: Vector
    """Origin of its frame in the body frame [m]."""
    mass: float
    """Mass [kg]."""
    centre: Vector
    """Centre of mass in its own frame [m]."""
    moments: Vector
    """Moments of inertia about x, y, z through that centre [kg m^2]."""
    shapes: tuple[Shape, ...]
    """What is seen and touched."""
    joint: Joint | None = None
    """What holds it on `base_link`; None for `base_link` itself."""
    side: Side | None = None
    """Side whose belt speed moves its surface; None for the hull."""


def link_name(part: str) -> str:
    """Return the name of the link of a track, a wheel, a flipper or a sensor."""
    return f"{part}_link"


def sensor_frames(robot: Robot) -> tuple[Frame, ...]:
    """Return the frames of the robot's sensors that are mounted somewhere.

    A camera has a second one, that of its pictures: x to the right, y down, z ahead.
    """
    found: list[Frame] = []
    for sensor in robot.sensors.tables:
        if isinstance(sensor, MountedSensor):
            rpy = sensor.roll, sensor.pitch, sensor.yaw
            found.append(Frame(sensor.name, sensor.position, rpy))
        if isinstance(sensor, Camera):
            name, link = f"{sensor.name}_optical", sensor.optical_frame
            found.append(Frame(name, ORIGIN, OPTICAL, sensor.frame, link))
    return tuple(found)


def robot_links(robot: Robot, frames: Sequence[Frame] = ()) -> tuple[Link, ...]:
    """Return the robot's links, `base_link` first, then drives and flippers in their order.

    InvalidValue if two of its links, joints and `frames` have the same name, which SDF forbids. A
    body from a file is the box that the robot's own file states.
    """
    least = LEAST_MASS_SHARE * robot.body.mass
    parts = [_drive_link(drive, drive.mass or least) for drive in robot.drives]
    parts += [_flipper_link(flipper, flipper.mass or least) for flipper in robot.flippers]
    missing = sum(not part.mass for part in (*robot.drives, *robot.flippers))
    links = (_body_link(robot, 1.0 - LEAST_MASS_SHARE * missing), *parts)
    _check_names(links, frames)
    return links


def _check_names(links: Sequence[Link], frames: Sequence[Frame]) -> None:
    """Raise InvalidValue unless all links, joints and frames differ, as SDF wants it."""
    names = [FOOTPRINT, *(frame.link for frame in frames)]
    names += [link.name for link in links] + [link.joint.name for link in links if link.joint]
    for name, count in Counter(names).items():
        if count > 1:
            required = "be that of one link, joint or frame; rename a part of the robot or a sensor"
            raise InvalidValue("a name in the export", name, required)


def _body_link(robot: Robot, share: float) -> Link:
    body = robot.body
    xx, yy, zz = body.inertia
    return Link(
        name=BASE,
        position=ORIGIN,
        mass=share * body.mass,
        centre=body.centre_of_mass,
        moments=(share * xx, share * yy, share * zz),
        shapes=(Shape(kind="box", size=body.size, position=body.centre),),
    )


def _drive_link(drive: Driven, mass: float) -> Link:
    if isinstance(drive, Wheel):
        box = 2.0 * drive.radius, drive.width, 2.0 * drive.radius
        shapes = [_cylinder(0.0, 0.0, drive.radius, drive.width)]
    else:
        rear, front, low, high = drive.loop.bounds
        box = front - rear, drive.width, high - low
        x, _, z = drive.centre
        shapes = list(belt_shapes(drive.loop, drive.width, (x, z)))
    return Link(
        name=link_name(drive.name),
        position=drive.centre,
        mass=mass,
        centre=ORIGIN,
        moments=box_moments(mass, box),
        shapes=tuple(shapes),
        joint=Joint(name=f"{drive.name}_belt"),
        side=drive.side,
    )


def _flipper_link(flipper: Flipper, mass: float) -> Link:
    loop, width = flipper.track.loop, flipper.track.width
    rear, front, low, high = loop.bounds
    torque = flipper.torque_limit
    return Link(
        name=link_name(flipper.name),
        position=flipper.hinge,
        mass=mass,
        centre=(0.5 * (rear + front), 0.0, 0.5 * (low + high)),
        moments=box_moments(mass, (front - rear, width, high - low)),
        shapes=tuple(belt_shapes(loop, width, (0.0, 0.0))),
        joint=Joint(
            name=flipper.name,
            limits=flipper.limits,
            rest_angle=flipper.rest_angle,
            effort=UNKNOWN_EFFORT if torque is None else torque,
            velocity=flipper.speed_limit,
        ),
        side=flipper.side,
    )


def belt_shapes(loop: Loop, width: float, origin: tuple[float, float]) -> Iterator[Shape]:
    """Yield cylinders for pulleys and boxes for straight runs, seen from `origin` (x, z) [m]."""
    arcs = [segment for segment in loop.segments if isinstance(segment, Arc)]
    pulleys = [arc for arc in arcs if _is_pulley(arc, loop)]
    for arc in pulleys:
        yield _cylinder(arc.centre[0] - origin[0], arc.centre[1] - origin[1], arc.radius, width)
    _, _, low, high = loop.bounds
    thickness = min((arc.radius for arc in pulleys), default=0.25 * (high - low))
    for segment in loop.segments:
        if segment not in pulleys:
            for line in _chords(segment):
                yield _run(line, width, thickness, origin)


def _is_pulley(arc: Arc, loop: Loop) -> bool:
    """Return whether the whole circle of an arc is within the loop's box, and the belt around."""
    rear, front, low, high = loop.bounds
    (x, z), radius = arc.centre, arc.radius - 1e-6
    inside = rear <= x - radius and x + radius <= front
    return arc.turn > 0.0 and inside and low <= z - radius and z + radius <= high


def _chords(segment: Line | Arc) -> Iterator[Line]:
    """Yield a line, or the chords of an arc."""
    if isinstance(segment, Line):
        yield segment
        return
    count = math.ceil(abs(segment.turn) / CHORD)
    turn = segment.turn / count
    length = 2.0 * segment.radius * math.sin(0.5 * abs(turn))
    x, z = segment.x, segment.z
    for number in range(count):
        heading = segment.heading + (number + 0.5) * turn
        yield Line(x=x, z=z, heading=heading, length=length)
        x, z = x + length * math.cos(heading), z - length * math.sin(heading)


def _run(line: Line, width: float, thickness: float, origin: tuple[float, float]) -> Shape:
    """Return the box of a straight run, its outer face on the belt."""
    x, z = line.middle
    x -= 0.5 * thickness * math.sin(line.heading) + origin[0]
    z -= 0.5 * thickness * math.cos(line.heading) + origin[1]
    pitch = math.remainder(line.heading, math.pi)  # a box looks the same when turned by half
    return Shape(
        kind="box", size=(line.length, width, thickness), position=(x, 0.0, z),
        rpy=(0.0, pitch, 0.0),
    )  # fmt: skip


def _cylinder(x: float, z: float, radius: float, width: float) -> Shape:
    return Shape(
        kind="cylinder", size=(radius, width), position=(x, 0.0, z), rpy=(0.5 * math.pi, 0.0, 0.0)
    )
