"""Grousers that ride along a belt: the tables of all of them, and of the loops they ride on.

A rider is one geom. Its footprint, the point of the belt below it, moves along the loop; the
geom is fixed to the footprint's frame: x along the belt's travel, y as the body's, z outward.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description.loop import Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """Where a geom rides: on which belt, and where its footprint is before the belt has moved."""

    loop: Loop
    """The path of the belt, in the frame of the body that carries it."""
    belt: str
    """What the belt is called."""
    place: float
    """Distance of the footprint along the loop [m]."""
    pitch: float
    """Distance to the next grouser along the loop: how far a belt moves between roll-backs [m]."""
    grouser: int
    """Which grouser of the belt it belongs to."""
    tip_length: float
    """Length of the grouser's outer face along the belt [m]."""


class Riders(NamedTuple):
    """Riders and loops as compiled code wants them; empty if nothing rides."""

    of_geom: NDArray[np.int64]
    """Which rider each of the engine's geoms is; -1 for none."""
    geom: NDArray[np.int64]
    """The engine's geom of each rider."""
    body: NDArray[np.int64]
    """The engine's body that carries each rider's belt."""
    loop: NDArray[np.int64]
    """Which loop each rider is on."""
    grouser: NDArray[np.int64]
    """Which grouser of the scene each rider belongs to."""
    home: NDArray[np.int64]
    """Row of `path` on which each rider is before the belt has moved."""
    place: NDArray[np.float64]
    """Distance of each footprint along the loop before the belt has moved [m]."""
    tip_length: NDArray[np.float64]
    """Length of each grouser's outer face along the belt [m]."""
    frame: NDArray[np.float64]
    """Place (3) and rotation matrix (9) of each geom in the frame of its footprint."""
    path: NDArray[np.float64]
    """A row per segment: start along the loop, length, x, z, heading, curvature, cos, sin."""
    first: NDArray[np.int64]
    """First row of `path` of each loop, and one past the last."""
    pitch: NDArray[np.float64]
    """Pitch of the grousers of each loop [m]."""
    drive: NDArray[np.int64]
    """Which drive moves each loop."""
    hands_over: bool
    """Whether a grouser goes on to the next segment, or stays with its own until the roll-back."""


def index_riders(
    model: mujoco.MjModel, rides: Sequence[tuple[str, int, Ride]], *, hands_over: bool
) -> Riders:
    """Return the tables of riders.

    Args:
        model: The compiled scene, in which no belt has moved.
        rides: Name of the geom, number of the drive, and ride, of each rider.
        hands_over: Whether a grouser goes on to the next segment.
    """
    belts = {ride.belt: (ride, drive) for _, drive, ride in rides}
    order = {belt: number for number, belt in enumerate(belts)}
    loops = [ride.loop for ride, _ in belts.values()]
    first = np.cumsum([0, *(len(loop.segments) for loop in loops)])
    geoms = np.array([model.geom(name).id for name, _, _ in rides], np.int64)
    number_of = np.array([order[ride.belt] for _, _, ride in rides], np.int64)
    segment = [int(ride.loop.segment_index_at(ride.place)) for _, _, ride in rides]
    grousers = {key: n for n, key in enumerate(dict.fromkeys(_grouser(r) for _, _, r in rides))}
    of_geom = np.full(model.ngeom, -1, np.int64)
    of_geom[geoms] = np.arange(len(geoms))
    return Riders(
        of_geom=of_geom,
        geom=geoms,
        body=model.geom_bodyid[geoms].astype(np.int64),
        loop=number_of,
        grouser=np.array([grousers[_grouser(ride)] for _, _, ride in rides], np.int64),
        home=first[number_of] + np.array(segment, np.int64),
        place=np.array([ride.place for _, _, ride in rides], np.float64),
        tip_length=np.array([ride.tip_length for _, _, ride in rides], np.float64),
        frame=np.array(
            [_frame(model, g, r) for g, (_, _, r) in zip(geoms, rides, strict=True)]
        ).reshape(-1, 12),
        path=np.concatenate([np.zeros((0, 8)), *(_path(loop) for loop in loops)]),
        first=first.astype(np.int64),
        pitch=np.array([ride.pitch for ride, _ in belts.values()], np.float64),
        drive=np.array([drive for _, drive in belts.values()], np.int64),
        hands_over=hands_over,
    )


def _grouser(ride: Ride) -> tuple[str, int]:
    return ride.belt, ride.grouser


def _frame(model: mujoco.MjModel, geom: int, ride: Ride) -> NDArray[np.float64]:
    """Return place and rotation of a geom in the frame of its footprint."""
    x, z = ride.loop.point_at(ride.place)
    back = Rotation.from_euler("y", float(ride.loop.heading_at(ride.place))).inv()
    place = back.apply(model.geom_pos[geom] - (float(x), 0.0, float(z)))
    turn = back * Rotation.from_quat(model.geom_quat[geom], scalar_first=True)
    return np.concatenate([place, turn.as_matrix().ravel()])


def _path(loop: Loop) -> NDArray[np.float64]:
    return np.array(
        [
            (start, s.length, s.x, s.z, s.heading, s.curvature, np.cos(s.heading),
             np.sin(s.heading))
            for start, s in zip(loop.starts, loop.segments, strict=True)
        ]
    )  # fmt: skip
