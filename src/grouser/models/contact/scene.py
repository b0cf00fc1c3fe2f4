"""One robot on one course for any engine: masses, hinges, belts as profiles, convex hulls.

Frames: the hull's is the robot's body frame; a flipper's has its origin in its hinge and is
parallel to the hull's at angle 0. A belt lies in a plane y = const of the body that carries it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grouser.description import Course, Robot
from grouser.description.loop import Arc, Loop
from grouser.description.robot import Wheel
from grouser.description.track import Belt, Flipper, Track
from grouser.geometry import Array, Pose
from grouser.models.rigid import (
    HULL,
    ConvexShape,
    Inertia,
    box_inertia,
    combine_inertias,
)

SERVO_STIFFNESS, SERVO_DAMPING, SERVO_ARMATURE = 2000.0, 40.0, 0.02
"""Flipper servo, assumed: torque per angle [N m/rad], per rate [N m s/rad], inertia of what
turns with the hinge [kg m^2]."""
LEAST_FLIPPER_MASS = 0.05
"""Mass of a flipper whose file counts it in the body [kg]."""
BELT_SHARE = 0.05
"""Inertia of a belt with its motor, as a share of the robot's mass, assumed [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge:
    """A flipper's arm: a hinge about y with a servo."""

    name: str
    """Name of the flipper."""
    place: tuple[float, float, float]
    """The hinge in the body frame [m]."""
    limits: tuple[float, float]
    """Smallest and largest angle [rad]."""
    rest_angle: float
    """Angle without a command [rad]."""
    speed_limit: float
    """Largest angular speed of the servo's target [rad/s]."""
    torque_limit: float
    """Largest torque; inf if not known [N m]."""
    inertia: Inertia
    """Mass of the arm with its belt, in the flipper's frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrouserRow:
    """Grousers of a belt, all alike, that move with it."""

    count: int
    """How many."""
    pitch: float
    """Distance from one to the next along the belt [m]."""
    first: float
    """Place of the first along the loop before the belt has moved [m]."""
    profile: tuple[tuple[float, float], ...]
    """Corners of the cross-section, (along the belt's travel, out of the belt) [m]."""
    width: float
    """Width across the belt [m]."""
    follows_loop: bool = True
    """Whether a grouser follows the loop, or stays with its segment until the roll-back (P4)."""
    stiffness: float | None = None
    """Force of a grouser per depth and width; stiff as all else if None [Pa]."""

    @property
    def height(self) -> float:
        """How far they stand out of the belt [m]."""
        return max(out for _, out in self.profile)

    @property
    def foot_length(self) -> float:
        """Length along the belt at the belt [m]."""
        return self._length_at(0.0)

    @property
    def tip_length(self) -> float:
        """Length along the belt at the tip [m]."""
        return self._length_at(self.height)

    def _length_at(self, height: float) -> float:
        along = [x for x, out in self.profile if abs(out - height) < 1e-9]
        return max(along) - min(along)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeltSurface:
    """A belt or wheel as a profile in a plane, extruded across."""

    name: str
    """Name of the track, flipper or wheel that it belongs to."""
    body: int
    """Body that carries it: 0 for the hull, k for the k-th hinge."""
    drive: int
    """Drive that moves it, in the robot's order."""
    y: float
    """Middle of its width in the frame of its body [m]."""
    width: float
    """Width [m]."""
    loop: Loop
    """Path of its outer side in the frame of its body; a wheel is one arc of a full turn."""
    patches: int = 4
    """Places along each side of a straight run at which the ground carries it [1]."""
    grousers: GrouserRow | None = None
    """Its grousers."""


class TrackShape(Protocol):
    """How a track is represented: as a belt, a row of wheels, a belt with grousers."""

    def __call__(
        self, belt: Belt, *, name: str, body: int, drive: int, y: float
    ) -> tuple[BeltSurface, ...]:
        """Return what stands for a belt."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackScene:
    """A robot on a course, for any engine. Frozen."""

    robot: Robot
    """The robot as it is described."""
    course: Course
    """What it stands on."""
    hull: Inertia
    """Mass of the hull with its tracks and wheels, in the body frame."""
    hinges: tuple[Hinge, ...]
    """Arms of the flippers, in the robot's order."""
    belts: tuple[BeltSurface, ...]
    """All that is driven."""
    shapes: tuple[ConvexShape, ...]
    """The hull's own body."""
    belt_mass: float = 0.0
    """Inertia of each drive, seen at its belt; 0 if its motor has no limit [kg]."""
    belt_force: float = np.inf
    """Largest force of each motor on its belt [N]."""
    anchored: bool = False
    """Whether belts stand in the world at the course's start and carry the body: a conveyor."""
    push_gains: tuple[float, float, float] | None = None
    """Gains P [1/s], I [1/s^2] and D [1] of a virtual force on the hull; None without one."""
    treadmill: float = 0.0
    """Speed at which the ground runs backwards along world x [m/s]."""
    extras: tuple[tuple[str, object], ...] = ()
    """Additions that only one engine understands, by its name: plates for MuJoCo."""

    @property
    def needs(self) -> frozenset[str]:
        """Shapes that an engine must support, for `Engine.shapes`."""
        found = {"belts"} | {f"extras of {engine}" for engine, _ in self.extras}
        found |= {"grousers"} if any(belt.grousers for belt in self.belts) else set()
        found |= {"conveyors"} if self.anchored else set()
        found |= {"virtual force"} if self.push_gains else set()
        found |= {"treadmill"} if self.treadmill else set()
        found |= {"motor limits"} if self.belt_mass else set()
        found |= {"patches"} if self.course.terrain.patches else set()
        for solid in self.course.terrain.solids:
            found.add(type(solid).__name__.lower())
        return frozenset(found)

    @property
    def has_soil(self) -> bool:
        """Whether belts may sink into the ground."""
        return "soil" in self.course.features

    @property
    def carrier_pose(self) -> Pose:
        """Where belts that stand in the world are: on the ground at the course's start."""
        start = self.course.start_pose
        return self.course.terrain.pose_at(float(start.x), float(start.y), float(start.yaw))

    @property
    def mass(self) -> float:
        """Mass of all parts [kg]."""
        return self.hull.mass + sum(hinge.inertia.mass for hinge in self.hinges)

    @property
    def size(self) -> float:
        """Largest distance of a belt or hull corner from the body's origin, level, at rest [m]."""
        reaches = [float(np.linalg.norm(shape.vertices, axis=1).max()) for shape in self.shapes]
        for belt in self.belts:
            rear, front, _, high = belt.loop.bounds
            hinge = np.zeros(3) if belt.body == 0 else np.array(self.hinges[belt.body - 1].place)
            far = max(abs(rear), abs(front)) + abs(hinge[0]), abs(belt.y) + belt.width, high
            reaches.append(float(np.hypot(*far[:2])))
        return max(reaches)


def make_scene(
    robot: Robot,
    course: Course,
    shape: TrackShape,
    *,
    anchored: bool = False,
    push_gains: tuple[float, float, float] | None = None,
    extras: tuple[tuple[str, object], ...] = (),
) -> TrackScene:
    """Return the scene of a robot on a course; the robot's belts become what `shape` makes."""
    limit = robot.drive.torque_limit
    return TrackScene(
        robot=robot,
        course=course,
        hull=_hull_inertia(robot, () if anchored else robot.drives),
        hinges=tuple(_hinge(flipper) for flipper in robot.flippers),
        belts=tuple(_belts(robot, shape)),
        shapes=_hull_shapes(robot),
        belt_mass=0.0 if limit is None else BELT_SHARE * robot.mass,
        belt_force=np.inf if limit is None else limit / robot.sprocket_radius,
        anchored=anchored,
        push_gains=push_gains,
        treadmill=course.treadmill_speed,
        extras=extras,
    )


def rim(centre: tuple[float, float], radius: float) -> Loop:
    """Return the loop of a wheel: one arc of a full turn, from its lowest point [m]."""
    x, z = centre
    arc = Arc(x=x, z=z - radius, heading=math.pi, radius=radius, turn=2.0 * math.pi)
    return Loop((arc,))


def _belts(robot: Robot, shape: TrackShape) -> list[BeltSurface]:
    found: list[BeltSurface] = []
    for number, track in enumerate(robot.tracks):
        found += shape(track, name=track.name, body=0, drive=number, y=track.y)
    for number, wheel in enumerate(robot.wheels, start=len(robot.tracks)):
        found.append(
            BeltSurface(
                name=wheel.name,
                body=0,
                drive=number,
                y=wheel.y,
                width=wheel.width,
                loop=rim((wheel.x, wheel.radius), wheel.radius),
            )
        )
    for number, flipper in enumerate(robot.flippers, start=1):
        drive = next(i for i, drive in enumerate(robot.drives) if drive.side == flipper.side)
        found += shape(flipper.track, name=flipper.name, body=number, drive=drive, y=0.0)
    return found


def _hinge(flipper: Flipper) -> Hinge:
    rear, front, low, high = flipper.track.loop.bounds
    size = (front - rear, flipper.track.width, high - low)
    centre = (0.5 * (rear + front), 0.0, 0.5 * (low + high))
    return Hinge(
        name=flipper.name,
        place=flipper.hinge,
        limits=flipper.limits,
        rest_angle=flipper.rest_angle,
        speed_limit=flipper.speed_limit,
        torque_limit=np.inf if flipper.torque_limit is None else flipper.torque_limit,
        inertia=box_inertia(max(flipper.mass, LEAST_FLIPPER_MASS), size, centre),
    )


def _hull_inertia(robot: Robot, drives: Sequence[Track | Wheel]) -> Inertia:
    """Return the mass of the hull with its tracks and wheels."""
    body = robot.body
    parts = [
        Inertia(
            mass=body.mass,
            centre=np.array(body.centre_of_mass),
            moments=np.diag(body.inertia),
        )
    ]
    parts += [box_inertia(d.mass, _box_of(d), d.centre) for d in drives if d.mass]
    if body.model_file is not None:
        from grouser.models.mujoco.import_body import read_moving_mass

        parts += read_moving_mass(body.model_file, body.model_origin)
    return combine_inertias(parts)


def _box_of(drive: Track | Wheel) -> tuple[float, float, float]:
    if isinstance(drive, Wheel):
        return 2.0 * drive.radius, drive.width, 2.0 * drive.radius
    rear, front, low, high = drive.loop.bounds
    return front - rear, drive.width, high - low


def _hull_shapes(robot: Robot) -> tuple[ConvexShape, ...]:
    body = robot.body
    if body.model_file is not None:
        from grouser.models.mujoco.import_body import read_shapes

        return read_shapes(body.model_file, body.model_origin)
    half = 0.5 * np.array(body.size)
    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    return (ConvexShape(name=HULL, vertices=np.array(body.centre) + corners * half),)


def corners_of(shapes: Sequence[ConvexShape]) -> Array:
    """Return all corners of convex shapes (m, 3) [m]."""
    return np.concatenate([np.zeros((0, 3)), *(shape.vertices for shape in shapes)])
