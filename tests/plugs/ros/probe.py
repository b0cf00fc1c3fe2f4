"""A foreign node that drives `grouser ros` and writes down what it sees, as JSON.

Run by a Python that has rclpy, in a process of its own: `python probe.py RESULTS.json SCENARIO`.
Every wait is for a condition; `PATIENCE` only ends a probe that waits in vain.
"""

import json
import math
import sys
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rosbags.typesys import Stores, get_typestore

from grouser.plugs.ros.transform_type import find_transform_type

PATIENCE = 60.0
STORE = get_typestore(Stores.ROS2_JAZZY)
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TOPICS = {
    "/clock": "rosgraph_msgs/msg/Clock",
    "odom": "nav_msgs/msg/Odometry",
    "odom/compensated": "nav_msgs/msg/Odometry",
    "odom/truth": "nav_msgs/msg/Odometry",
    "joint_states": "sensor_msgs/msg/JointState",
    "slip": "std_msgs/msg/Float64MultiArray",
    "contacts": "visualization_msgs/msg/MarkerArray",
    "imu": "sensor_msgs/msg/Imu",
    "fix": "sensor_msgs/msg/NavSatFix",
    "front/image_raw": "sensor_msgs/msg/Image",
    "front/camera_info": "sensor_msgs/msg/CameraInfo",
    "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray",
    "/rosout": "rcl_interfaces/msg/Log",
}


def message_class(kind):
    package, _, name = kind.split("/")
    return getattr(import_module(f"{package}.msg"), name)


LIDARS = {"scan": "sensor_msgs/msg/LaserScan", "points": "sensor_msgs/msg/PointCloud2"}


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


class Probe:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("probe")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.heard = defaultdict(list)
        for topic, kind in TOPICS.items():
            quality = LATCHED if topic == "/rosout" else qos_profile_sensor_data
            self.listen(message_class(kind), topic, quality)
        for topic, kind in (
            ("robot_description", "std_msgs/msg/String"),
            ("course", "visualization_msgs/msg/MarkerArray"),
        ):
            self.listen(message_class(kind), topic, LATCHED)
        for topic, kind in probe_topics(self):
            self.listen(message_class(kind), topic, qos_profile_sensor_data)
        transform = find_transform_type()
        self.listen(transform, "/tf", QoSProfile(depth=100), raw=True)
        self.listen(transform, "/tf_static", LATCHED, raw=True)
        self.publishers = {}

    def listen(self, kind, topic, quality, raw=False):
        keep = self.heard[topic].append
        self.node.create_subscription(kind, topic, keep, quality, raw=raw)

    def spin(self, until, publish=None, period=0.02):
        """Spin until a condition holds; publish something every `period` of wall time."""
        end, due = time.monotonic() + PATIENCE, 0.0
        while not until():
            if time.monotonic() > end:
                raise TimeoutError(until.__doc__ or "the condition never held")
            if publish is not None and time.monotonic() >= due:
                publish()
                due = time.monotonic() + period
            self.executor.spin_once(timeout_sec=0.01)

    def last(self, topic):
        return self.heard[topic][-1] if self.heard[topic] else None

    @property
    def now(self):
        clock = self.last("/clock")
        return seconds(clock.clock) if clock else -1.0

    def settle(self):
        """Take all that is still coming while time stands."""
        quiet = 0
        while quiet < 20:
            before = len(self.heard["/clock"])
            self.executor.spin_once(timeout_sec=0.02)
            quiet = quiet + 1 if len(self.heard["/clock"]) == before else 0

    def pass_time(self, duration, publish=None):
        """Spin for a simulated time."""
        begin = self.now
        self.spin(lambda: self.now >= begin + duration or self.now < begin, publish)

    def publish(self, kind, topic, **fields):
        if topic not in self.publishers:
            reliable = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
            publisher = self.node.create_publisher(message_class(kind), topic, reliable)
            self.publishers[topic] = publisher
            self.spin(lambda: publisher.get_subscription_count() > 0)
        self.publishers[topic].publish(message_class(kind)(**fields))

    def twist(self, forward, yaw_rate=0.0):
        twist = message_class("geometry_msgs/msg/Twist")()
        twist.linear.x, twist.angular.z = forward, yaw_rate
        return twist

    def drive(self, forward, yaw_rate=0.0):
        twist = self.twist(forward, yaw_rate)
        self.publish(
            "geometry_msgs/msg/Twist", "cmd_vel", linear=twist.linear, angular=twist.angular
        )

    def call(self, name, kind="std_srvs/srv/Trigger", **fields):
        package, _, word = kind.split("/")
        service = getattr(import_module(f"{package}.srv"), word)
        client = self.node.create_client(service, name)
        self.spin(client.service_is_ready)
        future = client.call_async(service.Request(**fields))
        self.spin(future.done)
        self.node.destroy_client(client)
        return future.result()

    def set(self, name, value):
        """Set a parameter of the robot's node; return whether and why not."""
        parameter = Parameter(name, value=value).to_parameter_msg()
        answer = self.call(
            "/grouser/set_parameters", "rcl_interfaces/srv/SetParameters", parameters=[parameter]
        )
        return [answer.results[0].successful, answer.results[0].reason]

    def pose(self, topic):
        message = self.last(topic).pose.pose
        yaw = 2.0 * math.atan2(message.orientation.z, message.orientation.w)
        return [message.position.x, message.position.y, yaw]

    def dropped(self, topic):
        values = self.last("/diagnostics").status[0].values
        return next((int(v.value) for v in values if v.key == f"{topic} dropped"), 0)

    def belts(self):
        return list(self.last("joint_states").velocity)[:2]

    def transforms(self, topic):
        found = []
        for content in self.heard[topic]:
            message = STORE.deserialize_cdr(content, "tf2_msgs/msg/TFMessage")
            for one in message.transforms:
                turn, place = one.transform.rotation, one.transform.translation
                found.append(
                    (seconds(one.header.stamp), one.header.frame_id, one.child_frame_id,
                     [place.x, place.y, place.z], [turn.x, turn.y, turn.z, turn.w])
                )  # fmt: skip
        return found


def probe_topics(probe):
    """Yield topic and type of lidars, whatever they are called."""
    end = time.monotonic() + PATIENCE
    found = {}
    while len(found) < len(LIDARS) and time.monotonic() < end:
        probe.executor.spin_once(timeout_sec=0.1)
        kinds = {k: t for t, ks in probe.node.get_topic_names_and_types() for k in ks}
        found = {kinds[kind]: kind for kind in LIDARS.values() if kind in kinds}
    probe.lidars = {kind: topic for topic, kind in found.items()}
    yield from found.items()


def look_at_sensors(probe):
    """Messages that sensors declare: arrays, fields, frames."""
    scan, cloud = (probe.lidars[kind] for kind in LIDARS.values())
    topics = (scan, cloud, "fix", "front/image_raw", "front/camera_info")
    probe.spin(lambda: all(probe.last(topic) for topic in topics))
    image, info = probe.last("front/image_raw"), probe.last("front/camera_info")
    laser, points, fix = probe.last(scan), probe.last(cloud), probe.last("fix")
    return {
        "topics": [scan, cloud],
        "scan": [laser.header.frame_id, len(laser.ranges), laser.ranges[45], laser.angle_min],
        "points": [points.header.frame_id, points.width, points.height, len(points.data),
                   [f.name for f in points.fields]],
        "fix": [fix.header.frame_id, fix.latitude, fix.status.status],
        "image": [image.header.frame_id, image.width, image.height, image.encoding,
                  image.step, len(image.data), max(image.data) > 0],
        "info": [info.header.frame_id, info.width, info.height, info.k[2], info.k[8], len(info.d)],
    }  # fmt: skip


def look_around(probe):
    """Types, qualities and frames of all topics."""
    probe.spin(lambda: all(probe.heard[t] for t in ("/tf_static", "course", "robot_description")))
    probe.spin(lambda: all(probe.heard[topic] for topic in TOPICS if topic != "/rosout"))
    found = {}
    for topic, kinds in probe.node.get_topic_names_and_types():
        for info in probe.node.get_publishers_info_by_topic(topic):
            if info.node_name == "grouser":
                quality = info.qos_profile
                found[topic] = [kinds[0], quality.reliability.name, quality.durability.name]
    odometry = probe.last("odom")
    types = [i for i in probe.node.get_publishers_info_by_topic("/tf") if i.node_name == "grouser"]
    described = probe.call(
        "/grouser/get_parameters", "rcl_interfaces/srv/GetParameters", names=["odom_source"]
    )
    return {
        "topics": found,
        "urdf": probe.last("robot_description").data[:300],
        "course": len(probe.last("course").markers),
        "static": probe.transforms("/tf_static"),
        "frames": [odometry.header.frame_id, odometry.child_frame_id,
                   probe.last("odom/truth").header.frame_id, probe.last("imu").header.frame_id],
        "joints": list(probe.last("joint_states").name),
        "tf_hash": str(types[0].topic_type_hash),
        "odom_source": described.values[0].string_value,
    }  # fmt: skip


def drive_and_fall_silent(probe):
    """A curve by cmd_vel; then nobody publishes."""
    probe.heard["/tf"].clear()
    probe.pass_time(1.5, lambda: probe.drive(0.2, 0.4))
    moving = probe.belts()
    poses = {t: probe.pose(t) for t in ("odom", "odom/compensated", "odom/truth")}
    deviations = {
        t: [math.sqrt(probe.last(t).pose.covariance[i]) for i in (0, 7, 35, 14)] for t in poses
    }
    slip = list(probe.last("slip").data)
    silent_at = probe.now
    probe.spin(lambda: max(map(abs, probe.belts())) < 1e-3)
    return {
        "moving": moving, "poses": poses, "deviations": deviations, "slip": slip,
        "stopped_after": probe.now - silent_at, "transforms": probe.transforms("/tf"),
    }  # fmt: skip


def give_bad_commands(probe):
    """NaN, wrong names, wrong lengths: the robot stands, and counts rise."""
    probe.pass_time(0.5)
    before = probe.pose("odom/truth")
    multi = "std_msgs/msg/Float64MultiArray"

    def all_at_once():
        probe.drive(math.nan)
        probe.publish(multi, "cmd_belts", data=[0.1, 0.1, 0.1])
        probe.publish("sensor_msgs/msg/JointState", "cmd_flippers", name=["tail"], position=[0.1])

    topics = ("cmd_vel", "cmd_belts", "cmd_flippers")
    probe.spin(lambda: all(probe.dropped(topic) for topic in topics), all_at_once, 0.1)
    after = probe.pose("odom/truth")
    wanted = ("cmd_vel was", "cmd_belts was", "cmd_flippers was")
    texts = [m.msg for m in probe.heard["/rosout"] if any(word in m.msg for word in wanted)]
    return {"moved": math.dist(before[:2], after[:2]), "texts": sorted(set(texts))}


def move_flippers(probe):
    """By joint state, then along a trajectory."""
    probe.spin(lambda: probe.last("joint_states"))
    names = [n for n in probe.last("joint_states").name if not n.endswith("_belt")]

    def angle():
        message = probe.last("joint_states")
        return message.position[list(message.name).index(names[0])]

    rest = angle()
    state = {"name": names[:1], "position": [rest - 0.2]}
    probe.publish("sensor_msgs/msg/JointState", "cmd_flippers", **state)
    probe.spin(lambda: abs(angle() - rest + 0.2) < 1e-3)
    point = message_class("trajectory_msgs/msg/JointTrajectoryPoint")
    points = [point(positions=[rest + 0.1 * share]) for share in (0.0, 1.0)]
    for half, one in enumerate(points):
        one.time_from_start.sec = 1 + half
    begin = probe.now
    kind = "trajectory_msgs/msg/JointTrajectory"
    probe.publish(kind, "cmd_flippers/trajectory", joint_names=names[:1], points=points)
    probe.spin(lambda: abs(angle() - rest - 0.1) < 1e-3)
    return {"names": names, "trajectory_took": probe.now - begin}


def drive_belts(probe):
    """One speed for each side."""
    publish, wanted = ("std_msgs/msg/Float64MultiArray", "cmd_belts"), (0.1, -0.05)
    probe.spin(
        lambda: math.dist(probe.belts(), wanted) < 1e-6,
        lambda: probe.publish(*publish, data=wanted),
    )
    return {"belts": probe.belts()}


def use_services(probe):
    """Pause, step, resume, reset; parameters that are rejected."""
    answers = [probe.call("/grouser/pause").success]
    probe.settle()
    paused = probe.now
    answers += [*probe.set("step_ticks", 25), probe.call("/grouser/step").success]
    probe.settle()
    stepped = probe.now
    answers.append(probe.call("/grouser/resume").success)
    probe.pass_time(0.2)
    before = probe.now
    probe.drive(0.1)
    answers.append(probe.call("/grouser/reset").success)
    probe.spin(lambda: probe.now < before)
    begin = probe.now
    for topic in ("odom", "odom/truth"):
        probe.heard[topic].clear()
    probe.spin(
        lambda: all(
            (message := probe.last(topic)) and seconds(message.header.stamp) < before
            for topic in ("odom", "odom/truth")
        )
    )
    return {
        "answers": answers, "step": stepped - paused, "reset_to": begin,
        "pose_after_reset": probe.pose("odom"),
        "rejected": [probe.set("friction", 0.5), probe.set("odom_source", "gps"),
                     probe.set("publish_rate", -1.0)],
        "accepted": [probe.set("odom_source", "truth"), probe.set("map_source", "truth")],
        "empty_load": probe.call("/grouser/load_scenario").message,
    }  # fmt: skip


def stamp_commands(probe):
    """TwistStamped: a stamp of zero and of the simulated time count, that of the wall does not."""
    node, kind = probe.node, message_class("geometry_msgs/msg/TwistStamped")
    node.destroy_publisher(probe.publishers.pop("cmd_vel"))
    accepted = probe.set("stamped", True)
    dropped = probe.dropped("cmd_vel")

    def publish(stamp):
        message = kind(twist=probe.twist(0.1))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(round(stamp * 1e9), 10**9)
        probe.publish(
            "geometry_msgs/msg/TwistStamped", "cmd_vel", header=message.header, twist=message.twist
        )

    probe.spin(lambda: probe.dropped("cmd_vel") > dropped, lambda: publish(time.time()), 0.1)
    stands = max(map(abs, probe.belts()))
    taken = []
    for stamp in (lambda: probe.now, lambda: 0.0):
        probe.spin(lambda: min(probe.belts()) > 0.05, lambda stamp=stamp: publish(stamp()))
        taken.append(probe.belts())
        probe.spin(lambda: max(map(abs, probe.belts())) < 1e-3)
    return {"accepted": accepted, "stands": stands, "taken": taken}


def load_another(probe, scenario):
    """Another robot and model: topics, names and the friction that it has."""
    answers = [probe.set("scenario", str(scenario))]
    probe.heard["robot_description"].clear()
    probe.heard["joint_states"].clear()
    answers.append([probe.call("/grouser/load_scenario").success])
    probe.spin(lambda: probe.last("robot_description"))
    probe.heard["joint_states"].clear()
    probe.spin(lambda: probe.last("joint_states"))
    return {
        "answers": answers,
        "urdf": probe.last("robot_description").data[:200],
        "joints": list(probe.last("joint_states").name),
        "friction": probe.set("friction", 0.5),
    }


def main():
    results, scenario = Path(sys.argv[1]), sys.argv[2]
    probe, found = Probe(), {}
    for step in (
        look_around, look_at_sensors, drive_and_fall_silent, give_bad_commands, move_flippers,
        drive_belts, use_services, stamp_commands, lambda p: load_another(p, scenario),
    ):  # fmt: skip
        name = getattr(step, "__name__", "")
        began = time.monotonic()
        found["load_another" if "lambda" in name else name] = step(probe)
        sys.stderr.write(f"{name}: {time.monotonic() - began:.1f} s\n")
    results.write_text(json.dumps(found, default=str))
    rclpy.shutdown()


main()
