"""Drives a robot until its physics is stopped, and resets it: `python stopped.py RESULTS.json`."""

import json
import sys
import time
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

rclpy.init()
node, executor, seen = rclpy.create_node("stopped"), SingleThreadedExecutor(), {}
executor.add_node(node)
for kind, topic in (
    (Odometry, "odom"),
    (Odometry, "odom/truth"),
    (DiagnosticArray, "/diagnostics"),
):
    node.create_subscription(kind, topic, lambda m, topic=topic: seen.__setitem__(topic, m), 10)
publisher = node.create_publisher(Float64MultiArray, "cmd_belts", 1)
end = time.monotonic() + 90.0


def drive(speed, until):
    while time.monotonic() < end and not until():
        publisher.publish(Float64MultiArray(data=[speed, speed]))
        executor.spin_once(timeout_sec=0.02)
    return until()


def call(name):
    client = node.create_client(Trigger, f"grouser/{name}")
    client.wait_for_service(timeout_sec=20.0)
    future = client.call_async(Trigger.Request())
    executor.spin_until_future_complete(future, timeout_sec=20.0)
    return [future.result().success, future.result().message]


def speed(topic):
    return seen[topic].twist.twist.linear.x if topic in seen else 0.0


def level():
    return seen["/diagnostics"].status[0].level if "/diagnostics" in seen else b""


found = {"drove": drive(0.1, lambda: speed("odom/truth") > 0.05 and speed("odom") > 0.05)}
found["stopped"] = drive(0.2, lambda: level() == b"\x02")
found["message"] = seen["/diagnostics"].status[0].message
found["stands"] = drive(0.0, lambda: speed("odom/truth") == 0.0 == speed("odom"))
found["resume"], found["reset"] = call("resume"), call("reset")
found["again"] = drive(0.1, lambda: speed("odom/truth") > 0.05 and level() == b"\x00")
Path(sys.argv[1]).write_text(json.dumps(found))
