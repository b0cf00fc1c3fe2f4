"""What a robot publishes: state, three odometries, sensors, transforms, descriptions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from grouser.description import Course, Robot
from grouser.description.export import robot_urdf
from grouser.geometry import Pose
from grouser.log.declaration import Declaration
from grouser.models import Motion, SideMeans
from grouser.plugs.frames import (
    BODY,
    MAP,
    ODOM,
    Transform,
    drive_transforms,
    flipper_transforms,
    pose_transform,
    sensor_transforms,
)
from grouser.plugs.ros import frames, markers
from grouser.plugs.ros.frames import FrameNames
from grouser.plugs.ros.messages import MessageMaker, find_message_class, set_stamp
from grouser.plugs.ros.odometry import (
    EXACT,
    Estimate,
    compensated_odometry,
    fill_covariance,
    wheel_odometry,
)
from grouser.plugs.ros.settings import (
    Parameters,
    latched_quality,
    sensor_quality,
    state_quality,
)
from grouser.plugs.ros.transform_type import find_transform_type
from grouser.simulation.sensors import Sample

GRAVITY = 9.81
"""Gravity, for the length of arrows of forces [m/s^2]."""
CLOCK = "/clock"
"""Topic of the simulated time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is simulated, as far as its topics depend on it."""

    robot: Robot
    """The robot."""
    course: Course
    """The course."""
    declarations: Mapping[str, tuple[Declaration, ...]]
    """Messages of each sensor, by its name."""
    columns: Mapping[str, Sequence[str]]
    """Names of the columns of each sensor, by its name."""


class Outputs:
    """Publishers of one robot, and what they publish for each frame of the simulation."""

    def __init__(
        self,
        node: Any,
        subject: Subject,
        parameters: Parameters,
        names: FrameNames,
        *,
        has_clock: bool,
    ) -> None:
        """Make the publishers; publish what is latched."""
        self._node, self._subject, self._parameters, self._names = node, subject, parameters, names
        robot, self._publishers = subject.robot, []
        self._odometers = Odometers(robot, parameters)
        self._sides, self._drives = SideMeans.of(robot), robot.drives
        self._weight, self._due = robot.mass * GRAVITY, -math.inf
        self._clock = self._publish("rosgraph_msgs/msg/Clock", CLOCK) if has_clock else None
        self._tf = self._publish(find_transform_type(), "/tf")
        self._odom = {
            source: self._publish("nav_msgs/msg/Odometry", topic)
            for source, topic in (
                ("wheel", "odom"), ("compensated", "odom/compensated"), ("truth", "odom/truth"),
            )
        }  # fmt: skip
        self._joints = self._publish("sensor_msgs/msg/JointState", "joint_states")
        self._slip = self._publish("std_msgs/msg/Float64MultiArray", "slip")
        self._contacts = self._publish(markers.KIND, "contacts")
        self._sensors = self._make_sensors()
        self._describe()

    def close(self) -> None:
        """Remove all publishers."""
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)

    def begin(self, pose: Pose) -> None:
        """Begin a run at a true pose: odometries at zero, transforms due at once."""
        self._odometers.begin(pose)
        self._due = -math.inf

    def publish(self, time: float, motion: Motion, fresh: Sequence[Sample]) -> None:
        """Publish a frame of the simulation; time increases within a run [s]."""
        if self._clock is not None:
            clock = find_message_class("rosgraph_msgs/msg/Clock")()
            set_stamp(clock.clock, time)
            self._clock.publish(clock)
        self._odometers.update(time, motion, fresh)
        for sample in fresh:
            for publisher, maker in self._sensors.get(sample.sensor, ()):
                if publisher.get_subscription_count():
                    publisher.publish(maker.make(sample))
        if time + 1e-9 >= self._due:
            self._due = time + 1.0 / self._parameters["publish_rate"]
            self._publish_state(time, motion)

    def stop(self, time: float, motion: Motion) -> None:
        """Publish at once that the robot stands, at the time of the last frame [s]."""
        self._odometers.stop()
        self._publish_motion(time, motion)

    def _publish_state(self, time: float, motion: Motion) -> None:
        self._publish_transforms(motion, time)
        self._publish_motion(time, motion)

    def _publish_motion(self, time: float, motion: Motion) -> None:
        for source, publisher in self._odom.items():
            if publisher.get_subscription_count():
                publisher.publish(self._odometers.message(source, time, motion, self._names))
        if self._joints.get_subscription_count():
            self._joints.publish(self._joint_state(time, motion))
        if self._slip.get_subscription_count():
            self._slip.publish(
                _slip_message(self._sides(motion.slips or (0.0,) * len(self._drives)))
            )
        if self._contacts.get_subscription_count():
            self._contacts.publish(markers.contact_markers(motion.contacts, time, self._weight))

    def _publish_transforms(self, motion: Motion, time: float) -> None:
        found = self._odometers.transforms(
            motion, self._parameters["odom_source"], self._parameters["map_source"]
        )
        if self._parameters["publish_links"]:
            angles = [float(angle) for angle in motion.flipper_angles]
            found += flipper_transforms(self._subject.robot, angles)
        self._tf.publish(frames.write_transforms(found, time, self._names))

    def _joint_state(self, time: float, motion: Motion) -> Any:
        message = find_message_class("sensor_msgs/msg/JointState")()
        set_stamp(message.header.stamp, time)
        flippers = self._subject.robot.flippers
        message.name = [f"{drive.name}_belt" for drive in self._drives] + [f.name for f in flippers]
        message.position = [float(v) for v in (*motion.belt_travels, *motion.flipper_angles)]
        message.velocity = [*(float(v) for v in motion.belt_speeds), *[math.nan] * len(flippers)]
        return message

    def _make_sensors(self) -> dict[str, list[tuple[Any, MessageMaker]]]:
        override = _quality_overrides()
        found: dict[str, list[tuple[Any, MessageMaker]]] = {}
        for sensor, declarations in self._subject.declarations.items():
            for one in declarations:
                maker = MessageMaker(one, self._subject.columns[sensor], self._names)
                publisher = self._node.create_publisher(
                    maker.kind, one.topic, sensor_quality(), qos_overriding_options=override
                )
                self._publishers.append(publisher)
                found.setdefault(sensor, []).append((publisher, maker))
        return found

    def _describe(self) -> None:
        """Publish what does not change: URDF, course, fixed frames."""
        robot = self._subject.robot
        text = find_message_class("std_msgs/msg/String")(data=robot_urdf(robot))
        latched = latched_quality()
        self._publish("std_msgs/msg/String", "robot_description", latched).publish(text)
        ground = markers.course_markers(self._subject.course)
        self._publish(markers.KIND, "course", latched).publish(ground)
        if self._parameters["publish_links"]:
            fixed = [*sensor_transforms(robot), *drive_transforms(robot)]
            static = self._publish(find_transform_type(), "/tf_static", latched)
            static.publish(frames.write_transforms(fixed, 0.0, self._names))

    def _publish(self, kind: Any, topic: str, quality: Any = None) -> Any:
        kind = find_message_class(kind) if isinstance(kind, str) else kind
        publisher = self._node.create_publisher(kind, topic, quality or state_quality())
        self._publishers.append(publisher)
        return publisher


class Odometers:
    """Three odometries of one robot: wheel, compensated, truth."""

    def __init__(self, robot: Robot, parameters: Parameters) -> None:
        self._encoder, self._drives = robot.sensors.encoder, robot.drives
        self._measured = {
            "wheel": wheel_odometry(robot, parameters["wheel_slip_deviation"]),
            "compensated": compensated_odometry(
                robot,
                parameters["odometry_model"],
                parameters["compensated_slip_deviation"],
                ground_known=parameters["ground_known"],
            ),
        }
        self._start, self._last, self._stands = Pose(), -math.inf, False

    def begin(self, pose: Pose) -> None:
        """Begin at a true pose."""
        self._start, self._last, self._stands = frames.level(pose), -math.inf, False
        for odometry in self._measured.values():
            odometry.reset()

    def stop(self) -> None:
        """Let all speeds be zero until the next run begins: the simulation was stopped."""
        self._stands = True

    def update(self, time: float, motion: Motion, fresh: Sequence[Sample]) -> None:
        """Take what the encoders have measured; the true travels of a robot without encoders."""
        if self._encoder is None:
            self._add(time, tuple(float(travel) for travel in motion.belt_travels))
            return
        for sample in fresh:
            if sample.sensor == self._encoder.name:
                counts = zip(self._drives, sample.values, strict=False)
                travels = [count * self._encoder.travel_per_step(d.side) for d, count in counts]
                self._add(sample.time, tuple(travels))

    def _add(self, time: float, travels: tuple[float, ...]) -> None:
        if time > self._last:
            self._last = time
            for odometry in self._measured.values():
                odometry.update(time, travels)

    def transforms(self, motion: Motion, owner: str, correction: str) -> list[Transform]:
        """Return odom to base_link by its owner, the footprint, and map to odom by correction."""
        if owner == "none":
            return [frames.footprint(Pose())]
        truth = frames.relative_pose(self._start, motion.pose)
        pose = truth if owner == "truth" else self._measured[owner].estimate.pose
        found = [pose_transform(ODOM, BODY, pose), frames.footprint(pose)]
        if correction == "truth":
            found.append(frames.correct_odometry(motion.pose, pose))
        elif correction == "start":
            found.append(pose_transform(MAP, ODOM, self._start))
        return found

    def message(self, source: str, time: float, motion: Motion, names: FrameNames) -> Any:
        """Return the nav_msgs/Odometry of one of them; the truth is in the map frame."""
        message = find_message_class("nav_msgs/msg/Odometry")()
        message.child_frame_id = names(BODY)
        if source == "truth":
            message.header.frame_id = MAP
            set_stamp(message.header.stamp, time)
            _fill_truth(message, motion)
        else:
            message.header.frame_id = names(ODOM)
            set_stamp(message.header.stamp, max(self._last, 0.0))
            _fill_estimate(message, self._measured[source].estimate, stands=self._stands)
        return message


def _fill_truth(message: Any, motion: Motion) -> None:
    _fill_pose(message.pose.pose, motion.pose)
    linear, angular, twist = message.twist.twist.linear, message.twist.twist.angular, motion.twist
    linear.x, linear.y, linear.z = float(twist.vx), float(twist.vy), float(twist.vz)
    angular.x, angular.y = float(twist.roll_rate), float(twist.pitch_rate)
    angular.z = float(twist.yaw_rate)
    exact = np.diag([EXACT] * 6).ravel()
    message.pose.covariance = message.twist.covariance = exact


def _fill_estimate(message: Any, estimate: Estimate, *, stands: bool) -> None:
    _fill_pose(message.pose.pose, estimate.pose)
    if not stands:
        twist = message.twist.twist
        twist.linear.x, twist.linear.y = estimate.vx, estimate.vy
        twist.angular.z = estimate.yaw_rate
    message.pose.covariance = fill_covariance(estimate.pose_covariance)
    message.twist.covariance = fill_covariance(estimate.twist_covariance)


def _fill_pose(message: Any, pose: Pose) -> None:
    place, turn = message.position, message.orientation
    place.x, place.y, place.z = float(pose.x), float(pose.y), float(pose.z)
    turn.w, turn.x, turn.y, turn.z = pose.quaternion.tolist()


def _slip_message(sides: tuple[Any, Any]) -> Any:
    message = find_message_class("std_msgs/msg/Float64MultiArray")()
    dimension = find_message_class("std_msgs/msg/MultiArrayDimension")
    message.layout.dim = [dimension(label="left, right", size=2, stride=2)]
    message.data = [float(side) for side in sides]
    return message


def _quality_overrides() -> Any:
    """Return what lets users change the quality of a topic by parameters `qos_overrides.…`."""
    return import_module(
        "rclpy.qos_overriding_options"
    ).QoSOverridingOptions.with_default_policies()
