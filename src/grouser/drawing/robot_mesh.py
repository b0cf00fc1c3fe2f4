"""A robot as meshes."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import Robot
from grouser.description.loop import Arc, Loop
from grouser.description.mesh_file import read_drawn_mesh
from grouser.description.robot import Wheel
from grouser.description.schema import Vector
from grouser.description.track import Flipper
from grouser.drawing.mesh import box, creased, disc, flat, join, moved, prism, ring, sheet
from grouser.errors import InvalidDescription

CHAMFER = 0.14
"""Chamfer of the edges of a hull, as a share of its height [1]."""
PLATE = 0.45
"""Width of the parts inside a belt, as a share of the belt's [1]."""
TYRE = 0.38
"""Thickness of a tyre, as a share of the wheel's radius [1]."""
SHADE_SIZES = (1.12, 1.06, 1.0, 0.92)
"""Sizes of the layers of the shadow, as shares of the robot's, from below [1]."""
SHADE_STEP = 7e-4
"""Distance between the layers of the shadow [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipperShape:
    """A flipper in its own frame, whose origin is the hinge."""

    rubber: Trimesh
    """Band of its belt."""
    metal: Trimesh
    """Its arm and pulleys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotShape:
    """All parts of a robot; everything but the flippers is in the body frame."""

    hull: Trimesh
    trim: Trimesh
    """The dark parts of the body: deck and bumper."""
    mark: Trimesh
    """Marks of the front: an arrow on the deck, and lamps."""
    rubber: Trimesh
    """Bands and tyres."""
    metal: Trimesh
    """Pulleys, axles, hubs."""
    shade: Trimesh
    """Layers of a soft shadow on the ground below it, as the lights cast no shadows."""
    flippers: tuple[FlipperShape, ...]
    """Flippers, in the robot's order."""


def shape_robot(robot: Robot) -> RobotShape:
    """Return the parts of a robot."""
    rubber, metal = [], [_axles(robot)]
    for track in robot.tracks:
        shape = _belt(track.loop, track.width)
        rubber.append(moved(shape.rubber, (0.0, track.y, 0.0)))
        metal.append(moved(shape.metal, (0.0, track.y, 0.0)))
    for wheel in robot.wheels:
        thickness = TYRE * wheel.radius
        rubber.append(moved(band(wheel_loop(wheel), wheel.width, thickness), (0.0, wheel.y, 0.0)))
        rim = disc(wheel.radius - thickness, 0.9 * wheel.width)
        hub = disc(0.25 * wheel.radius, 1.08 * wheel.width)
        metal += [moved(part, wheel.centre) for part in (rim, hub)]
    hull, trim, mark = _body(robot)
    return RobotShape(
        hull=creased(hull),
        trim=creased(trim) if len(trim.faces) else trim,
        mark=creased(mark) if len(mark.faces) else mark,
        rubber=creased(join(rubber)),
        metal=creased(join(metal)),
        shade=_shade(robot),
        flippers=tuple(_flipper(flipper) for flipper in robot.flippers),
    )


def _flipper(flipper: Flipper) -> FlipperShape:
    shape = _belt(flipper.track.loop, flipper.track.width)
    return FlipperShape(rubber=creased(shape.rubber), metal=creased(shape.metal))


def _belt(loop: Loop, width: float) -> FlipperShape:
    thickness = BAND * min(arc.radius for arc in loop.segments if isinstance(arc, Arc))
    plate = prism(_outlines(loop, thickness)[1], PLATE * width)  # fills the belt
    wheels = pulleys(loop, width, thickness)
    return FlipperShape(rubber=band(loop, width, thickness), metal=join((plate, wheels)))


def own_hull(robot: Robot) -> Trimesh | None:
    """Return the mesh that a robot's file names for its hull, in the body frame.

    None if it names none, or the file is gone: a log is shown without the files of its robot.
    """
    if robot.body.mesh_file is None:
        return None
    try:
        content = read_drawn_mesh(robot.body.mesh_file, robot.body.mesh_scale)
    except InvalidDescription:
        return None
    vertices = content.vertices + np.array(robot.body.mesh_origin)
    return Trimesh(vertices=vertices, faces=content.triangles, process=False)


def _body(robot: Robot) -> tuple[Trimesh, Trimesh, Trimesh]:
    """Return the hull, its dark trim, and the marks of its front."""
    own = own_hull(robot)
    if own is not None:
        return own, Trimesh(), Trimesh()
    length, width, height = robot.body.size
    x, y, z = robot.body.centre
    hull = moved(box((length, width, height), CHAMFER * min(length, width, height)), (x, y, z))
    cover = _cover(robot)
    if cover is not None:
        (length, width, height), (x, y, z) = cover
        lid = moved(box((length, width, height), CHAMFER * height), (x, y, z))
        hull = join((hull, lid))
    trim, mark = _front(length, width, height)
    return hull, moved(trim, (x, y, z)), moved(mark, (x, y, z))


def _cover(robot: Robot) -> tuple[Vector, Vector] | None:
    """Return size and centre of a lid above wide tracks that hide the hull, where they do.

    No such part is in the description: it is drawn to tell front from rear, and touches nothing.
    """
    tops = [
        track.loop.bounds[3] + (track.grousers.height if track.grousers else 0.0)
        for track in robot.tracks
    ]
    length, width, height = robot.body.size
    if not tops or robot.body.centre[2] + 0.5 * height > max(tops) or width > 0.5 * robot.gauge:
        return None
    size = (0.62 * length, 0.9 * robot.gauge, 0.4 * max(tops))
    x, y, _ = robot.body.centre
    return size, (x, y, max(tops) + 0.06 * size[2] + 0.5 * size[2])


def _front(length: float, width: float, height: float) -> tuple[Trimesh, Trimesh]:
    """Return deck and bumper, then arrow and lamps, of a hull around the origin."""
    cut, thin = CHAMFER * min(length, width, height), 0.02 * height
    top, front = 0.5 * height, 0.5 * length
    deck = moved(box((0.82 * length, width - 3.2 * cut, 2.0 * thin)), (0.0, 0.0, top))
    bumper = box((4.0 * thin, width - 2.2 * cut, 0.3 * height), thin)
    reach, half = 0.26 * length, 0.26 * min(width, 0.6 * length)
    tip = flat(((0.0, -half), (reach, 0.0), (0.0, half)), thin)
    tail = box((0.3 * length, 0.55 * half, thin))
    lamp_y, radius = 0.5 * width - 2.2 * cut, min(0.12 * height, 0.2 * width)
    ahead = Rotation.from_euler("z", 90.0, degrees=True)
    lamps = [
        moved(disc(radius, 3.0 * thin, 16), (front, side * lamp_y, 0.22 * height), ahead)
        for side in (-1.0, 1.0)
    ]
    return (
        join((deck, moved(bumper, (front, 0.0, -0.12 * height)))),
        join(
            (
                moved(tip, (0.06 * length, 0.0, top + thin)),
                moved(tail, (-0.09 * length, 0.0, top + 1.5 * thin)),
                *lamps,
            )
        ),
    )


def _shade(robot: Robot) -> Trimesh:
    """Return the layers of the shadow, the largest lowest."""
    width = max(abs(drive.y) + 0.5 * drive.width for drive in robot.drives)
    x, length = 0.5 * (robot.front + robot.rear), 0.5 * (robot.front - robot.rear)
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    # A superellipse: a rectangle with round corners.
    round_x = np.copysign(np.abs(np.cos(angle)) ** 0.4, np.cos(angle))
    round_y = np.copysign(np.abs(np.sin(angle)) ** 0.4, np.sin(angle))
    layers = []
    for number, share in enumerate(SHADE_SIZES):
        corners = np.column_stack((share * length * round_x, share * width * round_y))
        layers.append(moved(sheet(corners), (x, 0.0, (number + 2) * SHADE_STEP)))
    return join(layers)


def _axles(robot: Robot) -> Trimesh:
    """Return rods across the hull from each pulley or wheel to its opposite one."""
    places = set()
    for track in robot.tracks:
        for arc in track.loop.end_arcs:
            places.add((round(arc.centre[0], 6), round(arc.centre[1], 6), round(arc.radius, 6)))
    for wheel in robot.wheels:
        places.add((round(wheel.x, 6), round(wheel.radius, 6), round(wheel.radius, 6)))
    return join(moved(disc(0.16 * r, robot.gauge, 12), (x, 0.0, z)) for x, z, r in sorted(places))


BAND = 0.16
"""Thickness of a band, as a share of its smallest pulley's radius [1]."""


def wheel_loop(wheel: Wheel) -> Loop:
    """Return the rim of a wheel in the body frame, run as a belt."""
    turn = 2.0 * math.pi
    return Loop((Arc(x=wheel.x, z=0.0, heading=math.pi, radius=wheel.radius, turn=turn),))


def band(loop: Loop, width: float, thickness: float) -> Trimesh:
    """Return a closed band along a loop; its outer side is the loop."""
    return ring(*_outlines(loop, thickness), width)


def pulleys(loop: Loop, width: float, inset: float) -> Trimesh:
    """Return a disc at each end of a belt, with a hub, `inset` thinner than the belt's loop [m]."""
    parts = []
    for segment in loop.segments:
        if isinstance(segment, Arc) and segment.turn > 0.0 and segment.radius > 1.5 * inset:
            x, z = segment.centre
            for radius, share in ((segment.radius - inset, 0.96), (0.3 * segment.radius, 1.06)):
                parts.append(moved(disc(radius, share * width), (x, 0.0, z)))
    return join(parts)


def _outlines(loop: Loop, inset: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points (n, 2) along a loop, every 12 degrees of an arc, and those `inset` inside."""
    parts = []
    for start, segment in zip(loop.starts, loop.segments, strict=True):
        count = max(math.ceil(abs(segment.turn) / math.radians(12.0)), 1)
        parts.append(start + np.arange(count) * segment.length / count)
    places = np.concatenate(parts)
    outer = np.column_stack(loop.point_at(places))
    return outer, outer - inset * np.column_stack(loop.normal_at(places))
