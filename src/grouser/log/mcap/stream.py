"""What was said on one topic: a time and a set of numbers for each message."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

_ANGLES = ("yaw", "pitch", "roll")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stream:
    """Numbers of one topic by the path of their field: `pose.pose.position.x`."""

    topic: str
    """Its name."""
    kind: str
    """Name of its messages' type."""
    stamps: NDArray[np.int64]
    """When each message was made, by its header; when it was recorded, if it has none [ns]."""
    numbers: dict[str, NDArray[np.float64]]
    """Numbers of all messages; a gap where a message lacks one [unit of ROS]."""


def read_stream(reader: Any, topic: str) -> Stream:
    """Return all numbers of a topic; messages that are not later than the one before are left out.

    Of lists, those of joints are read, by the names of the joints: `velocity[left_wheel]`. Next
    to each quaternion there are its angles: `orientation.yaw`.

    Args:
        reader: An open bag.
        topic: One of its topics.
    """
    connections = [c for c in reader.connections if c.topic == topic]
    kind = connections[0].msgtype
    stamps: list[int] = []
    rows: list[dict[str, float]] = []
    for connection, recorded, data in reader.messages(connections):
        message = reader.deserialize(data, connection.msgtype)
        stamp = _stamp(message) or recorded
        if not stamps or stamp > stamps[-1]:
            stamps.append(stamp)
            rows.append(dict(_flatten(message)))
    names = dict.fromkeys(name for row in rows for name in row)
    numbers = {
        name: np.array([row.get(name, np.nan) for row in rows], dtype=np.float64) for name in names
    }
    _add_angles(numbers)
    return Stream(topic=topic, kind=kind, stamps=np.array(stamps, dtype=np.int64), numbers=numbers)


def _stamp(message: Any) -> int:
    header = getattr(message, "header", None)
    return header.stamp.sec * 1_000_000_000 + header.stamp.nanosec if header is not None else 0


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


def _add_angles(numbers: dict[str, NDArray[np.float64]]) -> None:
    """Add roll, pitch and yaw to each quaternion, yaw without jumps [rad]."""
    stems = [name.removesuffix("w") for name in numbers if name.endswith(".w")]
    for stem in stems:
        parts = [numbers.get(f"{stem}{axis}") for axis in "xyzw"]
        if any(part is None for part in parts):
            continue
        quaternions = np.column_stack(parts)  # type: ignore[arg-type]
        known = np.linalg.norm(quaternions, axis=1) > 1e-6  # nobody filled in the others
        angles = np.full((len(quaternions), 3), np.nan)
        if known.any():
            angles[known] = Rotation.from_quat(quaternions[known]).as_euler("ZYX")
            angles[known] = np.unwrap(angles[known], axis=0)
        for column, angle in enumerate(_ANGLES):
            numbers[f"{stem}{angle}"] = angles[:, column]
