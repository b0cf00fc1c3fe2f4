"""What was said on one topic: a time and a set of numbers for each message."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser import limits
from grouser.errors import InvalidLog
from grouser.log.mcap.bag import BagReader
from grouser.log.read_content import AGAIN

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
    left_out: int = 0
    """How many messages were not later than one before them."""


_Heard = tuple[int, int, dict[str, float]]  # when recorded [ns], when made [ns], its numbers


def read_streams(bag: BagReader, topics: Sequence[str], origin: str | Path) -> dict[str, Stream]:
    """Return all numbers of some topics; messages that are not later than one before are left out.

    Of lists, those of joints are read, by the names of the joints: `velocity[left_wheel]`. Next
    to each quaternion there are its angles: `orientation.yaw`.

    Args:
        bag: An open bag.
        topics: Some of its topics.
        origin: The file, for messages.

    Raises:
        InvalidLog: The file is damaged, or the clock of a topic went back for most of its messages.
    """
    heard: dict[str, list[_Heard]] = {topic: [] for topic in topics}
    for topic, recorded, message in bag.messages(topics):
        heard[topic].append((recorded, _stamp(message) or recorded, dict(_flatten(message))))
    return {
        topic: _make_stream(topic, bag.topics[topic], sorted(found, key=lambda m: m[0]), origin)
        for topic, found in heard.items()
    }


def _make_stream(topic: str, kind: str, heard: list[_Heard], origin: str | Path) -> Stream:
    latest = -(2**63)
    kept: list[_Heard] = []
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


def _add_angles(numbers: dict[str, NDArray[np.float64]]) -> None:
    """Add roll, pitch and yaw to each quaternion, yaw without jumps [rad]."""
    stems = [name.removesuffix("w") for name in numbers if name.endswith(".w")]
    for stem in stems:
        parts = [numbers.get(f"{stem}{axis}") for axis in "xyzw"]
        if any(part is None for part in parts):
            continue
        quaternions = np.column_stack(parts)  # type: ignore[arg-type]
        with np.errstate(over="ignore"):
            length = np.linalg.norm(quaternions, axis=1)
        known = np.isfinite(length) & (length > 1e-6)  # nobody filled in the others
        angles = np.full((len(quaternions), 3), np.nan)
        if known.any():
            angles[known] = Rotation.from_quat(quaternions[known]).as_euler("ZYX")
            angles[known] = np.unwrap(angles[known], axis=0)
        for column, angle in enumerate(_ANGLES):
            numbers[f"{stem}{angle}"] = angles[:, column]
