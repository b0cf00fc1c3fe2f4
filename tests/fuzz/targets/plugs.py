"""Messages of other programs: JSON of Foxglove's clients, messages of ROS.

Nonsense: commands that are not finite, flippers that the robot does not have, times that fall.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grouser.description import load_robot
from grouser.errors import GrouserError
from grouser.plugs.foxglove.commands import Inbox, check_topic
from grouser.plugs.ros.inputs import Trajectory, read_trajectory
from tests.fuzz.target import Target, require

ROBOT = load_robot("absolem")


class Driven:
    """Notes what is asked for."""

    def __init__(self) -> None:
        self.numbers: list[float] = []

    def offer_twist(self, forward: float, yaw_rate: float) -> None:
        self.numbers += forward, yaw_rate

    def offer_belts(self, left: float, right: float) -> None:
        self.numbers += left, right

    def offer_flippers(self, angles: Mapping[str, float]) -> None:
        self.numbers += angles.values()


def _publish(content: bytes, folder: Path) -> list[float]:
    """Publish a line of topic, encoding and message."""
    topic, encoding, data = (content.split(b" ", 2) + [b"", b""])[:3]
    name = check_topic(topic.decode("utf-8", "replace"), encoding.decode("utf-8", "replace"))
    driven, sentences = Driven(), list[str]()
    inbox = Inbox(driven, 0.01, sentences.append)
    inbox.put(name, data)
    inbox.flush()
    if sentences:
        raise GrouserError(sentences[0])
    return driven.numbers


def _check_numbers(numbers: list[float]) -> None:
    require(all(type(n) is float and math.isfinite(n) for n in numbers), f"{numbers[:5]}")


def _messages() -> list[bytes]:
    twist = {"linear": {"x": 0.2, "y": 0, "z": 0}, "angular": {"x": 0, "y": 0, "z": -0.5}}
    found = [
        ("/cmd_vel", twist),
        ("/cmd_vel", {"header": {"frame_id": "x"}, "twist": twist}),
        ("cmd_belts", {"left": 0.1, "right": -0.1}),
        ("/cmd_flippers", {"name": ["front_left"], "position": [0.5]}),
        ("/cmd_flippers", {"front_left": 0.5, "rear_right": 1}),
    ]
    return [f"{topic} json {json.dumps(message)}".encode() for topic, message in found]


STAMP = {"sec": 1, "nanosec": 500_000_000}
TRAJECTORY = {
    "header": {"stamp": STAMP},
    "joint_names": [flipper.name for flipper in ROBOT.flippers],
    "points": [
        {"positions": [0.1, 0.2, 0.3, 0.4], "time_from_start": {"sec": n, "nanosec": 5}}
        for n in range(3)
    ],
}
WIDTHS = {"sec": (-(2**31), 2**31 - 1), "nanosec": (0, 2**32 - 1)}


def _typed(value: Any, key: str = "") -> Any:
    """Return a message as ROS hands it on, where each field has its type; else not a message."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: _typed(inner, name) for name, inner in value.items()})
    if isinstance(value, list):
        return [_typed(inner, key) for inner in value]
    kinds = {"joint_names": (str,), "positions": (int, float)}.get(key, (int,))
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise TypeError(key)
    if key in WIDTHS and not WIDTHS[key][0] <= value <= WIDTHS[key][1]:
        raise ValueError(key)
    return float(value) if key == "positions" else value


def _trajectory(content: bytes, folder: Path) -> Trajectory:
    try:
        message = _typed(json.loads(content))
        assert isinstance(message.joint_names, list)
        assert all(isinstance(point.positions, list) for point in message.points)
        _ = message.header.stamp.sec + message.header.stamp.nanosec
        _ = [p.time_from_start.sec + p.time_from_start.nanosec for p in message.points]
    except (ValueError, TypeError, AttributeError, AssertionError, OverflowError, RecursionError):
        raise GrouserError("no message of this type") from None
    return read_trajectory(message, ROBOT, 1.0, (0.0, 0.0, 0.0, 0.0))


def _check_trajectory(found: Trajectory) -> None:
    known = {flipper.name for flipper in ROBOT.flippers}
    require(set(found.names) <= known and bool(found.names), f"{found.names}")
    require(all(a < b for a, b in zip(found.times, found.times[1:], strict=False)), "times")
    for time in (-1e9, 0.0, 1.7, 1e9):
        require(all(map(math.isfinite, found.at(time).values())), f"angles at {time}")


TARGETS = [
    Target(
        name="message of Foxglove",
        samples=_messages,
        attempt=_publish,
        check=_check_numbers,
        names_file=False,
        words=("NaN", "-Infinity", "1e999", "true", "null", "{}", "cmd_flippers", "twist", "cdr"),
    ),
    Target(
        name="trajectory of ROS",
        samples=lambda: [json.dumps(TRAJECTORY).encode()],
        attempt=_trajectory,
        check=_check_trajectory,
        names_file=False,
        words=("NaN", "1e308", "-1e308", "front_left", "[]", "2147483647", "-2147483648"),
    ),
]
