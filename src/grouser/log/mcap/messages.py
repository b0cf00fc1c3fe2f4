"""Rows of a log as ROS 2 messages, with the same units and axes: x forward, y left, z up."""

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from grouser.log.declaration import NUMBERS_KIND
from grouser.log.log import Log
from grouser.log.mcap.cdr import Layout, split_stamp
from grouser.log.mcap.declared import DeclaredMessage, column_values, lay_out, read_declarations

WORLD, BODY = "odom", "base_link"
"""Names of the world and the body frame by ROS convention."""
COLUMNS, COLUMNS_KIND = "/grouser/columns", "std_msgs/msg/Float64MultiArray"
"""Topic with all columns of each row, and the type of its messages."""
DIAGNOSTICS, DIAGNOSTICS_KIND = "/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"
"""Topic with the columns that have no message of their own, and the type of its messages."""
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")
_TWIST = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")
_MAPPED = {*_POSE, *_TWIST, "time", "tick", "wall_time"}
_NOT_RUN: Mapping[str, float] = MappingProxyType({})
_JOINTS = {"belt_speed": "_belt", "flipper_angle": ""}
_JOINT_FAMILIES = {*_JOINTS, "belt_travel"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic that has a message for each row, or for some rows."""

    name: str
    kind: str
    """Type of the messages."""
    layout: Layout
    numbers: Callable[[slice], dict[str, np.ndarray]]
    """Returns the numbers of some rows, by name in the layout; without those of the header."""
    has_message: np.ndarray | None = None
    """Whether each row has a message; every row has one if None."""
    ages: np.ndarray | None = None
    """Time from the stamp of a message to its row; 0 if None [ns]."""


class Messages:
    """Converts the rows of one log to messages."""

    def __init__(
        self, log: Log, stamps: np.ndarray, types: Any, travels: Mapping[str, float] = _NOT_RUN
    ) -> None:
        """Prepare messages of ROS 2 `types` with time stamps [ns].

        `travels` are those of belts at the first row, 0 if missing [m].
        """
        self._log, self.stamps, self._types = log, stamps, types
        self._mapped = set(_MAPPED)
        self._travels = {
            belt: np.asarray(log.belt_travel(belt, start=travels.get(belt, 0.0)))
            for belt in _members(log, "belt_speed")
        }
        self.topics = tuple(self._topics())
        """Topics that have a message for each row, in the order of a row's messages."""
        self._others = [
            n for n in log if n not in self._mapped and n.partition(".")[0] not in _JOINT_FAMILIES
        ]
        self.has_diagnostics = bool(self._others)
        """Whether there are columns without a message of their own."""
        self._diagnostics_parts = self._prepare_diagnostics()

    @property
    def travels_at_end(self) -> dict[str, float]:
        """Belt travel at the last row, by belt [m]."""
        return {belt: float(way[-1]) for belt, way in self._travels.items() if len(way)}

    def fill(self, topic: Topic, rows: slice, messages: np.ndarray) -> None:
        """Set the numbers of one topic's messages, an array of the layout's type."""
        numbers = topic.numbers(rows)
        if "sec" in (messages.dtype.names or ()):
            stamps = self.stamps[rows]
            numbers |= split_stamp(stamps if topic.ages is None else stamps - topic.ages[rows])
        for name, values in numbers.items():
            messages[name] = values

    def diagnostics(self, rows: Sequence[int]) -> list[bytes]:
        """Return all columns without a message of their own, as texts, a message for each row."""
        head, keys = self._diagnostics_parts
        table = zip(*(self._log[name][rows].tolist() for name in self._others), strict=True)
        return [
            head[:4] + _pack_stamp(stamp) + head[12:] + _pack_values(keys, numbers)
            for stamp, numbers in zip(self.stamps[rows].tolist(), table, strict=True)
        ]

    def _prepare_diagnostics(self) -> tuple[bytes, list[bytes]]:
        """Return the bytes above the values, and the key of each value; padded to 4 bytes."""
        origin = self._log.provenance
        head = Layout().header("").constant("<u4", 1).constant("u1", 0)
        head.text(f"grouser: {origin.model or 'robot'}").text(origin.status).text(origin.robot)
        head.constant("<u4", len(self._others))
        keys = [
            Layout().text(f"{name} [{self._log.unit(name)}]").constant("<u4").content()[4:]
            for name in self._others
        ]
        return head.content(), keys

    def _topics(self) -> Iterator[Topic]:
        log = self._log
        yield Topic(
            name=COLUMNS, kind=COLUMNS_KIND,
            layout=Layout().constant("<u4", 0, 0, len(log.names)).numbers("data", len(log.names)),
            numbers=lambda rows: {"data": stack_rows(log, rows)},
        )  # fmt: skip
        if all(name in log for name in ("x", "y", "yaw")):
            quaternions = _quaternions(log)
            yield self._transform(quaternions)
            yield self._odometry(quaternions)
        if any(_members(log, family) for family in _JOINTS):
            yield self._joint_state()
        if (commands := _commands(log)) is not None:
            yield _twist(*commands)
        for message in read_declarations(log):
            yield self._declared(message)

    def _transform(self, quaternions: np.ndarray) -> Topic:
        """Return the pose of the body in the world, for /tf."""
        layout = Layout().constant("<u4", 1).header(WORLD).text(BODY)
        return Topic(
            name="/tf", kind="tf2_msgs/msg/TFMessage",
            layout=layout.numbers("translation", 3).numbers("rotation", 4),
            numbers=lambda rows: {
                "translation": self._columns(_POSE[:3], rows), "rotation": quaternions[rows],
            },
        )  # fmt: skip

    def _odometry(self, quaternions: np.ndarray) -> Topic:
        """Return pose in the world and twist in the body frame."""
        layout, unknown = Layout().header(WORLD).text(BODY), [0.0] * 36
        layout.numbers("position", 3).numbers("orientation", 4).constant("<f8", *unknown)
        return Topic(
            name="/odom", kind="nav_msgs/msg/Odometry",
            layout=layout.numbers("twist", 6).constant("<f8", *unknown),
            numbers=lambda rows: {
                "position": self._columns(_POSE[:3], rows), "orientation": quaternions[rows],
                "twist": self._columns(_TWIST, rows),
            },
        )  # fmt: skip

    def _joint_state(self) -> Topic:
        """Return belts, as prismatic joints [m, m/s], and flippers, as revolute ones [rad]."""
        log, travels = self._log, list(self._travels.values())
        joints = [f"{m}{_JOINTS[family]}" for family in _JOINTS for m in _members(log, family)]
        speeds, angles = (
            [log[f"{family}.{member}"] for member in _members(log, family)] for family in _JOINTS
        )
        unknown = [np.full(len(log), math.nan)] * len(angles)
        layout = Layout().header("").constant("<u4", len(joints))
        for joint in joints:
            layout.text(joint)
        layout.constant("<u4", len(joints)).numbers("position", len(joints))
        layout.constant("<u4", len(joints)).numbers("velocity", len(joints)).constant("<u4", 0)
        return Topic(
            name="/joint_states", kind="sensor_msgs/msg/JointState", layout=layout,
            numbers=lambda rows: {
                "position": np.column_stack([values[rows] for values in (*travels, *angles)]),
                "velocity": np.column_stack([values[rows] for values in (*speeds, *unknown)]),
            },
        )  # fmt: skip

    def _declared(self, message: DeclaredMessage) -> Topic:
        """Return the samples of a sensor; their stamps are the times at which they were taken."""
        declaration = message.declaration
        layout, numbers = lay_out(declaration, self._types)
        if declaration.kind != NUMBERS_KIND:
            self._mapped.update(column for names in numbers.values() for column in names)
        has_message, ages = message.samples(self._log)

        def fill(rows: slice) -> dict[str, np.ndarray]:
            kinds = layout.dtype()
            found = {path: column_values(self._log, n, rows) for path, n in numbers.items()}
            return {
                path: values if kinds[path].base.kind == "f" else np.nan_to_num(values)
                for path, values in found.items()
            }

        return Topic(
            name=f"/{declaration.topic}", kind=declaration.kind, layout=layout, numbers=fill,
            has_message=has_message, ages=np.round(ages * 1e9).astype(np.int64),
        )  # fmt: skip

    def _columns(self, names: tuple[str, ...], rows: slice) -> np.ndarray:
        """Return some columns side by side, 0 where there is none."""
        missing = np.zeros(rows.stop - rows.start)
        known = [self._log[n][rows] if n in self._log else missing for n in names]
        return np.column_stack(known)


def stack_rows(log: Log, rows: slice) -> np.ndarray:
    """Return all columns of some rows (row, column)."""
    return np.column_stack([log[name][rows].astype(np.float64) for name in log])


def _twist(speed: np.ndarray, rate: np.ndarray) -> Topic:
    """Return the commanded speed and yaw rate."""
    layout = Layout().numbers("speed", 1).constant("<f8", *[0.0] * 4).numbers("rate", 1)
    return Topic(
        name="/cmd_vel", kind="geometry_msgs/msg/Twist", layout=layout,
        numbers=lambda rows: {
            "speed": np.nan_to_num(speed[rows])[:, np.newaxis],
            "rate": np.nan_to_num(rate[rows])[:, np.newaxis],
        },
    )  # fmt: skip


def _pack_stamp(stamp: int) -> bytes:
    seconds, rest = divmod(stamp, 1_000_000_000)
    return seconds.to_bytes(4, "little", signed=True) + rest.to_bytes(4, "little")


def _pack_values(keys: Sequence[bytes], numbers: Sequence[float]) -> bytes:
    parts: list[bytes] = []
    for key, number in zip(keys, numbers, strict=True):
        value = b"%.9g\0" % number
        parts += [key, len(value).to_bytes(4, "little"), value, bytes(-len(value) % 4)]
    return b"".join(parts[:-1])  # no padding at the end of a message


def _quaternions(log: Log) -> np.ndarray:
    """Return the attitude of the body as x, y, z, w."""
    from scipy.spatial.transform import Rotation

    angles = [log[n] if n in log else np.zeros(len(log)) for n in reversed(_POSE[3:])]
    attitude = np.nan_to_num(np.column_stack(angles))
    return Rotation.from_euler("ZYX", attitude).as_quat() if len(log) else np.empty((0, 4))


def _members(log: Log, family: str) -> list[str]:
    return [name.partition(".")[2] for name in log if name.startswith(f"{family}.")]


def _commands(log: Log) -> tuple[np.ndarray, np.ndarray] | None:
    """Return commanded speed [m/s] and yaw rate [rad/s]; None if not known.

    They follow from belt commands s_i = v - w y_i of belts at y_i, by least squares.
    """
    if "speed_commanded" in log and "yaw_rate_commanded" in log:
        return log["speed_commanded"], log["yaw_rate_commanded"]
    drives = _members(log, "belt_speed_commanded")
    places = _lateral_places(log.provenance.robot_text)
    if not drives or any(drive not in places for drive in drives):
        return None
    speeds = np.column_stack([log[f"belt_speed_commanded.{drive}"] for drive in drives])
    y = np.array([places[drive] for drive in drives])
    y = y - y.mean()
    return speeds.mean(axis=1), -(speeds @ y) / (y @ y) if y @ y else np.zeros(len(log))


def _lateral_places(robot_text: str) -> dict[str, float]:
    """Return y of each track or wheel in a robot file, by name [m]."""
    try:
        content = tomllib.loads(robot_text)
    except tomllib.TOMLDecodeError:
        return {}
    tables = [*content.get("tracks", []), *content.get("wheels", [])]
    return {t["name"]: float(t["y_m"]) for t in tables if "name" in t and "y_m" in t}
