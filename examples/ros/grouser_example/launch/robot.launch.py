"""A simulated robot with its links on /tf: ros2 launch grouser_example robot.launch.py"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    scenario = PathJoinSubstitution([FindPackageShare("grouser_example"), "config", "robot.toml"])
    parameters = PathJoinSubstitution(
        [FindPackageShare("grouser_example"), "config", "grouser.yaml"]
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument("scenario", default_value=scenario),
            ExecuteProcess(
                cmd=[
                    "grouser",
                    "ros",
                    LaunchConfiguration("scenario"),
                    "--",
                    "--ros-args",
                    "--params-file",
                    parameters,
                ],
                output="screen",
                sigterm_timeout="10",
            ),
        ]
    )
