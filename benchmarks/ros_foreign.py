"""A foreign node that measures `grouser ros`, run by a Python with rclpy; prints JSON.

python ros_foreign.py latency|rates|cpu|sleeper|flood|follow ARGUMENT
"""

import json
import math
import random
import subprocess
import sys
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState

from grouser.plugs.ros.transform_type import find_transform_type

FOLLOWER = Path(__file__).parents[1] / "examples" / "ros" / "path_follower.py"
END = (1.0, -0.6)
"""Where the path of behaviour-2 ends [m]."""
TOPICS = {
    "/clock": "rosgraph_msgs/msg/Clock", "odom": "nav_msgs/msg/Odometry",
    "odom/compensated": "nav_msgs/msg/Odometry", "odom/truth": "nav_msgs/msg/Odometry",
    "joint_states": "sensor_msgs/msg/JointState", "slip": "std_msgs/msg/Float64MultiArray",
    "contacts": "visualization_msgs/msg/MarkerArray", "imu": "sensor_msgs/msg/Imu",
}  # fmt: skip


def message_class(kind):
    package, _, name = kind.split("/")
    return getattr(import_module(f"{package}.msg"), name)


class Foreign:
    def __init__(self, name):
        rclpy.init()
        self.node = rclpy.create_node(name)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.counts = {}
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.count, 1)

    def count(self, message):
        values = message.status[0].values
        at = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        self.counts = {"at": at, **{v.key: float(v.value) for v in values}}

    def spin(self, until, patience=120.0):
        end = time.monotonic() + patience
        while not until() and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.05)

    def spin_for(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self.executor.spin_once(timeout_sec=left)

    def fresh_counts(self):
        self.counts = {}
        self.spin(lambda: self.counts)
        return dict(self.counts)

    def set(self, name, value):
        service = import_module("rcl_interfaces.srv").SetParameters
        client = self.node.create_client(service, "/grouser/set_parameters")
        self.spin(client.service_is_ready)
        request = service.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        future = client.call_async(request)
        self.spin(future.done)
        self.node.destroy_client(client)

    def work(self, before, after):
        """Return what the physics did between two counts."""
        wall = after["at"] - before["at"]
        names = ("ticks in real time", "ticks a period late", "frames lost")
        ticks, late, lost = (after[name] - before[name] for name in names)
        cpu = after["processor time of physics [s]"] - before["processor time of physics [s]"]
        return {"wall_s": wall, "ticks": ticks, "ticks_per_s": ticks / wall, "late": late,
                "frames_lost": lost, "cpu_percent": 100.0 * cpu / wall}  # fmt: skip


def latency(foreign, count):
    """Time from cmd_vel to the first message that shows moving belts, from rest [ms]."""
    foreign.set("publish_rate", 1000.0)
    state, taken = [None], []
    keep = lambda message: state.__setitem__(0, max(map(abs, message.velocity[:2])))  # noqa: E731
    foreign.node.create_subscription(JointState, "joint_states", keep, qos_profile_sensor_data)
    publisher = foreign.node.create_publisher(Twist, "cmd_vel", 1)
    foreign.spin(lambda: publisher.get_subscription_count() and state[0] is not None)
    go, stand = Twist(), Twist()
    go.linear.x = 0.1
    for _ in range(int(count)):
        publisher.publish(stand)
        foreign.spin(lambda: state[0] == 0.0)
        foreign.spin_for(random.uniform(0.02, 0.06))
        begin = time.perf_counter()
        publisher.publish(go)
        foreign.spin(lambda: state[0] > 0.0)
        taken.append(1e3 * (time.perf_counter() - begin))
    taken.sort()
    pick = lambda share: taken[min(int(share * len(taken)), len(taken) - 1)]  # noqa: E731
    return {"count": len(taken), "p50_ms": pick(0.5), "p90_ms": pick(0.9), "p99_ms": pick(0.99),
            "max_ms": taken[-1]}  # fmt: skip


def rates(foreign, seconds):
    """Messages of each topic for so long: rate, longest gap of arrivals, steps of stamps."""
    arrivals, stamps = defaultdict(list), defaultdict(list)

    def listen(topic, kind, raw=False):
        def keep(message):
            arrivals[topic].append(time.perf_counter())
            stamp = getattr(getattr(message, "header", None), "stamp", None)
            stamp = message.clock if topic == "/clock" else stamp
            if stamp is not None:
                stamps[topic].append(stamp.sec + 1e-9 * stamp.nanosec)

        foreign.node.create_subscription(kind, topic, keep, QoSProfile(depth=100), raw=raw)

    for topic in ("/clock", "odom", "odom/truth", "joint_states"):
        listen(topic, message_class(TOPICS[topic]))
    listen("/tf", find_transform_type(), raw=True)
    imu = lambda m: arrivals["imu"].append(time.perf_counter())  # noqa: E731
    foreign.node.create_subscription(
        message_class(TOPICS["imu"]), "imu", imu, qos_profile_sensor_data
    )
    foreign.spin(lambda: len(arrivals) == 6)
    foreign.spin_for(1.0)
    arrivals.clear()
    stamps.clear()
    before = foreign.fresh_counts()
    foreign.spin_for(float(seconds))
    after = foreign.fresh_counts()
    found = {"physics": foreign.work(before, after)}
    for topic, times in arrivals.items():
        gaps = [b - a for a, b in zip(times, times[1:], strict=False)]
        steps = [b - a for a, b in zip(stamps[topic], stamps[topic][1:], strict=False)]
        usual = sorted(steps)[len(steps) // 2] if steps else 0.0
        found[topic] = {
            "rate_hz": len(gaps) / (times[-1] - times[0]), "longest_gap_ms": 1e3 * max(gaps),
            "messages": len(times),
            "missing": round(sum(s / usual - 1.0 for s in steps if s > 1.5 * usual)),
            "back": sum(s <= 0.0 for s in steps),
        }  # fmt: skip
    return found


def cpu(foreign, seconds):
    """Work of the physics without and with subscribers to everything."""
    foreign.fresh_counts()
    before = foreign.fresh_counts()
    foreign.spin_for(float(seconds))
    alone = foreign.work(before, foreign.fresh_counts())
    for topic, kind in TOPICS.items():
        foreign.node.create_subscription(
            message_class(kind), topic, lambda message: None, qos_profile_sensor_data
        )
    foreign.spin_for(2.0)
    before = foreign.fresh_counts()
    foreign.spin_for(float(seconds))
    return {"alone": alone, "with_subscribers": foreign.work(before, foreign.fresh_counts())}


def sleeper(foreign, seconds):
    """A reliable subscriber with a long queue that sleeps for a second in each callback."""
    heard = []

    def sleep(message):
        heard.append(message)
        time.sleep(1.0)

    before = foreign.fresh_counts()
    other = SingleThreadedExecutor()
    node = rclpy.create_node("sleeper")
    other.add_node(node)
    for topic in ("odom", "joint_states", "/clock"):
        node.create_subscription(message_class(TOPICS[topic]), topic, sleep, QoSProfile(depth=1000))
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        other.spin_once(timeout_sec=0.1)
    return {"heard": len(heard), "physics": foreign.work(before, foreign.fresh_counts())}


def flood(foreign, seconds):
    """cmd_vel as fast as this process can, at most 10 kHz."""
    publisher, twist, sent = foreign.node.create_publisher(Twist, "cmd_vel", 1), Twist(), 0
    foreign.spin(publisher.get_subscription_count)
    before, begin = foreign.fresh_counts(), time.perf_counter()
    while (now := time.perf_counter() - begin) < float(seconds):
        if sent <= 1e4 * now:
            twist.linear.x = 0.1 * math.sin(now)
            publisher.publish(twist)
            sent += 1
    rate = sent / (time.perf_counter() - begin)
    after = foreign.fresh_counts()
    taken = after.get("cmd_vel", 0.0) - before.get("cmd_vel", 0.0)
    return {"published_hz": rate, "taken": taken, "physics": foreign.work(before, after)}


def follow(foreign, topic):
    """Let the example follow the path by an odometry; return how far from its end the robot is."""
    seen = {}
    for name in ("odom", "odom/compensated", "odom/truth"):
        keep = lambda message, name=name: seen.__setitem__(name, message)  # noqa: E731
        foreign.node.create_subscription(Odometry, name, keep, 10)
    foreign.spin(lambda: len(seen) == 3)
    words = ["--ros-args", "-p", f"odom_topic:={topic}"]
    follower = subprocess.Popen([sys.executable, str(FOLLOWER), *words])
    foreign.spin(lambda: follower.poll() is not None)
    follower.kill()
    foreign.spin_for(1.5)
    true, guess = (_pose(seen[name]) for name in ("odom/truth", topic))
    covariance = seen[topic].pose.covariance
    return {
        "ended": follower.wait() == 0,
        "final_error_m": math.dist(true[:2], END),
        "final_yaw_error_deg": abs(math.degrees(math.remainder(true[2], math.tau))),
        "odometry_error_m": math.dist(true[:2], guess[:2]),
        "stated_deviation_m": math.sqrt(covariance[0] + covariance[7]),
    }


def _pose(message):
    place, turn = message.pose.pose.position, message.pose.pose.orientation
    return place.x, place.y, 2.0 * math.atan2(turn.z, turn.w)


if __name__ == "__main__":
    name, argument = sys.argv[1:3]
    found = globals()[name](Foreign(name), argument)
    print(json.dumps(found))
    rclpy.try_shutdown()
