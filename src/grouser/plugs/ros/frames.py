"""Transforms that only ROS 2 has: odometries, the footprint, names of several robots, messages.

Only one odometry owns the transform from odom to base_link. By REP-120, base_footprint is the place
of the robot on the floor, level whatever the robot's attitude.
"""

from collections.abc import Iterable

from grouser.geometry import Pose, rotate
from grouser.log.mcap.cdr import Layout
from grouser.plugs.frames import BODY, MAP, ODOM, Transform, pose_transform
from grouser.plugs.ros.messages import split_time

FOOTPRINT = "base_footprint"
"""Name of a frame by REP-120."""


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
