"""Bags as rosbags writes them: those of other programs, and what ours must equal."""

import math
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation

from grouser.log import Log
from grouser.log.mcap.messages import COLUMNS
from grouser.log.mcap.write import DIAGNOSTICS_PERIOD, stamp_rows

WORLD, BODY = "odom", "base_link"
"""Names of the world and the body frame by ROS convention."""
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")
_TWIST = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")
_GYROSCOPE = ("gyro_roll_rate", "gyro_pitch_rate", "gyro_yaw_rate")
_MAPPED = {*_POSE, *_TWIST, *_GYROSCOPE, "time", "tick", "wall_time"}
_NOT_RUN: Mapping[str, float] = MappingProxyType({})
_JOINTS = {"belt_speed": "_belt", "flipper_angle": ""}
_JOINT_FAMILIES = {*_JOINTS, "belt_travel"}


class Messages:
    """Converts the rows of one log to messages."""

    def __init__(self, log: Log, types: Any, travels: Mapping[str, float] = _NOT_RUN) -> None:
        """Prepare messages; `travels` are those of belts at the first row, 0 if missing [m]."""
        self._log, self._kinds = log, types.types
        self.has_pose = all(name in log for name in ("x", "y", "yaw"))
        self.has_gyroscope = _GYROSCOPE[-1] in log
        self.joints = [
            f"{member}{_JOINTS[family]}" for family in _JOINTS for member in _members(log, family)
        ]
        """Names of belts and flippers."""
        self._commands = _commands(log)
        self.has_command = self._commands is not None
        angles = [log[n] if n in log else np.zeros(len(log)) for n in reversed(_POSE[3:])]
        attitude = np.nan_to_num(np.column_stack(angles))
        known = len(attitude) > 0
        self._quaternions = Rotation.from_euler("ZYX", attitude).as_quat() if known else attitude
        self._travels = {
            belt: np.asarray(log.belt_travel(belt, start=travels.get(belt, 0.0)))
            for belt in _members(log, "belt_speed")
        }
        self._others = [
            n for n in log if n not in _MAPPED and n.partition(".")[0] not in _JOINT_FAMILIES
        ]
        self.has_diagnostics = bool(self._others)
        """Whether there are columns without a message of their own."""

    @property
    def travels_at_end(self) -> dict[str, float]:
        """Belt travel at the last row, by belt [m]."""
        return {belt: float(way[-1]) for belt, way in self._travels.items() if len(way)}

    def numbers(self, values: np.ndarray) -> Any:
        """Return numbers as a message."""
        layout = self._kinds["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
        return self._kinds["std_msgs/msg/Float64MultiArray"](layout=layout, data=values)

    def transform(self, row: int, stamp: int) -> Any:
        """Return the pose of the body in the world, for /tf."""
        transform = self._kinds["geometry_msgs/msg/Transform"](
            translation=self._vector(row, _POSE[:3]), rotation=self._quaternion(row)
        )
        stamped = self._kinds["geometry_msgs/msg/TransformStamped"](
            header=self._header(stamp, WORLD), child_frame_id=BODY, transform=transform
        )
        return self._kinds["tf2_msgs/msg/TFMessage"](transforms=[stamped])

    def odometry(self, row: int, stamp: int) -> Any:
        """Return pose in the world and twist in the body frame."""
        kinds, unknown = self._kinds, np.zeros(36)
        point = kinds["geometry_msgs/msg/Point"](**self._numbers(row, _POSE[:3]))
        pose = kinds["geometry_msgs/msg/Pose"](position=point, orientation=self._quaternion(row))
        twist = self._twist(self._vector(row, _TWIST[:3]), self._vector(row, _TWIST[3:]))
        return kinds["nav_msgs/msg/Odometry"](
            header=self._header(stamp, WORLD),
            child_frame_id=BODY,
            pose=kinds["geometry_msgs/msg/PoseWithCovariance"](pose=pose, covariance=unknown),
            twist=kinds["geometry_msgs/msg/TwistWithCovariance"](twist=twist, covariance=unknown),
        )

    def joint_state(self, row: int, stamp: int) -> Any:
        """Return belts, as prismatic joints [m, m/s], and flippers, as revolute ones [rad]."""
        log, belts = self._log, list(self._travels)
        flippers = _members(log, "flipper_angle")
        speeds = [log[f"belt_speed.{belt}"][row] for belt in belts]
        places = [self._travels[belt][row] for belt in belts]
        angles = [log[f"flipper_angle.{flipper}"][row] for flipper in flippers]
        return self._kinds["sensor_msgs/msg/JointState"](
            header=self._header(stamp, ""),
            name=self.joints,
            position=np.array([*places, *angles]),
            velocity=np.array([*speeds, *([math.nan] * len(flippers))]),
            effort=np.empty(0),
        )

    def twist(self, row: int) -> Any:
        """Return the commanded speed and yaw rate."""
        assert self._commands is not None
        speed, rate = (float(np.nan_to_num(column[row])) for column in self._commands)
        vector = self._kinds["geometry_msgs/msg/Vector3"]
        return self._twist(vector(x=speed, y=0.0, z=0.0), vector(x=0.0, y=0.0, z=rate))

    def imu(self, row: int, stamp: int) -> Any:
        """Return the gyroscope rates; attitude and acceleration are marked as not measured."""
        unknown = np.zeros(9)
        not_there = np.array([-1.0, *np.zeros(8)])  # "no estimate" by sensor_msgs/Imu
        kinds = self._kinds
        return kinds["sensor_msgs/msg/Imu"](
            header=self._header(stamp, BODY),
            orientation=kinds["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0),
            orientation_covariance=not_there,
            angular_velocity=self._vector(row, _GYROSCOPE),
            angular_velocity_covariance=unknown,
            linear_acceleration=kinds["geometry_msgs/msg/Vector3"](x=0.0, y=0.0, z=0.0),
            linear_acceleration_covariance=not_there,
        )

    def diagnostics(self, row: int, stamp: int) -> Any:
        """Return all columns without a message of their own, as texts."""
        origin, kinds = self._log.provenance, self._kinds
        values = [
            kinds["diagnostic_msgs/msg/KeyValue"](
                key=f"{name} [{self._log.unit(name)}]", value=f"{self._log[name][row]:.9g}"
            )
            for name in self._others
        ]
        status = kinds["diagnostic_msgs/msg/DiagnosticStatus"](
            level=0, name=f"grouser: {origin.model or 'robot'}", message=origin.status,
            hardware_id=origin.robot, values=values,
        )  # fmt: skip
        header = self._header(stamp, "")
        return kinds["diagnostic_msgs/msg/DiagnosticArray"](header=header, status=[status])

    def _header(self, stamp: int, frame: str) -> Any:
        seconds, rest = divmod(stamp, 1_000_000_000)
        time = self._kinds["builtin_interfaces/msg/Time"](sec=seconds, nanosec=rest)
        return self._kinds["std_msgs/msg/Header"](stamp=time, frame_id=frame)

    def _numbers(self, row: int, names: tuple[str, ...]) -> dict[str, float]:
        known = [float(self._log[n][row]) if n in self._log else 0.0 for n in names]
        return dict(zip("xyz", known, strict=True))

    def _vector(self, row: int, names: tuple[str, ...]) -> Any:
        return self._kinds["geometry_msgs/msg/Vector3"](**self._numbers(row, names))

    def _quaternion(self, row: int) -> Any:
        numbers = zip("xyzw", self._quaternions[row].tolist(), strict=True)
        return self._kinds["geometry_msgs/msg/Quaternion"](**dict(numbers))

    def _twist(self, linear: Any, angular: Any) -> Any:
        return self._kinds["geometry_msgs/msg/Twist"](linear=linear, angular=angular)


def text_message(types: Any, words: str) -> Any:
    """Return a text as a message."""
    return types.types["std_msgs/msg/String"](data=words)


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


class BagWriter:
    """Writes messages to topics, in order of time."""

    def __init__(self, types: Any, writer: Any) -> None:
        self.types = types
        """Classes of messages by name, in `types.types`."""
        self._writer = writer
        self._topics: dict[str, Any] = {}

    def write(self, topic: str, stamp: int, message: Any) -> None:
        """Write a message of `types` with a time stamp [ns]."""
        kind = message.__msgtype__
        if topic not in self._topics:
            connect = self._writer.add_connection
            self._topics[topic] = connect(topic, kind, typestore=self.types)
        self._writer.write(self._topics[topic], stamp, self.types.serialize_cdr(message, kind))


@contextmanager
def write_bag(path: Path) -> Iterator[BagWriter]:
    """Yield a writer of a file, which exists after the context."""
    types = get_typestore(Stores.ROS2_HUMBLE)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        bag = Path(folder) / "log"
        writer = Writer(bag, version=8, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            yield BagWriter(types, writer)
        (bag / "log.mcap").rename(path)


def write_reference(log: Log, path: Path) -> None:
    """Write a log as `write_mcap` does, message by message; its notes and checksum are left out."""
    table = np.column_stack([log[name].astype(np.float64) for name in log])
    diagnosed = -math.inf
    with write_bag(path) as bag:
        messages = Messages(log, bag.types)
        for row, stamp in enumerate(stamp_rows(log).tolist()):
            bag.write(COLUMNS, stamp, messages.numbers(table[row]))
            if messages.has_pose:
                bag.write("/tf", stamp, messages.transform(row, stamp))
                bag.write("/odom", stamp, messages.odometry(row, stamp))
            if messages.joints:
                bag.write("/joint_states", stamp, messages.joint_state(row, stamp))
            if messages.has_command:
                bag.write("/cmd_vel", stamp, messages.twist(row))
            if messages.has_gyroscope:
                bag.write("/imu", stamp, messages.imu(row, stamp))
            if messages.has_diagnostics and log.time[row] >= diagnosed + DIAGNOSTICS_PERIOD - 1e-9:
                diagnosed = log.time[row]
                bag.write("/diagnostics", stamp, messages.diagnostics(row, stamp))
