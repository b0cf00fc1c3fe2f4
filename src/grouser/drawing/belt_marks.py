"""Ribs that make the motion of a belt visible in the browser."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from trimesh import Trimesh

from grouser.description import Robot
from grouser.description.loop import Loop
from grouser.description.schema import Vector
from grouser.description.track import Belt, Grousers
from grouser.drawing.mesh import creased, prism
from grouser.drawing.robot_mesh import wheel_loop
from grouser.geometry import Array, running_length

MARKS = 0.035
"""Approximate distance between marks on a belt without grousers [m]."""
MARKS_AT_LEAST = 16
"""Smallest number of marks on a belt."""
MARK_SIZE = (0.3, 0.12)
"""Length of a mark along the belt and its height, as shares of their distance [1]."""
TREAD = 1.04
"""Width of the marks on a tyre, as a share of the tyre's [1]."""


@dataclass(frozen=True, kw_only=True)
class RibRow:
    """The ribs of one belt or tyre."""

    loop: Loop
    """The belt's path, in the frame of the hull or flipper."""
    origin: Vector
    """Origin of that frame in the body frame, y in the middle of the belt [m]."""
    size: Vector
    """Scale of a rib's shape along its own axes [1]."""
    count: int
    """Number of ribs, evenly spaced; the first is at half a pitch."""
    drive: int
    """Index of the drive that moves the belt."""
    flipper: int | None = None
    """Index of the flipper that has the belt; None for the hull."""


class Ribs:
    """All ribs of one shape on a robot, and their poses in the body frame."""

    def __init__(self, shape: Trimesh, rows: Sequence[RibRow]) -> None:
        """Lay out a rib of width 1, its foot in the plane z = 0, the belt's travel along x."""
        self.shape, self.rows = shape, tuple(rows)
        counts = [row.count for row in rows]
        self._row = np.repeat(np.arange(len(rows)), counts)
        lengths = np.array([row.loop.length for row in rows])
        # The belts are laid end to end, so that one search finds the segment of every rib.
        offsets = running_length(lengths)[:-1]
        starts = [row.loop.starts + o for row, o in zip(rows, offsets, strict=True)]
        self._starts = np.concatenate(starts)
        self._columns = np.array(
            [(s.x, s.z, s.heading, s.curvature) for row in rows for s in row.loop.segments]
        ).T
        self._length, self._offset = lengths[self._row], offsets[self._row]
        pitch = np.repeat(lengths / counts, counts)
        self._places = (np.concatenate([np.arange(n) for n in counts]) + 0.5) * pitch
        self._origin = np.array([row.origin for row in rows])[self._row]
        self._drive = np.array([row.drive for row in rows])
        self._flipper = np.array([-1 if row.flipper is None else row.flipper for row in rows])

    @property
    def scales(self) -> Array:
        """Scale of the shape of each rib (n, 3) [1]."""
        return np.array([row.size for row in self.rows])[self._row]

    def at(self, travels: Sequence[float], angles: Sequence[float]) -> tuple[Array, Array]:
        """Return foot points (n, 3) [m] and quaternions (n, 4), scalar first, in the body frame.

        `travels` of the belts of all drives [m], `angles` of all flippers [rad].
        """
        travel = np.asarray(travels, dtype=np.float64)[self._drive][self._row]
        angle = np.array((*angles, 0.0))[self._flipper][self._row]  # -1 is the hull
        s = np.mod(self._places + travel, self._length) + self._offset
        segment = np.searchsorted(self._starts, s, side="right") - 1
        x, z, heading, curvature = self._columns[:, segment]
        along = s - self._starts[segment]
        half = 0.5 * curvature * along
        chord = along * np.sinc(half / np.pi)
        # The chord of an arc points half-way between its headings; the flipper turns it on.
        cos, sin = np.cos(angle), np.sin(angle)
        x, z = x + chord * np.cos(heading + half), z - chord * np.sin(heading + half)
        points = self._origin.copy()
        points[:, 0] += x * cos + z * sin
        points[:, 2] += z * cos - x * sin
        turn = 0.5 * (heading + angle) + half
        quaternions = np.zeros((len(points), 4))
        quaternions[:, 0], quaternions[:, 2] = np.cos(turn), np.sin(turn)
        return points, quaternions


def find_ribs(robot: Robot) -> tuple[Ribs, ...]:
    """Return the ribs of all belts of a robot, grouped by shape."""
    found: dict[tuple, tuple[Trimesh, list[RibRow]]] = {}

    def add(grousers: Grousers | None, row: RibRow) -> None:
        # A mark, where there are no grousers, is a block of size 1.
        key = grousers.profile if grousers else ()
        block = (-0.5, 0.0), (0.5, 0.0), (0.5, 1.0), (-0.5, 1.0)
        if key not in found:
            found[key] = creased(prism(key or block, 1.0)), []
        found[key][1].append(row)

    for number, track in enumerate(robot.tracks):
        add(track.grousers, _row(track, (0.0, track.y, 0.0), number))
    for number, wheel in enumerate(robot.wheels, len(robot.tracks)):
        loop = wheel_loop(wheel)
        size, count = _marks(loop, TREAD * wheel.width)
        origin = (0.0, wheel.y, 0.0)
        add(None, RibRow(loop=loop, origin=origin, size=size, count=count, drive=number))
    for number, flipper in enumerate(robot.flippers):
        drive = next(i for i, drive in enumerate(robot.drives) if drive.side == flipper.side)
        add(flipper.track.grousers, _row(flipper.track, flipper.hinge, drive, number))
    return tuple(Ribs(shape, rows) for shape, rows in found.values())


def _row(belt: Belt, origin: Vector, drive: int, flipper: int | None = None) -> RibRow:
    if belt.grousers is None:
        size, count = _marks(belt.loop, belt.width)
    else:
        size, count = (1.0, belt.grousers.width or belt.width, 1.0), belt.grousers.count
    return RibRow(
        loop=belt.loop, origin=origin, size=size, count=count, drive=drive, flipper=flipper
    )


def _marks(loop: Loop, width: float) -> tuple[Vector, int]:
    """Return size and number of the marks on a belt without grousers."""
    count = max(round(loop.length / MARKS), MARKS_AT_LEAST)
    length, height = (share * loop.length / count for share in MARK_SIZE)
    return (length, width, height), count
