"""Commands that clients publish: JSON on the topics cmd_vel, cmd_belts and cmd_flippers.

`cmd_vel` has the fields of geometry_msgs/Twist or TwistStamped, as Foxglove's Teleop panel sends
them. A client may publish as fast as it likes: of messages that come faster than twice per tick
only the newest is read.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.storage import parse_json

LARGEST = 65_536
"""Bytes of a message; larger ones are not read."""


class Driven(Protocol):
    """What takes the commands: a `PhysicsProcess`."""

    def offer_twist(self, forward: float, yaw_rate: float) -> None:
        """Drive at a forward speed [m/s] and a yaw rate [rad/s]."""

    def offer_belts(self, left: float, right: float) -> None:
        """Run the belts of each side at a speed [m/s]."""

    def offer_flippers(self, angles: Mapping[str, float]) -> None:
        """Move flippers to angles, by name [rad]."""


def offer_twist(driven: Driven, message: Mapping[str, Any]) -> None:
    """Drive by a Twist or a TwistStamped; only its linear x and angular z are used."""
    if "twist" in message:
        message = _table(message, "twist")
    if not message.keys() & {"linear", "angular"}:
        raise InvalidValue("cmd_vel", dict(message), "have linear and angular, as a Twist has")
    forward = _number(_table(message, "linear"), "linear", "x")
    driven.offer_twist(forward, _number(_table(message, "angular"), "angular", "z"))


def offer_belts(driven: Driven, message: Mapping[str, Any]) -> None:
    """Drive by `left` and `right` [m/s]."""
    if not {"left", "right"} <= message.keys():
        raise InvalidValue("cmd_belts", dict(message), "have left and right [m/s]")
    driven.offer_belts(_number(message, "", "left"), _number(message, "", "right"))


def offer_flippers(driven: Driven, message: Mapping[str, Any]) -> None:
    """Move flippers by the fields of a JointState, or by angles by name [rad]."""
    if "name" in message or "position" in message:
        names, angles = message.get("name"), message.get("position")
        if not (isinstance(names, list) and isinstance(angles, list) and len(names) == len(angles)):
            required = "have as many names as positions"
            raise InvalidValue("cmd_flippers", dict(message), required)
        message = {str(name): angle for name, angle in zip(names, angles, strict=True)}
    driven.offer_flippers({name: _number(message, "", name) for name in message})


TOPICS: dict[str, Callable[[Driven, Mapping[str, Any]], None]] = {
    "cmd_vel": offer_twist,
    "cmd_belts": offer_belts,
    "cmd_flippers": offer_flippers,
}
"""Topics of commands, without a slash."""


def check_topic(topic: str, encoding: str) -> str:
    """Return the name of a topic that a client wants to publish.

    Raises:
        GrouserError: There is no such topic, or messages of it have another encoding.
    """
    name = topic.lstrip("/")
    if name not in TOPICS:
        raise UnknownName("topic of commands", topic, (f"/{known}" for known in TOPICS))
    if encoding != "json":
        raise InvalidValue(f"encoding of {topic}", encoding, "be json")
    return name


class Inbox:
    """Messages of clients: the newest of each topic, read at most twice per tick."""

    def __init__(self, driven: Driven, tick: float, warn: Callable[[str], None]) -> None:
        """Read messages for a robot.

        Args:
            driven: Takes the commands.
            tick: Length of a tick [s].
            warn: Takes a sentence about each message that is not valid.
        """
        self._driven, self._warn, self._period = driven, warn, 0.5 * tick
        self._lock = threading.Lock()
        self._waiting: dict[str, bytes] = {}
        self._read_at = -math.inf
        self.rejected = 0
        """Messages that were not valid."""
        self.replaced = 0
        """Messages that were never read because a newer one came too soon."""

    def put(self, topic: str, data: bytes) -> None:
        """Take a message on a topic that was checked; any thread may."""
        with self._lock:
            self.replaced += topic in self._waiting
            self._waiting[topic] = data
            if time.monotonic() - self._read_at < self._period:
                return
        self.flush()

    def flush(self) -> None:
        """Read what waits."""
        with self._lock:
            if not self._waiting:
                return
            waiting, self._waiting = self._waiting, {}
            self._read_at = time.monotonic()
            for topic, data in waiting.items():
                try:
                    TOPICS[topic](self._driven, _parse(topic, data))
                except GrouserError as error:
                    self.rejected += 1
                    self._warn(str(error))


def _parse(topic: str, data: bytes) -> Mapping[str, Any]:
    if len(data) > LARGEST:
        raise InvalidValue(f"message on {topic}", f"{len(data)} bytes", f"have at most {LARGEST}")
    try:
        message = parse_json(data)
    except ValueError as error:
        shown = data[:60].decode("utf-8", "replace")
        raise InvalidValue(f"message on {topic}", shown, f"be JSON ({error})") from None
    if not isinstance(message, dict):
        raise InvalidValue(f"message on {topic}", message, "be an object of JSON")
    return message


def _table(message: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a table of a message; an empty one if it has none."""
    table = message.get(key, {})
    if not isinstance(table, Mapping):
        raise InvalidValue(key, table, "be an object of JSON")
    return table


def _number(table: Mapping[str, Any], where: str, key: str) -> float:
    """Return a number of a table, 0 if it has none."""
    value, name = table.get(key, 0.0), f"{where}.{key}".lstrip(".")
    return check_number(name, value)


def check_number(name: str, value: Any) -> float:
    """Return a number of a message; InvalidValue if it is none, or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidValue(name, value, "be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidValue(name, number, "be finite")
    return number
