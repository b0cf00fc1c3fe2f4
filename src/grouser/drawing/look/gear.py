"""Running gear: bands, shoes with grousers, sprockets, road wheels and tyres."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import Robot
from grouser.description.loop import Arc, Loop
from grouser.description.track import Flipper
from grouser.drawing.belt_marks import RibRow, Ribs, find_ribs
from grouser.drawing.look.painted import Painted, place
from grouser.drawing.mesh import box, creased, disc, join, moved, prism
from grouser.drawing.robot_mesh import BAND, band
from grouser.geometry import Array

ROAD = 0.44
"""Radius of a road wheel, as a share of that of the pulley beside it [1]."""
HOLES = 6
"""Number of holes in a wheel, which make its rotation visible."""
LUGS = 18
"""Number of lugs on a tyre."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelRow:
    """Wheels of one kind, and where they are."""

    painted: tuple[Painted, ...]
    """A wheel of radius 1 and width 1 around the origin, its axle along y."""
    places: Array
    """Middle of the axle of each, in the frame of the hull or of its flipper (n, 3) [m]."""
    scales: Array
    """Radius, width and radius of each (n, 3) [m]."""
    radii: Array
    """Radius at which the belt runs around each, or a tyre on the ground (n) [m]."""
    drives: NDArray[np.intp]
    """Number of the drive of each (n) [1]."""
    flippers: NDArray[np.intp]
    """Number of the flipper of each, -1 for the hull (n) [1]."""
    hinges: Array
    """Origin of the frame of each, in the body frame (n, 3) [m]."""

    def at(self, travels: Sequence[float], angles: Sequence[float]) -> tuple[Array, Array]:
        """Return positions (n, 3) [m] and quaternions (n, 4), scalar first, in the body frame.

        `travels` of the belts of all drives [m], `angles` of all flippers [rad].
        """
        angle = np.array((*angles, 0.0))[self.flippers]
        cos, sin = np.cos(angle), np.sin(angle)
        x, y, z = self.places.T
        points = self.hinges + np.column_stack((x * cos + z * sin, y, z * cos - x * sin))
        turn = np.asarray(travels, dtype=np.float64)[self.drives] / self.radii + angle
        half = 0.5 * np.mod(turn, 4.0 * math.pi)
        zero = np.zeros_like(half)
        return points, np.column_stack((np.cos(half), zero, np.sin(half), zero))


def find_wheels(robot: Robot) -> tuple[WheelRow, ...]:
    """Return the wheels of a robot, by kind: those inside belts, and tyres."""
    inside: list[tuple] = []
    for number, track in enumerate(robot.tracks):
        for x, z, radius, around in _pulleys(track.loop) + _road_wheels(track.loop):
            at, origin = (x, 0.0, z), (0.0, track.y, 0.0)
            inside.append((at, radius, 0.92 * track.width, around, number, -1, origin))
    for number, flipper in enumerate(robot.flippers):
        for x, z, radius, around in _pulleys(flipper.track.loop):
            width = 0.92 * flipper.track.width
            drive = _drive_of(robot, flipper)
            inside.append(((x, 0.0, z), radius, width, around, drive, number, flipper.hinge))
    tyres = [
        (wheel.centre, wheel.radius, wheel.width, wheel.radius, number, -1, (0.0, 0.0, 0.0))
        for number, wheel in enumerate(robot.wheels, len(robot.tracks))
    ]
    kinds = ((inside, _pulley()), (tyres, _tyre()))
    return tuple(_row(found, painted) for found, painted in kinds if found)


def _row(found: list[tuple], painted: tuple[Painted, ...]) -> WheelRow:
    places, radii, widths, around, drives, flippers, hinges = zip(*found, strict=True)
    return WheelRow(
        painted=painted, places=np.array(places), scales=np.column_stack((radii, widths, radii)),
        radii=np.array(around), drives=np.array(drives), flippers=np.array(flippers),
        hinges=np.array(hinges),
    )  # fmt: skip


def _drive_of(robot: Robot, flipper: Flipper) -> int:
    return next(i for i, drive in enumerate(robot.drives) if drive.side == flipper.side)


def thickness(loop: Loop) -> float:
    """Return the thickness of the band of a belt [m]."""
    return BAND * min(arc.radius for arc in loop.segments if isinstance(arc, Arc))


def _pulleys(loop: Loop) -> list[tuple[float, float, float, float]]:
    """Return x, z, radius and the belt's radius of the pulleys of a belt [m]."""
    thick = thickness(loop)
    return [
        (*arc.centre, arc.radius - thick, arc.radius)
        for arc in loop.segments
        if isinstance(arc, Arc) and arc.turn > 0.0 and arc.radius > 1.5 * thick
    ]


def _road_wheels(loop: Loop) -> list[tuple[float, float, float, float]]:
    """Return the same of road wheels, between pulleys that stand on the ground."""
    low, thick = loop.bounds[2], thickness(loop)
    feet = sorted(p for p in _pulleys(loop) if p[1] - p[3] < low + 0.3 * p[3])
    found = []
    for (x0, _, r0, _), (x1, _, r1, _) in zip(feet, feet[1:], strict=False):
        radius = ROAD * min(r0, r1)
        count = int((x1 - x0 - r0 - r1) / (2.5 * radius))
        for number in range(count):
            x = x0 + r0 + (x1 - x0 - r0 - r1) * (number + 0.5) / count
            found.append((x, low + thick + radius, radius, radius))
    return found


def _pulley() -> tuple[Painted, ...]:
    """Return a wheel with a rim, a recessed face with holes, and a hub with bolts."""
    angles = np.arange(HOLES) * 2.0 * math.pi / HOLES
    holes = [
        moved(disc(0.15, 0.965, 10), (0.55 * math.cos(a), 0.0, 0.55 * math.sin(a))) for a in angles
    ]
    bolts = [
        moved(disc(0.045, 1.1, 6), (0.2 * math.cos(a), 0.0, 0.2 * math.sin(a)))
        for a in angles + math.pi / HOLES
    ]
    return (
        ("dark", disc(1.0, 0.9, 28)), ("steel", disc(0.84, 0.95, 28)), ("rubber", join(holes)),
        ("arm", disc(0.32, 1.05, 18)), ("steel", join(bolts)),
    )  # fmt: skip


def _tyre() -> tuple[Painted, ...]:
    """Return a tyre with lugs on a rim with holes."""
    angles = np.arange(LUGS) * 2.0 * math.pi / LUGS
    lug = box((0.12, 0.98, 0.075), 0.015)
    lugs = [_around(lug, 0.965, float(a)) for a in angles]
    spokes = [_around(box((0.13, 1.05, 0.34), 0.02), 0.42, float(a)) for a in angles[::3]]
    return (
        ("rubber", disc(0.945, 1.0, 40)), ("shoe", join(lugs)), ("dark", disc(0.62, 1.015, 30)),
        ("steel", join(spokes)), ("steel", disc(0.27, 1.06, 20)), ("arm", disc(0.12, 1.12, 12)),
    )  # fmt: skip


def _around(mesh: Trimesh, radius: float, angle: float) -> Trimesh:
    """Return a mesh moved up by a radius, then turned about y [rad]."""
    return moved(moved(mesh, (0.0, 0.0, radius)), (0.0, 0.0, 0.0), Rotation.from_euler("y", angle))


def still_gear(robot: Robot) -> list[Painted]:
    """Return what does not turn beside the hull: bands, beams inside the belts, axles."""
    painted: list[Painted] = []
    for track in robot.tracks:
        thick = thickness(track.loop)
        belt = ("rubber", band(track.loop, 0.98 * track.width, thick))
        painted += place([belt, *_beam(track.loop, track.width)], (0.0, track.y, 0.0))
    rods = {
        (round(x, 4), round(z, 4), round(0.2 * radius, 4))
        for track in robot.tracks
        for x, z, radius, _ in _pulleys(track.loop)
    }
    rods |= {(wheel.x, wheel.radius, round(0.14 * wheel.radius, 4)) for wheel in robot.wheels}
    for x, z, radius in sorted(rods):
        painted.append(("steel", moved(disc(radius, robot.gauge, 12), (x, 0.0, z))))
    return painted


def _beam(loop: Loop, width: float) -> list[Painted]:
    """Return the beam that carries the road wheels of a belt."""
    feet = sorted(_pulleys(loop))
    if len(feet) < 2:
        return []
    (x0, z0, r0, _), (x1, z1, r1, _) = feet[0], feet[-1]
    length, radius = x1 - x0 - 0.5 * (r0 + r1), min(r0, r1)
    if length <= 0.0:
        return []
    beam = box((length, 0.62 * width, 0.62 * radius), 0.06 * radius)
    at = (0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1) + 0.22 * radius)
    return [("arm", moved(beam, at))]


def flipper_gear(flipper: Flipper) -> list[Painted]:
    """Return the band and the arm of a flipper, in its own frame."""
    loop, width = flipper.track.loop, flipper.track.width
    pulleys = sorted(_pulleys(loop))
    painted: list[Painted] = [("rubber", band(loop, 0.98 * width, thickness(loop)))]
    if len(pulleys) > 1:
        (x0, z0, r0, _), (x1, z1, r1, _) = pulleys[0], pulleys[-1]
        outline = [
            (x0, z0 + 0.42 * r0), (x1, z1 + 0.42 * r1), (x1, z1 - 0.42 * r1), (x0, z0 - 0.42 * r0)
        ]  # fmt: skip
        painted.append(("arm", prism(outline, 0.6 * width)))
    return painted


def find_shoes(robot: Robot) -> tuple[Ribs, ...]:
    """Return the shoes of all belts, each a plate with its grouser, grouped by shape.

    Grousers are those of the robot's file; a belt without any has low bars.
    """
    groups: dict[tuple, tuple[Trimesh, list[RibRow]]] = {}
    for number, ribs in enumerate(find_ribs(robot)):
        for row in ribs.rows:
            if row.flipper is None and row.drive >= len(robot.tracks):
                continue  # a tyre has its own lugs
            pitch = row.loop.length / row.count
            has_grousers = row.size[0] == 1.0
            key = (number, round(pitch, 5)) if has_grousers else ("bar",)
            size = row.size if has_grousers else (pitch, row.size[1], 1.6 * row.size[2])
            if key not in groups:
                shape = join((ribs.shape, _plate(pitch))) if has_grousers else _bar_shoe()
                groups[key] = creased(shape), []
            groups[key][1].append(_with_size(row, size))
    return tuple(Ribs(shape, rows) for shape, rows in groups.values())


def _with_size(row: RibRow, size: tuple[float, float, float]) -> RibRow:
    return RibRow(
        loop=row.loop, origin=row.origin, size=size, count=row.count, drive=row.drive,
        flipper=row.flipper,
    )  # fmt: skip


def _plate(pitch: float) -> Trimesh:
    """Return the plate of a shoe, a little shorter than its share of the belt."""
    half, thick = 0.44 * pitch, 0.06 * pitch
    return prism([(-half, -thick), (half, -thick), (half, 0.5 * thick), (-half, 0.5 * thick)], 1.0)


def _bar_shoe() -> Trimesh:
    """Return a plate with a low bar, of pitch 1, width 1 and height 1."""
    plate = prism([(-0.45, -0.5), (0.45, -0.5), (0.45, 0.2), (-0.45, 0.2)], 1.0)
    bar = prism([(-0.2, 0.1), (0.2, 0.1), (0.12, 1.0), (-0.12, 1.0)], 0.96)
    return join((plate, bar))
