"""Frames of a robot, as every plug publishes them.

By REP-105, map is fixed to the world, odom is where an odometry began, base_link is the body. Axes
are those of REP-103; a camera has an optical frame beside its own, z ahead, x right, y down. Each
flipper, track, wheel and mounted sensor has a frame `<name>_link`.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grouser.description import Robot
from grouser.description.sensor_table import MountedSensor
from grouser.geometry import Pose

MAP, ODOM, BODY = "map", "odom", "base_link"
"""Names of frames by REP-105."""
OPTICAL = (-0.5, 0.5, -0.5, 0.5)
"""Quaternion x, y, z, w of an optical frame in the frame of its camera [1]."""


@dataclass(frozen=True, slots=True)
class Transform:
    """Where a frame is in its parent."""

    parent: str
    """Name of the parent."""
    child: str
    """Name of the frame."""
    position: tuple[float, float, float]
    """Its origin in the parent [m]."""
    rotation: tuple[float, float, float, float]
    """Its attitude in the parent as a quaternion x, y, z, w [1]."""


def pose_transform(parent: str, child: str, pose: Pose) -> Transform:
    """Return the transform of a pose."""
    w, x, y, z = pose.quaternion.tolist()
    return Transform(parent, child, (float(pose.x), float(pose.y), float(pose.z)), (x, y, z, w))


def sensor_transforms(robot: Robot) -> Iterator[Transform]:
    """Yield the frame of each sensor that has one, and the optical frame of each camera."""
    for table in robot.sensors.tables:
        if isinstance(table, MountedSensor):
            x, y, z, w = table.rotation.as_quat().tolist()
            yield Transform(BODY, table.frame, table.position, (x, y, z, w))
            if optical := getattr(table, "optical_frame", ""):
                yield Transform(table.frame, optical, (0.0, 0.0, 0.0), OPTICAL)


def flipper_transforms(robot: Robot, angles: Iterable[float]) -> Iterator[Transform]:
    """Yield the frame of each flipper: at its hinge, turned by its angle about y."""
    for flipper, angle in zip(robot.flippers, angles, strict=True):
        half = 0.5 * float(angle)
        turn = (0.0, math.sin(half), 0.0, math.cos(half))
        yield Transform(BODY, f"{flipper.name}_link", flipper.hinge, turn)


def drive_transforms(robot: Robot) -> Iterator[Transform]:
    """Yield the frame of each track and wheel, which is fixed to the body."""
    for drive in robot.drives:
        yield Transform(BODY, f"{drive.name}_link", drive.centre, (0.0, 0.0, 0.0, 1.0))
