"""Logs as MCAP files with ROS 2 messages, without ROS. The only package that imports rosbags."""

from grouser.log.mcap.read import parse_mapped_mcap, parse_mcap
from grouser.log.mcap.write import write_mcap

__all__ = ["parse_mapped_mcap", "parse_mcap", "write_mcap"]
