"""A belt as the engine sees it: boxes for the straight runs, cylinders for the pulleys.

Each geom's surface moves with the belt: a box along itself, a cylinder about its axis. A single
box for the whole track would move all six faces alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description.loop import Arc, Line, Loop
from grouser.models.contact.riders import Ride

ALONG = np.array([1.0, 0, 0, 0, 0, 0])
"""Velocity of a surface that moves along its geom's first axis, per belt speed [1]."""
PULLEY_INSET = 5e-4
"""Pulleys are this much thinner than the belt, so that on flat ground only decks touch [m]."""


class MeshShape(NamedTuple):
    """A convex shape that the engine must be told of."""

    name: str
    """What geoms call it."""
    corners: NDArray[np.float64]
    """Its corners, one row each [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeltGeom:
    """One geom of a belt, and how its surface moves."""

    name: str
    """Name of the geom in the engine's model."""
    drive: int
    """Which of the robot's drives moves it."""
    surface_velocity: NDArray[np.float64]
    """Linear and angular velocity of its surface in its own frame, per belt speed [1], [1/m]."""
    is_run: bool = False
    """Whether it is a box of a straight run, whose ends lie inside the belt."""
    ride: Ride | None = None
    """How it rides on the belt; None if it stays where it is."""
    mesh: MeshShape | None = None
    """Its shape, if that is a mesh."""


def add_belt(
    body: mujoco.MjsBody,
    loop: Loop,
    *,
    name: str,
    y: float,
    width: float,
    drive: int,
    boxes: int,
    kept: Sequence[bool] | None = None,
) -> list[BeltGeom]:
    """Add the geoms of a belt to a body.

    Args:
        body: The body that carries it, in whose frame the loop is.
        loop: Its path.
        name: What it is called.
        y: Where its centre line is in the body frame [m].
        width: Its width [m].
        drive: Which of the robot's drives moves it.
        boxes: Into how many boxes each straight run is divided: how pressure spreads along it.
        kept: Which segments of the loop to make; all if not given.
    """
    thickness = 0.5 * min(s.radius for s in loop.segments if isinstance(s, Arc))
    added: list[BeltGeom] = []
    for number, segment in enumerate(loop.segments):
        if kept is not None and not kept[number]:
            continue
        if isinstance(segment, Line):
            for k in range(boxes):
                label = f"{name}/run{number}.{k}"
                add_run(body, segment, label, y, width, thickness, k, boxes)
                added.append(
                    BeltGeom(name=label, drive=drive, surface_velocity=ALONG.copy(), is_run=True)
                )
        else:
            added.append(
                add_roller(
                    body,
                    name=f"{name}/pulley{number}",
                    centre=(segment.centre[0], y, segment.centre[1]),
                    radius=segment.radius - PULLEY_INSET,
                    width=width,
                    drive=drive,
                )
            )
    return added


def add_roller(
    body: mujoco.MjsBody,
    *,
    name: str,
    centre: tuple[float, float, float],
    radius: float,
    width: float,
    drive: int,
) -> BeltGeom:
    """Add a cylinder along y whose rim moves at belt speed: a pulley or a wheel.

    Args:
        body: The body that carries it.
        name: What the geom is called.
        centre: Its centre in the body frame [m].
        radius: Its radius [m].
        width: Its width [m].
        drive: Which of the robot's drives moves it.
    """
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius, 0.5 * width, 0.0],
        pos=list(centre),
        quat=quaternion(np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])),
    )
    turning = np.array([0, 0, 0, 0, 0, 1.0 / radius])
    return BeltGeom(name=name, drive=drive, surface_velocity=turning)


def add_run(
    body: mujoco.MjsBody,
    line: Line,
    name: str,
    y: float,
    width: float,
    thickness: float,
    k: int = 0,
    boxes: int = 1,
) -> mujoco.MjsGeom:
    """Add one of the boxes of a straight run, its outer face on the belt.

    Args:
        body: The body that carries it.
        line: The run.
        name: What the geom is called.
        y: Where its centre line is in the body frame [m].
        width: Its width [m].
        thickness: How thick it is, inward [m].
        k: Which of the boxes.
        boxes: How many the run is divided into.
    """
    # Headings are about +y: 0 is forward, a quarter turn is down; outside is a quarter turn back.
    along = np.array([np.cos(line.heading), 0.0, -np.sin(line.heading)])
    outward = np.array([np.sin(line.heading), 0.0, np.cos(line.heading)])
    across = np.cross(-outward, along)
    start = np.array([line.x, y, line.z])
    length = line.length / boxes
    centre = start + along * length * (k + 0.5) - outward * 0.5 * thickness
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.5 * length, 0.5 * width, 0.5 * thickness],
        pos=centre.tolist(),
        quat=quaternion(np.column_stack((along, across, -outward)).T),
    )


def quaternion(rows: NDArray[np.float64]) -> list[float]:
    """Return the rotation whose frame's axes are the rows, scalar first."""
    return Rotation.from_matrix(rows.T).as_quat(scalar_first=True).tolist()
