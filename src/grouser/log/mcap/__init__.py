"""Logs as MCAP files with ROS 2 messages, and bags, without ROS.

The only package that imports rosbags.
"""

from grouser.log.mcap.read import parse_mcap
from grouser.log.mcap.rosbag import is_bag, is_rosbag, read_mapped_bag, read_rosbag
from grouser.log.mcap.write import write_mcap

__all__ = ["is_bag", "is_rosbag", "parse_mcap", "read_mapped_bag", "read_rosbag", "write_mcap"]
