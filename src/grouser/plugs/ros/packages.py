"""Packages of ROS 2 that are needed, checked before they are imported."""

from importlib.util import find_spec

from grouser.errors import GrouserError
from grouser.extras import require_extra

PACKAGES = (
    "rclpy", "builtin_interfaces", "diagnostic_msgs", "geometry_msgs", "nav_msgs", "rcl_interfaces",
    "rosgraph_msgs", "sensor_msgs", "std_msgs", "std_srvs", "trajectory_msgs", "visualization_msgs",
)  # fmt: skip
"""Packages of ROS 2 that are needed; tf2_msgs is used if it is there."""


def require_ros() -> None:
    """Raise GrouserError unless all packages of ROS 2 that are needed are there."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise GrouserError(
            f"grouser ros needs the package {missing[0]!r} of ROS 2, which Python does not find; "
            "source a ROS 2 that has it, or install the wheels (Linux on x86-64): "
            "pip install 'grouser[ros]'"
        )
    require_extra("grouser ros", "ros", "trimesh", "rosbags")
