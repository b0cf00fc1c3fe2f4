"""The robot, a Kalman filter over its odometry and gyroscope, and Nav2's controller."""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    share = FindPackageShare("grouser_example")
    robot = PathJoinSubstitution([share, "launch", "robot.launch.py"])
    ekf = PathJoinSubstitution([share, "config", "ekf.yaml"])
    controller = PathJoinSubstitution([share, "config", "nav2_controller.yaml"])
    names = ["controller_server"]
    return LaunchDescription(
        [
            IncludeLaunchDescription(PythonLaunchDescriptionSource(robot)),
            Node(
                package="robot_localization",
                executable="ekf_node",
                name="ekf_filter_node",
                parameters=[ekf],
            ),
            Node(
                package="nav2_controller", executable="controller_server", parameters=[controller]
            ),
            Node(
                package="nav2_lifecycle_manager",
                executable="lifecycle_manager",
                name="lifecycle_manager_navigation",
                parameters=[{"use_sim_time": True, "autostart": True, "node_names": names}],
            ),
        ]
    )
