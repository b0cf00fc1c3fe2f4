"""What a robot subscribes to: twists, belt speeds, flipper angles and trajectories.

Commands go to the simulation as they come; the newest one counts. A command that is not usable is
dropped, counted, and reported at most once a second.
"""

import math
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grouser.description import Robot
from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.plugs.ros.messages import find_message_class
from grouser.plugs.ros.settings import Parameters, command_quality

REPORT_PERIOD = 1.0
"""Time between two reports of the same kind of command [s]."""
CMD_VEL, CMD_BELTS, CMD_FLIPPERS = "cmd_vel", "cmd_belts", "cmd_flippers"
TRAJECTORY = "cmd_flippers/trajectory"
"""Names of topics."""


class Receiver(Protocol):
    """What takes commands: the process that simulates."""

    def offer_twist(self, forward: float, yaw_rate: float) -> None:
        """Drive at a forward speed [m/s] and a yaw rate [rad/s]."""
        ...

    def offer_belts(self, left: float, right: float) -> None:
        """Drive the belts of each side [m/s]."""
        ...

    def offer_flippers(self, angles: Mapping[str, float]) -> None:
        """Move flippers, by name, to angles [rad]."""
        ...


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Angles of flippers over time."""

    names: tuple[str, ...]
    """Names of the flippers."""
    times: tuple[float, ...]
    """Simulated times of the points, which rise [s]."""
    points: tuple[tuple[float, ...], ...]
    """Angles at these times [rad]."""

    def at(self, time: float) -> dict[str, float]:
        """Return the angles at a time [s]: linear between points, the first or last one beyond."""
        later = bisect_right(self.times, time)
        if later in (0, len(self.times)):
            return dict(zip(self.names, self.points[0 if later == 0 else -1], strict=True))
        begin, end = self.times[later - 1], self.times[later]
        share = (time - begin) / (end - begin)
        pairs = zip(self.points[later - 1], self.points[later], strict=True)
        angles = [a + share * (b - a) for a, b in pairs]
        return dict(zip(self.names, angles, strict=True))


def read_trajectory(message: Any, robot: Robot, now: float, angles: Sequence[float]) -> Trajectory:
    """Return the trajectory of a trajectory_msgs/JointTrajectory.

    Args:
        message: The message; a stamp of zero means now.
        robot: Robot that has the flippers.
        now: Simulated time [s].
        angles: Angles of all flippers now, from which the first point is approached [rad].

    Raises:
        UnknownName: A joint is not a flipper.
        InvalidValue: Points do not fit the joints, are not finite, or their times do not rise.
    """
    names = tuple(message.joint_names)
    check_flippers(robot, names)
    if not names or not message.points:
        raise InvalidValue("joint_names and points", f"{len(names)}", "not be empty")
    begin = _seconds(message.header.stamp) or now
    times = [begin + _seconds(point.time_from_start) for point in message.points]
    points = [tuple(float(v) for v in point.positions) for point in message.points]
    for point in points:
        if len(point) != len(names) or not all(map(math.isfinite, point)):
            raise InvalidValue("positions", point, f"be finite, one for each of {', '.join(names)}")
    if any(b <= a for a, b in zip(times, times[1:], strict=False)):
        raise InvalidValue("time_from_start", times, "rise from point to point")
    if times[0] > now:
        by_name = dict(zip((f.name for f in robot.flippers), angles, strict=True))
        times.insert(0, now)
        points.insert(0, tuple(by_name[name] for name in names))
    return Trajectory(names, tuple(times), tuple(points))


def check_flippers(robot: Robot, names: Sequence[str]) -> None:
    """Raise UnknownName if a joint is not a flipper of the robot."""
    known = [flipper.name for flipper in robot.flippers]
    for name in names:
        if name not in known:
            raise UnknownName("flipper", name, known)


def check_stamp(stamp: float, now: float, patience: float) -> None:
    """Raise InvalidValue if a stamp is further from now than `patience`; 0 means now [s]."""
    if stamp and abs(stamp - now) > patience:
        wanted = f"be within {patience:g} s of the simulated time, {now:.3f} s (use_sim_time), or 0"
        raise InvalidValue("header.stamp", round(stamp, 3), wanted)


class Inputs:
    """Subscriptions of one robot."""

    def __init__(self, node: Any, robot: Robot, parameters: Parameters, receiver: Receiver) -> None:
        self._node, self._robot, self._receiver = node, robot, receiver
        self._parameters, self._subscriptions = parameters, []
        self.counts: Counter[str] = Counter()
        """Commands taken, and commands `<topic> dropped`, by topic."""
        self.now, self.angles = 0.0, tuple(float(f.rest_angle) for f in robot.flippers)
        self._trajectory: Trajectory | None = None
        self._due: dict[str, float] = {}
        self._twist: Any = None
        self.listen_to_twists(parameters["stamped"])
        self._listen("std_msgs/msg/Float64MultiArray", CMD_BELTS, self._take_belts)
        self._listen("sensor_msgs/msg/JointState", CMD_FLIPPERS, self._take_flippers)
        self._listen("trajectory_msgs/msg/JointTrajectory", TRAJECTORY, self._take_trajectory)

    def listen_to_twists(self, is_stamped: bool) -> None:
        """Subscribe to cmd_vel as Twist or TwistStamped, instead of what was before."""
        if self._twist is not None:
            self._subscriptions.remove(self._twist)
            self._node.destroy_subscription(self._twist)
        kind, take = "geometry_msgs/msg/Twist", self._take_twist
        if is_stamped:
            kind, take = "geometry_msgs/msg/TwistStamped", self._take_stamped
        self._twist = self._listen(kind, CMD_VEL, take)

    def close(self) -> None:
        """Remove all subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def begin(self) -> None:
        """Begin a run: no trajectory goes on."""
        self._trajectory = None

    def update(self, time: float, angles: Sequence[float]) -> None:
        """Take the simulated time [s] and flipper angles [rad]; follow a trajectory."""
        self.now, self.angles = time, tuple(float(angle) for angle in angles)
        trajectory = self._trajectory
        if trajectory is not None:
            self._receiver.offer_flippers(trajectory.at(time))
            if time >= trajectory.times[-1]:
                self._trajectory = None

    def _listen(self, kind: str, topic: str, take: Callable[[Any], None]) -> Any:
        def hear(message: Any) -> None:
            try:
                take(message)
            except GrouserError as error:
                self._report(topic, error)
            else:
                self.counts[topic] += 1

        found = self._node.create_subscription(
            find_message_class(kind), topic, hear, command_quality()
        )
        self._subscriptions.append(found)
        return found

    def _report(self, topic: str, error: GrouserError) -> None:
        self.counts[f"{topic} dropped"] += 1
        if (now := time.monotonic()) >= self._due.get(topic, now):
            self._due[topic] = now + REPORT_PERIOD
            count = self.counts[f"{topic} dropped"]
            sentence = f"a command on {topic} was dropped ({count} so far): {error}"
            self._node.get_logger().warning(sentence)

    def _take_twist(self, message: Any) -> None:
        for name, value in (("linear.x", message.linear.x), ("angular.z", message.angular.z)):
            if not math.isfinite(value):
                raise InvalidValue(name, value, "be finite")
        self._receiver.offer_twist(message.linear.x, message.angular.z)

    def _take_stamped(self, message: Any) -> None:
        patience = self._parameters["command_timeout"]
        check_stamp(_seconds(message.header.stamp), self.now, patience)
        self._take_twist(message.twist)

    def _take_belts(self, message: Any) -> None:
        if len(message.data) != 2 or not all(map(math.isfinite, message.data)):
            wanted = "be two finite belt speeds: left, right [m/s]"
            raise InvalidValue("data", list(message.data), wanted)
        self._receiver.offer_belts(*message.data)

    def _take_flippers(self, message: Any) -> None:
        if len(message.name) != len(message.position):
            wanted = f"have one angle for each of {', '.join(message.name) or 'no names'}"
            raise InvalidValue("position", list(message.position), wanted)
        check_flippers(self._robot, message.name)
        if not all(map(math.isfinite, message.position)):
            raise InvalidValue("position", list(message.position), "be finite")
        self._trajectory = None
        self._receiver.offer_flippers(dict(zip(message.name, message.position, strict=True)))

    def _take_trajectory(self, message: Any) -> None:
        self._trajectory = read_trajectory(message, self._robot, self.now, self.angles)


def _seconds(stamp: Any) -> float:
    return stamp.sec + 1e-9 * stamp.nanosec
