"""Looks at two robots with namespaces: `python two.py RESULTS.json`."""

import json
import sys
import time
from pathlib import Path

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor

rclpy.init()
node, executor, seen = rclpy.create_node("two"), SingleThreadedExecutor(), {}
executor.add_node(node)
for name in ("a", "b"):
    node.create_subscription(
        Odometry, f"{name}/odom/truth", lambda m, name=name: seen.__setitem__(name, m), 10
    )
publisher = node.create_publisher(Twist, "a/cmd_vel", 1)
twist = Twist()
twist.linear.x = 0.2
end = time.monotonic() + 60.0
while time.monotonic() < end and not (len(seen) == 2 and seen["a"].pose.pose.position.x > 0.05):
    publisher.publish(twist)
    executor.spin_once(timeout_sec=0.05)
clocks = [i.node_namespace for i in node.get_publishers_info_by_topic("/clock")]
found = {n: [m.child_frame_id, m.header.frame_id, m.pose.pose.position.x] for n, m in seen.items()}
Path(sys.argv[1]).write_text(json.dumps({"seen": found, "clocks": clocks}))
