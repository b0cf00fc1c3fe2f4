"""Where a robot stands when somebody puts it down, and where a ray meets it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.viewer.pointer import Point, Ray

CLEARANCE = 0.005
"""How far above the ground a robot is put down [m]."""
SAMPLES = 9
"""Number of places along and across the robot at which the ground below it is found [1]."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The box around hull and drives of a robot, without flippers, in the body frame."""

    low: Point
    """Its least x, y and z [m]."""
    high: Point
    """Its greatest x, y and z [m]."""

    @classmethod
    def of(cls, robot: Robot) -> "Extent":
        """Return the box around a robot."""
        half = 0.5 * robot.body.size[1]
        sides = [abs(drive.y) + 0.5 * drive.width for drive in (*robot.tracks, *robot.wheels)]
        tops = [track.loop.bounds[3] for track in robot.tracks]
        tops += [2.0 * wheel.radius for wheel in robot.wheels]
        side = max(abs(robot.body.centre[1]) + half, *sides)
        top = max(robot.body.centre[2] + 0.5 * robot.body.size[2], *tops)
        return cls((robot.rear, -side, 0.0), (robot.front, side, top))

    def meet(self, ray: Ray, pose: Pose) -> Point | None:
        """Return where a ray meets the box of a robot at a pose, in the body frame; else None."""
        turn = np.asarray(pose.matrix)
        start = (np.asarray(ray.origin) - _place(pose)) @ turn
        way = np.asarray(ray.direction) @ turn
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (np.array([self.low, self.high]) - start) / way
        entry, leave = np.nanmax(ends.min(axis=0)), np.nanmin(ends.max(axis=0))
        if not 0.0 < entry <= leave:
            return None
        x, y, z = (start + entry * way).tolist()
        return x, y, z


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a course where a robot is put down."""

    x: float
    """Position along x of the world [m]."""
    y: float
    """Position along y [m]."""
    yaw: float
    """Heading [rad]."""


def stand(
    robot: Robot, angles: Sequence[float], course: Course, spot: Spot, *, lift: bool = True
) -> Pose:
    """Return the pose of a robot just above the ground, tilted as the ground is at its origin.

    It is above all obstacles below it, with its flippers at these angles [rad]; on the ground
    without `lift`.

    Raises:
        InvalidValue: There is no ground.
    """
    pose = _ground(course, spot)
    if not lift:
        return pose
    height = _lift(course, _side(robot, angles, is_lower=True), pose)
    return replace(pose, z=pose.z + height + CLEARANCE)


def lie_on_back(robot: Robot, angles: Sequence[float], course: Course, spot: Spot) -> Pose:
    """Return the pose of a robot just above the ground with its belts up.

    Raises:
        InvalidValue: There is no ground.
    """
    pose = replace(_ground(course, spot), roll=math.pi, pitch=0.0)
    lift = _lift(course, _side(robot, angles, is_lower=False), pose)
    return replace(pose, z=pose.z + lift + CLEARANCE)


def _ground(course: Course, spot: Spot) -> Pose:
    pose = course.terrain.pose_at(spot.x, spot.y, spot.yaw)
    if not math.isfinite(float(pose.z)):
        required = f"lie on the ground of course {course.name!r}"
        raise InvalidValue("place", f"({spot.x:.2f}, {spot.y:.2f})", required)
    return Pose(**{name: float(getattr(pose, name)) for name in pose.__dataclass_fields__})


def _side(robot: Robot, angles: Sequence[float], *, is_lower: bool) -> NDArray[np.float64]:
    """Return places (n, 3) of the robot's lower or upper side, and of its flippers [m]."""
    extent = Extent.of(robot)
    along = np.linspace(extent.low[0], extent.high[0], SAMPLES)
    across = np.linspace(extent.low[1], extent.high[1], SAMPLES)
    x, y = (part.ravel() for part in np.meshgrid(along, across))
    height = (extent.low if is_lower else extent.high)[2]
    places = [np.column_stack((x, y, np.full(x.size, height)))]
    for flipper, angle in zip(robot.flippers, angles, strict=False):
        cos, sin = math.cos(angle), math.sin(angle)
        x, z = flipper.track.loop.outline().T
        turned = np.column_stack((cos * x + sin * z, np.zeros(len(x)), cos * z - sin * x))
        places.append(turned + np.array(flipper.hinge))
    return np.concatenate(places)


def _lift(course: Course, points: NDArray[np.float64], pose: Pose) -> float:
    """Return by how much a robot must be raised so that none of its places is in the ground [m]."""
    world = points @ np.asarray(pose.matrix).T + _place(pose)
    heights = np.asarray(course.terrain.height(world[:, 0], world[:, 1]), np.float64)
    inside = (heights - world[:, 2])[np.isfinite(heights)]
    return float(max(inside.max(initial=0.0), 0.0))


def _place(pose: Pose) -> NDArray[np.float64]:
    return np.array([float(pose.x), float(pose.y), float(pose.z)])
