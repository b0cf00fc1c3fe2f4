"""Drive course behaviour-2 as a foreign node, by an odometry of your choice.

    grouser ros --course behaviour-2
    python path_follower.py --ros-args -p odom_topic:=odom/compensated

The node knows nothing of grouser: it reads nav_msgs/Odometry and writes geometry_msgs/Twist.
"""

import math

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

STEP, AHEAD = 0.01, 0.08  # spacing of points, and distance of the point that is aimed at [m]


def course_points():
    """Return the path: 0.4 m ahead, a quarter circle to the right, 0.3 m, a corner, 0.3 m."""
    points = [(i * STEP, 0.0) for i in range(41)]
    points += [
        (0.4 + 0.3 * math.sin(a), -0.3 + 0.3 * math.cos(a))
        for a in (i * STEP / 0.3 for i in range(1, 48))
    ]
    points += [(0.7, -0.3 - i * STEP) for i in range(1, 31)]
    return points + [(0.7 + i * STEP, -0.6) for i in range(1, 31)]


class PathFollower(Node):
    def __init__(self):
        super().__init__("path_follower")
        self.speed = self.declare_parameter("speed", 0.1).value
        topic = self.declare_parameter("odom_topic", "odom").value
        self.points, self.index, self.is_done = course_points(), 0, False
        self.publisher = self.create_publisher(Twist, "cmd_vel", 10)
        self.create_subscription(Odometry, topic, self.follow, qos_profile_sensor_data)

    def follow(self, odometry):
        position, turn = odometry.pose.pose.position, odometry.pose.pose.orientation
        yaw = math.atan2(
            2 * (turn.w * turn.z + turn.x * turn.y), 1 - 2 * (turn.y * turn.y + turn.z * turn.z)
        )
        last = len(self.points) - 1
        reach = STEP if self.index in (last, 117) else AHEAD  # 117 is the corner
        while math.dist(self.points[self.index], (position.x, position.y)) < reach:
            if self.index == last:
                self.is_done = True
                break
            self.index += 1
            reach = STEP if self.index in (last, 117) else AHEAD
        x, y = self.points[self.index]
        error = math.remainder(math.atan2(y - position.y, x - position.x) - yaw, math.tau)
        twist = Twist()
        if not self.is_done:
            twist.linear.x = self.speed if abs(error) < 0.5 else 0.0
            twist.angular.z = max(-0.6, min(0.6, 3.0 * error))
        self.publisher.publish(twist)


def main():
    rclpy.init()
    follower = PathFollower()
    while rclpy.ok() and not follower.is_done:
        rclpy.spin_once(follower)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
