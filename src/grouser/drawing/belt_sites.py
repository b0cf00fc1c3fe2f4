"""Ribs and grousers that make the motion of a belt visible in pictures of a MuJoCo scene."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description import Robot
from grouser.description.loop import Arc, Loop
from grouser.description.robot import Wheel
from grouser.description.track import Belt
from grouser.models.contact.scene import TrackScene
from grouser.models.mujoco.belts import grouser_poses

RIB = (0.10, 0.10, 0.11, 1.0)
"""Colour of a rib."""
SPOKE = (0.45, 0.46, 0.48, 1.0)
"""Colour of a spoke."""
MARKS = 0.035
"""Approximate distance between marks on a belt without grousers [m]."""
MARK_SIZE = (0.008, 0.0015)
"""Length of such a mark along the belt, and its height [m]."""
SPOKES = 6
"""Number of spokes of a wheel, which make its rotation visible."""
SPOKE_SIZE = (0.12, 0.75)
"""Width of a spoke and its length inward from the rim, as shares of the wheel's radius [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The ribs of one belt."""

    name: str
    body: str
    drive: int
    loop: Loop
    y: float
    places: NDArray[np.float64]
    size: tuple[float, float, float]
    outward: float
    colour: tuple[float, float, float, float] = RIB

    def poses(self, travel: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return positions (n, 3) and quaternions (n, 4) in the body frame at a belt travel [m]."""
        places = self.places + travel
        x, z = self.loop.point_at(places)
        turn = np.asarray(self.loop.heading_at(places))
        out_x, out_z = self.outward * np.sin(turn), self.outward * np.cos(turn)
        at = np.stack((x + out_x, np.full_like(turn, self.y), z + out_z), axis=1)
        nothing = np.zeros_like(turn)
        return at, np.stack((np.cos(0.5 * turn), nothing, np.sin(0.5 * turn), nothing), axis=1)


class Ribs:
    """The ribs of all belts of a scene: sites, which have no mass and no contacts."""

    def __init__(self, spec: mujoco.MjSpec, robot: Robot, *, hull: str) -> None:
        """Add ribs to a scene that is compiled later."""
        self._rows = list(_rows(robot, hull))
        for row in self._rows:
            body, (at, turn) = spec.body(row.body), row.poses(0.0)
            for number in range(len(row.places)):
                body.add_site(
                    name=f"{row.name}/rib{number}",
                    type=mujoco.mjtGeom.mjGEOM_BOX,
                    size=list(row.size),
                    pos=at[number].tolist(),
                    quat=turn[number].tolist(),
                    rgba=list(row.colour),
                )

    def move(self, model: mujoco.MjModel, travels: Sequence[float]) -> None:
        """Move the ribs to the belt travel of each drive [m]."""
        for row in self._rows:
            first = model.site(f"{row.name}/rib0").id  # those of one belt are consecutive
            sites = slice(first, first + len(row.places))
            model.site_pos[sites], model.site_quat[sites] = row.poses(travels[row.drive])
            # The compiler marked sites aligned with their body; none is aligned after a move.
            model.site_sameframe[sites] = 0


class GrouserGeoms:
    """The grousers of a scene: meshes that are drawn where the belts have taken them."""

    def __init__(self, scene: TrackScene) -> None:
        self._belts = [belt for belt in scene.belts if belt.grousers is not None]

    def __bool__(self) -> bool:
        return bool(self._belts)

    def move(self, model: mujoco.MjModel, travels: Sequence[float]) -> None:
        """Move the grousers to the belt travel of each drive [m]."""
        for belt in self._belts:
            row = belt.grousers
            if row is None:
                continue
            first, mesh = model.geom(f"{belt.name}/grouser0").id, model.mesh(f"{belt.name}/grouser")
            geoms = slice(first, first + row.count)  # those of one belt are consecutive
            places, turns = grouser_poses(belt, row, travels[belt.drive])
            # MuJoCo has moved the vertices of the mesh to the middle of its volume.
            turned = turns * Rotation.from_quat(model.mesh_quat[mesh.id], scalar_first=True)
            model.geom_pos[geoms] = places + turns.apply(model.mesh_pos[mesh.id])
            model.geom_quat[geoms] = turned.as_quat(scalar_first=True)
            model.geom_sameframe[geoms] = 0


def has_own_belts(scene: TrackScene) -> bool:
    """Return whether the belts of a scene run around the loops of the robot's tracks."""
    robot = scene.robot
    loops = {track.name: track.loop for track in robot.tracks}
    loops |= {flipper.name: flipper.track.loop for flipper in robot.flippers}
    return not scene.extras and all(
        belt.loop == loops.get(belt.name, belt.loop) for belt in scene.belts
    )


def _rows(robot: Robot, hull: str) -> Iterator[_Row]:
    for number, track in enumerate(robot.tracks):
        yield _belt_row(track.name, hull, number, track, track.y)
    for number, wheel in enumerate(robot.wheels, start=len(robot.tracks)):
        yield _wheel_row(wheel, hull, number)
    for flipper in robot.flippers:
        number = next(i for i, drive in enumerate(robot.drives) if drive.side == flipper.side)
        yield _belt_row(flipper.name, flipper.name, number, flipper.track, 0.0)


def _belt_row(name: str, body: str, drive: int, belt: Belt, y: float) -> _Row:
    loop, grousers = belt.loop, belt.grousers
    if grousers is None:
        count = max(round(loop.length / MARKS), 1)
        length, height = MARK_SIZE
        places = (np.arange(count) + 0.5) * loop.length / count
    else:
        length, height, places = grousers.length, grousers.height, belt.grouser_places
    return _Row(
        name=name,
        body=body,
        drive=drive,
        loop=loop,
        y=y,
        places=places,
        size=(0.5 * length, 0.5 * belt.width, 0.5 * height),
        outward=0.5 * height,
    )


def _wheel_row(wheel: Wheel, hull: str, drive: int) -> _Row:
    """Return the spokes of a wheel: ribs that reach inward."""
    x, y, z = wheel.centre
    rim = Arc(x=x, z=z + wheel.radius, heading=0.0, radius=wheel.radius, turn=2.0 * np.pi)
    width, depth = (share * wheel.radius for share in SPOKE_SIZE)
    return _Row(
        name=wheel.name,
        body=hull,
        drive=drive,
        loop=Loop((rim,)),
        y=y,
        places=np.arange(SPOKES) * 2.0 * np.pi * wheel.radius / SPOKES,
        size=(0.5 * width, 0.505 * wheel.width, 0.5 * depth),
        outward=-0.55 * depth,
        colour=SPOKE,
    )
