"""Message streams of a bag, and their conversion to columns at common times."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.content import AGAIN, make_log
from grouser.log.conversions import ANGLES, attitudes, convert_columns, fail_at
from grouser.log.foreign_column import ForeignColumn
from grouser.log.log import Log
from grouser.log.provenance import Provenance
from grouser.log.stamps import START


class Bag(Protocol):
    """Messages of a bag, by topic."""

    @property
    def topics(self) -> Mapping[str, str]:
        """Message type of each topic."""
        ...

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, Any]]:
        """Yield topic, time of recording [ns] and message of some topics, in file order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stream:
    """Numbers of one topic by field path: `pose.pose.position.x`."""

    topic: str
    """Name of the topic."""
    kind: str
    """Message type."""
    stamps: NDArray[np.int64]
    """Time stamps of the headers; time of recording without a header [ns]."""
    numbers: dict[str, Array]
    """Numbers of all messages; NaN where a message has none [unit of ROS]."""
    left_out: int = 0
    """Number of messages left out because time did not increase."""


_Message = tuple[int, int, dict[str, float]]  # recorded [ns], time stamp [ns], numbers


def read_streams(bag: Bag, topics: Sequence[str], origin: str | Path) -> dict[str, Stream]:
    """Return all numbers of some topics; messages with a time that does not increase are left out.

    Of arrays, only those of joints are read, by joint name: `velocity[left_wheel]`. Each quaternion
    also gives its angles: `orientation.yaw`. InvalidLog if time does not increase for most messages
    of a topic.
    """
    heard: dict[str, list[_Message]] = {topic: [] for topic in topics}
    for topic, recorded, message in bag.messages(topics):
        heard[topic].append((recorded, _stamp(message) or recorded, dict(_flatten(message))))
    return {
        topic: _make_stream(topic, bag.topics[topic], sorted(found, key=lambda m: m[0]), origin)
        for topic, found in heard.items()
    }


def _make_stream(topic: str, kind: str, heard: list[_Message], origin: str | Path) -> Stream:
    latest = -(2**63)
    kept: list[_Message] = []
    for message in heard:
        if message[1] > latest:
            kept.append(message)
            latest = message[1]
    if len(kept) < 0.5 * len(heard):
        problem = f"{len(heard) - len(kept)} of {len(heard)} messages on topic {topic!r}"
        raise InvalidLog(origin, f"{problem} are not later than one before them; {AGAIN}")
    names = dict.fromkeys(name for _, _, row in kept for name in row)
    if len(names) > limits.COLUMNS:
        problem = f"topic {topic!r} has {len(names):,} numbers with different names"
        raise InvalidLog(origin, f"{problem}; at most {limits.COLUMNS:,} are read")
    numbers = {
        name: np.array([row.get(name, np.nan) for _, _, row in kept], dtype=np.float64)
        for name in names
    }
    _add_angles(numbers)
    stamps = np.array([stamp for _, stamp, _ in kept], dtype=np.int64)
    left_out = len(heard) - len(kept)
    return Stream(topic=topic, kind=kind, stamps=stamps, numbers=numbers, left_out=left_out)


def _stamp(message: Any) -> int:
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    seconds, rest = getattr(stamp, "sec", 0), getattr(stamp, "nanosec", 0)
    known = isinstance(seconds, int) and isinstance(rest, int)
    return seconds * 1_000_000_000 + rest if known else 0


def _flatten(message: Any, before: str = "") -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    joints = getattr(message, "name", None)
    for field in fields(message):
        value, path = getattr(message, field.name), f"{before}{field.name}"
        if is_dataclass(value):
            found += _flatten(value, f"{path}.")
        elif isinstance(value, bool | int | float | np.number):
            found.append((path, float(value)))
        elif isinstance(value, np.ndarray) and isinstance(joints, list) and len(value):
            names = zip(joints, value, strict=False)
            found += [(f"{path}[{joint}]", float(number)) for joint, number in names]
    return found


def _add_angles(numbers: dict[str, Array]) -> None:
    """Add roll, pitch and yaw to each quaternion, yaw without jumps [rad]."""
    stems = [name.removesuffix("w") for name in numbers if name.endswith(".w")]
    for stem in stems:
        parts = [numbers.get(f"{stem}{axis}") for axis in "xyzw"]
        if any(part is None for part in parts):
            continue
        angles = attitudes(np.column_stack(parts), [0])  # type: ignore[arg-type]
        for column, angle in enumerate(ANGLES):
            numbers[f"{stem}{angle}"] = angles[:, column]


_ODOMETRY = {
    **{name: (f"pose.pose.position.{name}", "m") for name in "xyz"},
    **{name: (f"pose.pose.orientation.{name}", "rad") for name in ("roll", "pitch", "yaw")},
    **{f"v{axis}": (f"twist.twist.linear.{axis}", "m/s") for axis in "xyz"},
    "roll_rate": ("twist.twist.angular.x", "rad/s"),
    "pitch_rate": ("twist.twist.angular.y", "rad/s"),
    "yaw_rate": ("twist.twist.angular.z", "rad/s"),
}
_POSE = {
    **{name: (f"pose.position.{name}", "m") for name in "xyz"},
    **{name: (f"pose.orientation.{name}", "rad") for name in ("roll", "pitch", "yaw")},
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
    "geometry_msgs/msg/PoseStamped": _POSE,
    "sensor_msgs/msg/JointState": {},
    "geometry_msgs/msg/TwistStamped": {
        name: (f"twist.{path}", unit) for name, (path, unit) in _TWIST.items()
    },
    "geometry_msgs/msg/Twist": _TWIST,
    "sensor_msgs/msg/Imu": _IMU,
}
_POSE_KIND = "geometry_msgs/msg/PoseStamped"
_WISHES = ("goal", "target", "setpoint", "initial")  # topics with poses that are not measured
KINDS = tuple(_FIELDS)
"""Message types that need no column map."""


def guess_topics(topics: Mapping[str, str], path: str | Path) -> list[str]:
    """Return the topics that need no column map; the first one gives the times of the rows."""
    found = ", ".join(f"{topic} ({kind})" for topic, kind in topics.items()) or "none"
    chosen = []
    for kind in KINDS:
        same = [topic for topic, its_kind in topics.items() if its_kind == kind]
        if kind == _POSE_KIND:
            same = [t for t in same if not any(word in t.lower() for word in _WISHES)]
        if len(same) > 1:
            problem = f"has {len(same)} topics of type {kind}; a column map must choose; it has"
            raise InvalidLog(path, f"{problem} {found}")
        chosen += same
    if not chosen:
        problem = f"has no topic of type {', '.join(KINDS)}; a column map must choose; it has"
        raise InvalidLog(path, f"{problem} {found}")
    return chosen


def guess_columns(streams: Mapping[str, Stream]) -> dict[str, ForeignColumn]:
    """Return the column map of streams with known message types.

    Joints become `joint_position.<joint>` and `joint_speed.<joint>` in radians; joints named
    `<drive>_belt`, as written by grouser, become belts in metres. Poses of
    geometry_msgs/PoseStamped come before those of nav_msgs/Odometry, which may be computed from the
    belts.
    """
    first = next(iter(streams))
    columns = {"time": ForeignColumn(column=f"{first}.stamp", unit="s")}
    for topic, stream in sorted(streams.items(), key=lambda item: item[1].kind != _POSE_KIND):
        wanted = dict(_FIELDS[stream.kind])
        if stream.kind == "sensor_msgs/msg/JointState":
            wanted = dict(_joint(path) for path in stream.numbers if path.endswith("]"))
        for name, (path, unit) in wanted.items():
            if path in stream.numbers and name not in columns:
                columns[name] = ForeignColumn(column=f"{topic}.{path}", unit=unit)
    return columns


def _joint(path: str) -> tuple[str, tuple[str, str]]:
    family, _, joint = path.rstrip("]").partition("[")
    names = {"velocity": ("joint_speed", "rad/s"), "position": ("joint_position", "rad")}
    other = ("joint_torque", "N m")
    if joint.endswith("_belt"):
        names = {"velocity": ("belt_speed", "m/s"), "position": ("belt_travel", "m")}
        other = ("belt_effort", "N")
    name, unit = names.get(family, other)
    return f"{name}.{joint.removesuffix('_belt')}", (path, unit)


_HELD = "geometry_msgs/msg/Twist"  # a command holds until the next one


def join_streams(
    streams: Mapping[str, Stream], columns: Mapping[str, ForeignColumn], path: str | Path
) -> Log:
    """Return a log with a row for each message of the topic of column `time`.

    Numbers of other topics are interpolated linearly, commands hold until the next one; values
    before the first and after the last message are NaN. Time starts at the first row.
    """
    lead = streams[split_path(columns["time"].column, streams)[0]].stamps
    start = int(lead[0])
    time = (lead - start) * 1e-9

    def numbers(word: str) -> Array:
        topic, field = split_path(word, streams)
        stream = streams[topic]
        if field not in stream.numbers:
            known = ", ".join(stream.numbers) or "none"
            raise InvalidLog(path, f"topic {topic} has no number {field!r}; it has {known}")
        return _at(time, (stream.stamps - start) * 1e-9, stream.numbers[field], stream.kind)

    others = {name: column for name, column in columns.items() if name != "time"}
    fail = fail_at(path, lambda row: f"message {row + 1}")
    found = convert_columns(others, numbers, [0], fail)
    values: dict[str, tuple[NDArray[Any], str]] = {"time": (time, "s")}
    values |= {name: (found[name], column.si_unit) for name, column in others.items()}
    notes: dict[str, Any] = {
        "foreign_file": Path(path).name,
        "column_map": {name: column.to_notes() for name, column in columns.items()},
        START: start,
    }
    if left_out := {topic: stream.left_out for topic, stream in streams.items() if stream.left_out}:
        notes["messages_left_out"] = left_out
    return make_log(values, Provenance(notes=notes), path)


def split_path(word: str, topics: Iterable[str]) -> tuple[str, str]:
    """Return topic and field of a path such as `/odom.pose.pose.position.x`.

    A topic of MCAP may have dots itself: of several that fit, the longest is meant. If none fits,
    it is what comes before the first dot.
    """
    word = word.strip()
    fitting = [topic for topic in topics if word == topic or word.startswith(f"{topic}.")]
    topic = max(fitting, key=len, default=word.partition(".")[0])
    return topic, word[len(topic) + 1 :]


def _at(time: NDArray[Any], theirs: NDArray[Any], numbers: Array, kind: str) -> Array:
    """Return numbers at other times."""
    if len(theirs) == len(time) and np.array_equal(theirs, time):
        return numbers
    if kind.startswith(_HELD):
        rows = np.searchsorted(theirs, time, side="right") - 1
        return np.where(rows >= 0, numbers[np.maximum(rows, 0)], np.nan)
    return np.interp(time, theirs, numbers, left=np.nan, right=np.nan)
