"""Which number of a bag is which column, where nobody says it."""

from collections.abc import Mapping
from pathlib import Path

from grouser.errors import InvalidLog
from grouser.log.column_map import ForeignColumn
from grouser.log.mcap.stream import Stream

_ODOMETRY = {
    **{name: (f"pose.pose.position.{name}", "m") for name in "xyz"},
    **{name: (f"pose.pose.orientation.{name}", "rad") for name in ("roll", "pitch", "yaw")},
    **{f"v{axis}": (f"twist.twist.linear.{axis}", "m/s") for axis in "xyz"},
    "roll_rate": ("twist.twist.angular.x", "rad/s"),
    "pitch_rate": ("twist.twist.angular.y", "rad/s"),
    "yaw_rate": ("twist.twist.angular.z", "rad/s"),
}
_TWIST = {
    "speed_commanded": ("linear.x", "m/s"),
    "yaw_rate_commanded": ("angular.z", "rad/s"),
}
_IMU = {
    "gyro_roll_rate": ("angular_velocity.x", "rad/s"),
    "gyro_pitch_rate": ("angular_velocity.y", "rad/s"),
    "gyro_yaw_rate": ("angular_velocity.z", "rad/s"),
}
_FIELDS = {
    "nav_msgs/msg/Odometry": _ODOMETRY,
    "sensor_msgs/msg/JointState": {},
    "geometry_msgs/msg/TwistStamped": {
        name: (f"twist.{path}", unit) for name, (path, unit) in _TWIST.items()
    },
    "geometry_msgs/msg/Twist": _TWIST,
    "sensor_msgs/msg/Imu": _IMU,
}
KINDS = tuple(_FIELDS)
"""Types of messages that are understood without a map."""


def guess_topics(topics: Mapping[str, str], path: str | Path) -> list[str]:
    """Return the topics that are understood without a map, the one that gives the times first.

    Args:
        topics: Type of each topic of a bag.
        path: The bag, for messages.

    Raises:
        InvalidLog: There is none, or there are two of one type; lists all topics.
    """
    found = ", ".join(f"{topic} ({kind})" for topic, kind in topics.items()) or "none"
    chosen = []
    for kind in KINDS:
        same = [topic for topic, its_kind in topics.items() if its_kind == kind]
        if len(same) > 1:
            problem = f"has {len(same)} topics of type {kind}; a column map must choose; it has"
            raise InvalidLog(path, f"{problem} {found}")
        chosen += same
    if not chosen:
        problem = f"has no topic of type {', '.join(KINDS)}; a column map must choose; it has"
        raise InvalidLog(path, f"{problem} {found}")
    return chosen


def guess_columns(streams: Mapping[str, Stream]) -> dict[str, ForeignColumn]:
    """Return which number of which topic is which column.

    Joints become `joint_position.<joint>` and `joint_speed.<joint>`, in radians: wheels. Those
    that are called as ours, `<drive>_belt`, are belts, in metres.

    Args:
        streams: By topic; the first one gives the times.
    """
    first = next(iter(streams))
    columns = {"time": ForeignColumn(column=f"{first}.stamp", unit="s")}
    for topic, stream in streams.items():
        wanted = dict(_FIELDS[stream.kind])
        if stream.kind == "sensor_msgs/msg/JointState":
            wanted = dict(_joint(path) for path in stream.numbers if path.endswith("]"))
        for name, (path, unit) in wanted.items():
            if path in stream.numbers and name not in columns:
                columns[name] = ForeignColumn(column=f"{topic}.{path}", unit=unit)
    return columns


def _joint(path: str) -> tuple[str, tuple[str, str]]:
    family, _, joint = path.rstrip("]").partition("[")
    if joint.endswith("_belt"):
        name = {"velocity": "belt_speed", "position": "belt_travel"}.get(family, "belt_effort")
        joint = joint.removesuffix("_belt")
        return f"{name}.{joint}", (path, {"velocity": "m/s", "position": "m"}.get(family, "N"))
    name = {"velocity": "joint_speed", "position": "joint_position"}.get(family, "joint_torque")
    units = {"joint_speed": "rad/s", "joint_position": "rad", "joint_torque": "N m"}
    return f"{name}.{joint}", (path, units[name])
