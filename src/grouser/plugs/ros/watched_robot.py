"""A robot that publishes its joints and its pose in ROS 2, watched only: nothing is published.

Subscriptions are all that this node has besides what every node of ROS 2 brings.
"""

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from grouser.description import Robot
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose, wrap_angle
from grouser.live import MeasuredRobot, Measurement
from grouser.plugs.ros.messages import find_message_class
from grouser.plugs.ros.run import stay_on_this_machine
from grouser.plugs.ros.settings import sensor_quality

NAME = "grouser_watch"
"""Name of the node."""
PACKAGES = ("rclpy", "sensor_msgs", "geometry_msgs", "nav_msgs")
"""Packages of ROS 2 that are needed."""
POSE_TYPES: Mapping[str, str] = {
    "odometry": "nav_msgs/msg/Odometry",
    "pose": "geometry_msgs/msg/PoseStamped",
    "covariance": "geometry_msgs/msg/PoseWithCovarianceStamped",
    "tf": "tf2_msgs/msg/TFMessage",
    "none": "",
}
"""Message that has the pose, by its name in options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """What a robot publishes, and where."""

    joints: str = "joint_states"
    """Topic of belts or wheels, and of flippers."""
    pose: str = "odom"
    """Topic of the pose."""
    pose_type: str = "odometry"
    """Its type, a name of `POSE_TYPES`."""
    frame: str = "base_link"
    """Frame of the robot in messages of tf."""
    left: tuple[str, ...] = ()
    """Joints of the left side; the robot's left belts if empty."""
    right: tuple[str, ...] = ()
    """Joints of the right side; the robot's right belts if empty."""
    wheel_radius: float | None = None
    """Radius of wheels that turn; None for belts, whose joints move in metres [m]."""
    spatial: bool = False
    """Whether height, roll and pitch of poses are used, too."""

    def __post_init__(self) -> None:
        if self.pose_type not in POSE_TYPES:
            raise InvalidValue("--pose-type", self.pose_type, f"be one of {', '.join(POSE_TYPES)}")
        if self.wheel_radius is not None and not 0.0 < self.wheel_radius < math.inf:
            raise InvalidValue("--wheel-radius", self.wheel_radius, "be a positive number")
        if bool(self.left) != bool(self.right):
            given = " ".join((*self.left, *self.right))
            raise InvalidValue("--left and --right", given, "be given together")


class JointReader:
    """Reads belts and flippers from joint states: by velocity, else by change of position."""

    def __init__(self, robot: Robot, topics: Topics) -> None:
        """Read the joints of a robot."""
        usual = {
            side: tuple(f"{drive.name}_belt" for drive in robot.drives if drive.side == side)
            for side in ("left", "right")
        }
        self._sides = (topics.left or usual["left"], topics.right or usual["right"])
        self._radius = topics.wheel_radius
        self._flippers = {flipper.name for flipper in robot.flippers}
        self._last: dict[str, tuple[float, float, float]] = {}  # time, position, unwrapped position

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints of belts or wheels."""
        return (*self._sides[0], *self._sides[1])

    def read(self, message: Any, time: float) -> Measurement | None:
        """Return what a sensor_msgs/JointState says; None if it has no joint of this robot."""
        names = list(message.name)
        speeds = dict(_pairs(names, message.velocity))
        places = dict(_pairs(names, message.position))
        flippers = {n: places[n] for n in names if n in self._flippers and n in places}
        known = {n: self._joint(n, time, speeds, places) for n in names if n in self.names}
        sides = [[known[name] for name in side if name in known] for side in self._sides]
        belts = travels = None
        if all(sides):
            left, right = (_mean([speed for speed, _ in side]) for side in sides)
            # Without a velocity the first message has no speed: only the next one has.
            belts = None if left is None or right is None else (left, right)
            left, right = (_mean([way for _, way in side]) for side in sides)
            travels = None if left is None or right is None else (left, right)
        if belts is None and travels is None and not flippers:
            return None
        return Measurement(time=time, belts=belts, travels=travels, flippers=flippers)

    def _joint(
        self, name: str, time: float, speeds: Mapping[str, float], places: Mapping[str, float]
    ) -> tuple[float | None, float | None]:
        """Return speed [m/s] and travel [m] of a joint, as far as they are known."""
        scale, speed, place = self._radius or 1.0, speeds.get(name), places.get(name)
        if place is None or not math.isfinite(place):
            return (None if speed is None else scale * speed), None
        before, old, way = self._last.get(name, (time, place, place))
        has_speed, step = speed is not None and math.isfinite(speed), time - before
        change = place - old
        if self._radius is not None:  # angles of wheels may begin again at each turn
            expected = speed * step if speed is not None and has_speed else 0.0
            change -= math.tau * round((change - expected) / math.tau)
        if step >= 0.0 or name not in self._last:
            self._last[name] = (time, place, way + change)
        if not has_speed and step > 0.0:
            speed = change / step
        return (None if speed is None else scale * speed), scale * (way + change)


class PoseReader:
    """Reads poses; yaw does not jump where it passes 180°."""

    def __init__(self, topics: Topics) -> None:
        """Read messages of the type of `topics`."""
        self._kind, self._frame, self._yaw = topics.pose_type, topics.frame, 0.0

    def read(self, message: Any) -> list[tuple[Any, Pose]]:
        """Return the header and the pose of each pose of this robot in a message."""
        match self._kind:
            case "odometry" | "covariance":
                found = [
                    (message.header, message.pose.pose.position, message.pose.pose.orientation)
                ]
            case "pose":
                found = [(message.header, message.pose.position, message.pose.orientation)]
            case _:
                found = [
                    (one.header, one.transform.translation, one.transform.rotation)
                    for one in message.transforms
                    if one.child_frame_id == self._frame
                ]
        return [(header, self._pose(place, turn)) for header, place, turn in found]

    def _pose(self, place: Any, turn: Any) -> Pose:
        roll, pitch, yaw = to_angles(turn.w, turn.x, turn.y, turn.z)
        if math.isfinite(yaw):
            self._yaw += float(wrap_angle(yaw - self._yaw))
            yaw = self._yaw
        return Pose(x=place.x, y=place.y, z=place.z, roll=roll, pitch=pitch, yaw=yaw)


class RosRobot(MeasuredRobot):
    """A robot in ROS 2. It is read only: the node has no publisher for it, and no client."""

    def __init__(self, robot: Robot, topics: Topics, ros_arguments: Sequence[str] = ()) -> None:
        """Subscribe, in a thread of its own.

        Raises:
            GrouserError: A package of ROS 2 is missing, or ROS 2 cannot be started.
        """
        super().__init__(robot)
        _require_ros()
        self.name = f"the robot on {topics.joints}"
        self.is_planar = not topics.spatial
        self._joints, self._poses = JointReader(robot, topics), PoseReader(topics)
        stay_on_this_machine()
        rclpy, errors = import_module("rclpy"), import_module("rclpy._rclpy_pybind11")
        signals = import_module("rclpy.signals").SignalHandlerOptions.NO
        try:
            rclpy.init(args=list(ros_arguments) or None, signal_handler_options=signals)
            self._node = rclpy.create_node(NAME)
        except (
            errors.RCLError,
            errors.UnknownROSArgsError,
            errors.RCLInvalidROSArgsError,
        ) as error:
            reason = " ".join(str(error).split())
            raise GrouserError(f"ROS 2 could not be started: {reason}") from None
        self._rclpy, self._is_over = rclpy, threading.Event()
        self._subscribe("sensor_msgs/msg/JointState", topics.joints, self._take_joints)
        if topics.pose_type != "none":
            self._subscribe(POSE_TYPES[topics.pose_type], topics.pose, self._take_pose)
        self._thread = threading.Thread(target=self._spin, name="ros", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the node."""
        self._is_over.set()
        self._thread.join(timeout=5.0)
        self._node.destroy_node()
        self._rclpy.try_shutdown()

    def _subscribe(self, kind: str, topic: str, take: Any) -> None:
        self._node.create_subscription(find_message_class(kind), topic, take, sensor_quality())

    def _spin(self) -> None:
        executor = import_module("rclpy.executors").SingleThreadedExecutor()
        executor.add_node(self._node)
        while not self._is_over.is_set():
            executor.spin_once(timeout_sec=0.1)
        executor.shutdown()

    def _take_joints(self, message: Any) -> None:
        measurement = self._joints.read(message, self._time(message.header))
        if measurement is not None:
            self.offer(measurement)
        elif not self.counts.accepted:
            given, wanted = ", ".join(message.name), ", ".join(self._joints.names)
            self.problem = f"joint_states has the joints {given}, but none of {wanted}"

    def _take_pose(self, message: Any) -> None:
        for header, pose in self._poses.read(message):
            self.offer(Measurement(time=self._time(header), pose=pose))

    def _time(self, header: Any) -> float:
        """Return the time of a header; now if it has none [s]."""
        seconds = header.stamp.sec + 1e-9 * header.stamp.nanosec
        return seconds or 1e-9 * self._node.get_clock().now().nanoseconds


def to_angles(w: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return roll, pitch and yaw of a quaternion; NaN of one that is no rotation [rad]."""
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not 0.5 < length < 2.0:
        return math.nan, math.nan, math.nan
    w, x, y, z = w / length, x / length, y / length, z / length
    return (
        math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x)))),
        math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )


def _require_ros() -> None:
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise GrouserError(
            f"grouser watch ros needs the package {missing[0]!r} of ROS 2, which Python does not "
            "find; source a ROS 2 that has it, or install the wheels (Linux on x86-64): "
            "pip install 'grouser[ros]'"
        )


def _pairs(names: Sequence[str], values: Sequence[float]) -> list[tuple[str, float]]:
    """Return names with their values; none if there is not one value for each name."""
    if len(values) != len(names):
        return []
    return [(name, float(value)) for name, value in zip(names, values, strict=True)]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None
