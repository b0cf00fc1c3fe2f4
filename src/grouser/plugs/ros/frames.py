"""The tree of frames: map, odom, base_link, and what is fixed to the robot.

By REP-105, map is fixed to the world, odom is where an odometry began, base_link is the body. Only
one odometry owns the transform from odom to base_link. By REP-120, base_footprint is the place of
the robot on the floor, level whatever the robot's attitude. Axes are those of REP-103; a camera has
an optical frame beside its own, z ahead, x right, y down.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grouser.description import Robot
from grouser.geometry import Pose, rotate
from grouser.log.mcap.cdr import Layout
from grouser.plugs.ros.messages import split_time

MAP, ODOM, BODY, FOOTPRINT = "map", "odom", "base_link", "base_footprint"
"""Names of frames by REP-105 and REP-120."""
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


def relative_pose(origin: Pose, pose: Pose) -> Pose:
    """Return a pose as seen from a level origin: one that is turned about z only."""
    dx, dy = rotate(pose.x - origin.x, pose.y - origin.y, -origin.yaw)
    return Pose(
        x=float(dx), y=float(dy), z=float(pose.z - origin.z),
        roll=pose.roll, pitch=pose.pitch, yaw=pose.yaw - origin.yaw,
    )  # fmt: skip


def level(pose: Pose) -> Pose:
    """Return a pose without roll and pitch."""
    return Pose(x=pose.x, y=pose.y, z=pose.z, yaw=pose.yaw)


def footprint(pose: Pose) -> Transform:
    """Return base_footprint in base_link: level, below the same origin."""
    roll, pitch = float(pose.roll), float(pose.pitch)
    w, x, y, z = Pose(roll=roll, pitch=pitch).quaternion.tolist()
    return Transform(BODY, FOOTPRINT, (0.0, 0.0, 0.0), (-x, -y, -z, w))


def correct_odometry(truth: Pose, odometry: Pose) -> Transform:
    """Return odom in map such that the odometry's pose is at the truth."""
    yaw = float(truth.yaw - odometry.yaw)
    dx, dy = rotate(odometry.x, odometry.y, yaw)
    place = Pose(x=truth.x - dx, y=truth.y - dy, z=truth.z - odometry.z, yaw=yaw)
    return pose_transform(MAP, ODOM, place)


def sensor_transforms(robot: Robot) -> Iterator[Transform]:
    """Yield the frame of each sensor that has one, and the optical frame of each camera."""
    for table in robot.sensors.tables:
        position = getattr(table, "position", None)
        if position is None:
            continue
        x, y, z, w = table.rotation.as_quat().tolist()  # type: ignore[attr-defined]
        yield Transform(BODY, table.frame, tuple(position), (x, y, z, w))  # type: ignore[attr-defined]
        if optical := getattr(table, "optical_frame", ""):
            yield Transform(table.frame, optical, (0.0, 0.0, 0.0), OPTICAL)  # type: ignore[attr-defined]


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


class FrameNames:
    """Names of frames of one robot: those of several robots have a prefix, map has none."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        """Prefix with a slash, or nothing."""

    def __call__(self, name: str) -> str:
        """Return the name of a frame on /tf."""
        return name if name == MAP else f"{self.prefix}{name}"


def write_transforms(
    transforms: Iterable[Transform], time: float, names: FrameNames | None = None
) -> bytes:
    """Return a tf2_msgs/TFMessage in CDR, stamped with a time [s]."""
    every, names = list(transforms), names or FrameNames()
    seconds, rest = split_time(time)
    layout = Layout().constant("<u4", len(every))
    for one in every:
        layout.constant("<i4", seconds).constant("<u4", rest).text(names(one.parent))
        layout.text(names(one.child)).constant("<f8", *one.position, *one.rotation)
    return layout.content()
