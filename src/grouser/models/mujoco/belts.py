"""A belt in MuJoCo: boxes for the straight runs, cylinders for pulleys and wheels.

The surface of each geom moves with the belt: that of a box along itself, that of a cylinder about
its axis. One box for a whole track would move all six faces alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description.loop import Arc, Line
from grouser.models.contact.scene import BeltSurface, GrouserRow

ALONG = np.array([1.0, 0, 0, 0, 0, 0])
"""Velocity of a surface that moves along its geom's first axis, per belt speed [1]."""
PULLEY_INSET = 5e-4
"""Pulleys are this much thinner than the belt, so that on flat ground only runs touch [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeltGeom:
    """One geom of a belt, and how its surface moves."""

    name: str
    """Name of the geom in MuJoCo's model."""
    drive: int
    """Which of the robot's drives moves it."""
    surface_velocity: NDArray[np.float64]
    """Linear and angular velocity of its surface in its own frame, per belt speed [1], [1/m]."""


def add_belt(body: mujoco.MjsBody, belt: BeltSurface, label: str = "") -> list[BeltGeom]:
    """Add the geoms of a belt to the body that carries it.

    A run gets one box less than it has places that carry it: boxes touch with their ends. A belt
    that is one circle becomes a cylinder, `label` is the end of its name.
    """
    arcs = [segment for segment in belt.loop.segments if isinstance(segment, Arc)]
    if len(belt.loop.segments) == 1:
        return [add_roller(body, belt, f"{belt.name}/{label or 'rim'}", arcs[0], inset=0.0)]
    thickness = 0.5 * min(arc.radius for arc in arcs)
    boxes = max(belt.patches - 1, 1)
    added: list[BeltGeom] = []
    for number, segment in enumerate(belt.loop.segments):
        if isinstance(segment, Arc):
            name = f"{belt.name}/pulley{number}"
            added.append(add_roller(body, belt, name, segment, inset=PULLEY_INSET))
            continue
        for k in range(boxes):
            name = f"{belt.name}/run{number}.{k}"
            add_run(body, segment, name, (belt.y, belt.width, thickness), k=k, boxes=boxes)
            added.append(BeltGeom(name=name, drive=belt.drive, surface_velocity=ALONG))
    return added


def add_roller(
    body: mujoco.MjsBody, belt: BeltSurface, name: str, arc: Arc, *, inset: float
) -> BeltGeom:
    """Add a cylinder along y whose rim moves at belt speed; `inset` makes it thinner [m]."""
    radius = arc.radius - inset
    add_disc(body, name, (arc.centre[0], belt.y, arc.centre[1]), radius, belt.width)
    turning = np.array([0, 0, 0, 0, 0, 1.0 / radius])
    return BeltGeom(name=name, drive=belt.drive, surface_velocity=turning)


def add_disc(
    body: mujoco.MjsBody, name: str, centre: Sequence[float], radius: float, width: float
) -> mujoco.MjsGeom:
    """Add a cylinder along y [m]."""
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius, 0.5 * width, 0.0],
        pos=list(centre),
        quat=_quaternion(np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])),
    )


def add_run(
    body: mujoco.MjsBody,
    line: Line,
    name: str,
    size: tuple[float, float, float],
    *,
    k: int = 0,
    boxes: int = 1,
) -> mujoco.MjsGeom:
    """Add the k-th of the boxes of a straight run, its outer face on the belt.

    `size` has the place of the middle along y, the width and the thickness inward [m].
    """
    y, width, thickness = size
    # Headings are about +y: 0 is forward, a quarter turn is down; outside is a quarter turn back.
    along = np.array([np.cos(line.heading), 0.0, -np.sin(line.heading)])
    outward = np.array([np.sin(line.heading), 0.0, np.cos(line.heading)])
    across = np.cross(-outward, along)
    length = line.length / boxes
    start = np.array([line.x, y, line.z])
    centre = start + along * length * (k + 0.5) - outward * 0.5 * thickness
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.5 * length, 0.5 * width, 0.5 * thickness],
        pos=centre.tolist(),
        quat=_quaternion(np.column_stack((along, across, -outward)).T),
    )


def add_grousers(spec: mujoco.MjSpec, body: mujoco.MjsBody, belt: BeltSurface) -> None:
    """Add the grousers of a belt where they are before it has moved: for files and pictures."""
    row = belt.grousers
    if row is None:
        return
    mesh = f"{belt.name}/grouser"
    sides = (-0.5 * row.width, 0.5 * row.width)
    corners = [(x, side, z) for side in sides for x, z in row.profile]
    spec.add_mesh(name=mesh, uservert=np.ravel(corners).tolist())
    places, turns = grouser_poses(belt, row, 0.0)
    for number in range(row.count):
        body.add_geom(
            name=f"{mesh}{number}",
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh,
            pos=places[number].tolist(),
            quat=turns[number].as_quat(scalar_first=True).tolist(),
        )


def grouser_poses(
    belt: BeltSurface, row: GrouserRow, travel: float
) -> tuple[NDArray[np.float64], Rotation]:
    """Return foot points (n, 3) [m] and rotations in the body's frame, at a belt travel [m]."""
    s = row.first + row.pitch * np.arange(row.count, dtype=np.float64) + travel
    x, z = belt.loop.point_at(s)
    places = np.stack((x, np.full_like(s, belt.y), z), axis=1)
    return places, Rotation.from_euler("y", np.asarray(belt.loop.heading_at(s))[:, None])


def _quaternion(rows: NDArray[np.float64]) -> list[float]:
    """Return the rotation whose frame's axes are the rows, scalar first."""
    return Rotation.from_matrix(rows.T).as_quat(scalar_first=True).tolist()
