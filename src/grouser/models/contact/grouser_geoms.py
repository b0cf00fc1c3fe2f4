"""A belt of segment links with grousers, as the engine sees it (P4).

Each straight segment of the loop is a cuboid link, each circular one a cylinder, as in
`belt_geoms`; their surfaces move with the belt. Grousers ride on them (`riders`): a cuboid is a
box; a trapezoid is two boxes, one behind each flank, which give the exact flanks and corners and
the engine's best contacts; any other shape is a convex mesh.
"""

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description.loop import Line, Loop, Segment
from grouser.description.track import Belt, Grousers
from grouser.models.contact.belt_geoms import BeltGeom, MeshShape, add_belt
from grouser.models.contact.grouser_boxes import boxes_of
from grouser.models.contact.riders import Ride

UPWARD = 0.7
"""Share of a run's outward normal that points up from which it is an upper run [1]."""


def add_segments(
    body: mujoco.MjsBody,
    loop: Loop,
    *,
    name: str,
    y: float,
    width: float,
    drive: int,
    belts: Mapping[str, Belt],
    boxes: int,
    grousers: bool,
    upper_run: bool,
) -> list[BeltGeom]:
    """Add the links and grousers of a belt to a body.

    Args:
        body: The body that carries it, in whose frame the loop is.
        loop: Its path.
        name: What it is called.
        y: Where its centre line is in the body frame [m].
        width: Its width [m].
        drive: Which of the robot's drives moves it.
        belts: The belts of the robot, by name.
        boxes: Into how many boxes each straight link is divided.
        grousers: Whether it has grousers.
        upper_run: Whether links and grousers of the upper run are there.
    """
    kept = [upper_run or not is_upper(segment) for segment in loop.segments]
    links = add_belt(body, loop, name=name, y=y, width=width, drive=drive, boxes=boxes, kept=kept)
    belt = belts[name]
    if not grousers or belt.grousers is None:
        return links
    pitch = loop.length / belt.grousers.count
    added = list(links)
    for number, place in enumerate(belt.grouser_places.tolist()):
        ends = loop.segment_index_at(np.array([place, place + pitch]))
        if not any(kept[int(end)] for end in ends):
            continue
        ride = Ride(
            loop=loop, belt=name, place=place, pitch=pitch, grouser=number,
            tip_length=tip_length(belt.grousers),
        )  # fmt: skip
        label = f"{name}/grouser{number}"
        wide = belt.grousers.width or width
        names, mesh = _add_grouser(body, belt.grousers, label, ride, y, wide)
        zero = np.zeros(6)  # what rides moves as its footprint does
        added += [
            BeltGeom(name=n, drive=drive, surface_velocity=zero, ride=ride, mesh=mesh)
            for n in names
        ]
    return added


def is_upper(segment: Segment) -> bool:
    """Return whether a segment is an upper run, which touches nothing but what falls on it."""
    return isinstance(segment, Line) and np.cos(segment.heading) > UPWARD


def tip_length(grousers: Grousers) -> float:
    """Return the length of a grouser's outermost face along the belt [m]."""
    along = [x for x, z in grousers.profile if z > grousers.height - 1e-9]
    return max(along) - min(along)


def prism(profile: Sequence[tuple[float, float]], width: float) -> NDArray[np.float64]:
    """Return the corners of a prism across the belt, one row each [m]."""
    sides = (-0.5 * width, 0.5 * width)
    return np.array([(x, side, z) for side in sides for x, z in profile])


def _add_grouser(
    body: mujoco.MjsBody, grousers: Grousers, name: str, ride: Ride, y: float, width: float
) -> tuple[list[str], MeshShape | None]:
    """Add the geoms of a grouser; return their names, and the mesh that they need."""
    x, z = ride.loop.point_at(ride.place)
    foot = np.array([float(x), y, float(z)])
    turn = Rotation.from_euler("y", float(ride.loop.heading_at(ride.place)))
    boxes = boxes_of(grousers)
    if not boxes:
        mesh = MeshShape(f"{ride.belt}/grouser", prism(grousers.profile, width))
        body.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh.name,
            pos=foot.tolist(),
            quat=turn.as_quat(scalar_first=True).tolist(),
        )
        return [name], mesh
    names = [f"{name}.{k}" for k in range(len(boxes))]
    for label, box in zip(names, boxes, strict=True):
        body.add_geom(
            name=label,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * box.length, 0.5 * width, 0.5 * box.height],
            pos=(foot + turn.apply([box.x, 0.0, box.z])).tolist(),
            quat=(turn * Rotation.from_euler("y", box.tilt)).as_quat(scalar_first=True).tolist(),
        )
    return names, None
